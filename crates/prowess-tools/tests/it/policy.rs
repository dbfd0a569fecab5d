//! The policy as data.

use prowess_tools::{
    DiscoveryTools, NameStyle, ReadGate, ReadScope, SkillContent, SkillLookup, Surface, ToolHost,
    ToolNaming, ToolPolicy,
};

#[test]
fn every_field_has_its_documented_default() {
    let policy: ToolPolicy = serde_json::from_str("{}").expect("every field has a default");
    let expected = ToolPolicy {
        surfaces: vec![Surface::Skills],
        host: ToolHost::Own,
        skill_content: SkillContent::Body,
        read_limit_bytes: 262_144,
        read_gate: None,
        read_allowlist: Vec::new(),
        read_scope: ReadScope::Package,
        page_bytes: 65_536,
        run_gate: ReadGate::Active,
        script_directories: vec!["scripts".to_owned()],
        script_seconds: 30,
        discovery: DiscoveryTools::Overflow,
        list_page: 50,
        skill_lookup: SkillLookup::Exact,
        requires: prowess_tools::RequiresMode::Hint,
        names_per_call: 64,
        ids_in_schema: 100,
        resources_listed: 50,
        suggestion_similarity: 60,
    };
    assert_eq!(policy, expected);
    assert_eq!(ToolPolicy::default(), expected);
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
