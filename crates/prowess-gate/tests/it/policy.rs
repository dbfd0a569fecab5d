//! The policy as configuration.

use prowess_gate::{
    Combine, EmptyList, GatePolicy, GrantFrom, ToolMatchCase, ToolSemantics, Ungranted,
};

#[test]
fn defaults_are_preapproval() {
    let policy: GatePolicy = serde_json::from_str("{}").expect("a policy");
    assert_eq!(policy, GatePolicy::default());
    assert_eq!(policy.tool_semantics, ToolSemantics::Preapprove);
    assert_eq!(policy.empty_list, EmptyList::None);
    assert_eq!(policy.combine, Combine::Intersect);
    assert_eq!(policy.tool_match_case, ToolMatchCase::Insensitive);
    assert_eq!(policy.grant_from, GrantFrom::Trusted);
    assert_eq!(policy.ungranted, Ungranted::Ask);
    assert_eq!(policy.ceiling.only, None);
    assert!(policy.ceiling.deny.as_slice().is_empty() && policy.grant.as_slice().is_empty());
}

#[test]
fn policy_survives_serialisation() {
    let text = r#"{"tool_semantics": "restrict", "empty_list": "all", "combine": "top_of_stack",
        "tool_match_case": "exact", "grant_from": "ask_first", "ungranted": "deny",
        "grant": ["Read", "Bash(git add:*, git commit:*)"],
        "ceiling": {"only": [], "deny": ["Azure MCP/search"]}}"#;
    let policy: GatePolicy = serde_json::from_str(text).expect("a policy");
    let written = serde_json::to_string(&policy).expect("JSON");
    assert_eq!(serde_json::from_str::<GatePolicy>(&written).ok(), Some(policy));
}

#[test]
fn mistakes_are_errors() {
    for text in include_str!("../data/mistakes.txt").lines() {
        assert!(serde_json::from_str::<GatePolicy>(text).is_err(), "{text}");
    }
}
