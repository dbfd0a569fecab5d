//! The policy as data.

use prowess_tools::{
    DiscoveryTools, NameStyle, ReadGate, Surface, ToolHost, ToolNaming, ToolPolicy,
};
use serde_json::json;

#[test]
fn every_field_has_a_default() {
    let policy: ToolPolicy = serde_json::from_str("{}").expect("every field has a default");
    assert_eq!(policy, ToolPolicy::default());
    assert_eq!(ToolNaming::default().names, NameStyle::Underscore);
}

#[test]
fn a_policy_comes_back_from_its_text_and_a_slip_is_refused() {
    let text = r#"{"read_gate": "known", "read_scope": "resources"}"#;
    let policy: ToolPolicy = serde_json::from_str(text).expect("a policy is plain data");
    assert_eq!(policy.read_gate, Some(ReadGate::Known));
    let written = serde_json::to_string(&policy).expect("a policy is plain data");
    let again: ToolPolicy = serde_json::from_str(&written).expect("what was written is read");
    assert_eq!(again, policy);
    assert!(serde_json::from_str::<ToolPolicy>(r#"{"read_gat": "known"}"#).is_err());
}

/// Returns the names of the tools that load, search and list skills.
fn names(policy: &ToolPolicy) -> [Option<&'static str>; 3] {
    [policy.load_tool(), policy.search_tool(), policy.list_tool()]
}

#[test]
fn each_surface_names_its_tools() {
    let [search, list] = [Some("skills.search"), Some("skills.list")];
    let cases = [
        (
            Surface::Skills,
            search,
            list,
            Some(("skills.load", json!({"names": ["a"], "mode": "add"}))),
        ),
        (Surface::Files, search, list, None),
        (Surface::Skill, search, list, Some(("skill", json!({"skill_name": "a"})))),
        (Surface::GetSkill, search, list, Some(("get_skill", json!({"skillName": "a"})))),
        (
            Surface::ReadSkill,
            Some("list_skills"),
            None,
            Some(("read_skill", json!({"skill_id": "a"}))),
        ),
        (Surface::ActivateSkill, search, list, Some(("activate_skill", json!({"name": "a"})))),
    ];
    for (surface, search, list, load) in cases {
        let policy = ToolPolicy { surfaces: vec![surface], ..ToolPolicy::default() };
        let load_tool = load.as_ref().map(|(name, _)| *name);
        assert_eq!(names(&policy), [load_tool, search, list], "{surface:?}");
        let call = policy.load_call("a").map(|call| (call.name, call.arguments));
        assert_eq!(call, load.map(|(name, arguments)| (name.to_owned(), arguments)), "{surface:?}");
        let loads_nothing = matches!(surface, Surface::GetSkill | Surface::ReadSkill);
        let gate = if loads_nothing { ReadGate::Known } else { ReadGate::Active };
        assert_eq!(policy.read_gate(), gate, "{surface:?}");
    }
    let none = ToolPolicy { surfaces: Vec::new(), ..ToolPolicy::default() };
    assert_eq!(names(&none), [None; 3]);
    let never = ToolPolicy { discovery: DiscoveryTools::Never, ..ToolPolicy::default() };
    assert_eq!(names(&never), [Some("skills.load"), None, None]);
}

#[test]
fn discovery_is_offered_by_the_number_of_skills() {
    for (discovery, offered) in [
        (DiscoveryTools::Overflow, [false, false, false, true]),
        (DiscoveryTools::Always, [false, true, true, true]),
        (DiscoveryTools::Never, [false; 4]),
    ] {
        let policy = ToolPolicy { discovery, ..ToolPolicy::default() };
        assert_eq!([0, 1, 100, 101].map(|skills| policy.offers_discovery(skills)), offered);
    }
    let policy = ToolPolicy { host: ToolHost::Foreign, ..ToolPolicy::default() };
    assert_eq!([0, 1].map(|skills| policy.offers_discovery(skills)), [false, true]);
}
