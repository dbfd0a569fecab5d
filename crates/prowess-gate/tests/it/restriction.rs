//! The names that active skills leave possible.

use prowess_core::Trust;
use prowess_gate::{GatePolicy, GatedSkill, allowed_tool_names};

use crate::support::{Skill, trusted, unlisted};
use prowess_core::AllowedTools;

#[track_caller]
fn check(policy: &str, skills: &[Skill], expected: Option<&[&str]>) {
    let policy: GatePolicy = serde_json::from_str(policy).expect("a policy");
    let gated = |skill: &'static Skill| GatedSkill {
        id: "skill",
        location: "/skill/SKILL.md",
        trust: skill.trust,
        allowed_tools: &skill.tools,
        positions: &[],
        package: None,
    };
    let skills: &'static [Skill] = Vec::leak(skills.to_vec());
    let gated: Vec<_> = skills.iter().map(gated).collect();
    assert_eq!(allowed_tool_names(&policy, &gated).as_deref(), expected);
}

#[test]
fn only_restriction_limits_names() {
    check("{}", &[trusted("Read")], None);
    check(r#"{"tool_semantics": "advisory"}"#, &[trusted("Read")], None);
    let restrict = r#"{"tool_semantics": "restrict"}"#;
    check(restrict, &[trusted("Bash(git:*) Read Bash(ls) read")], Some(&["Bash", "Read"]));
    check(restrict, &[], None);
    check(restrict, &[unlisted()], None);
    let empty = Skill { tools: AllowedTools::Empty, ..trusted("") };
    check(restrict, std::slice::from_ref(&empty), Some(&[]));
    check(r#"{"tool_semantics": "restrict", "empty_list": "all"}"#, &[empty], None);
}

#[test]
fn several_skills_combine_by_policy() {
    let policy =
        |combine: &str| format!(r#"{{"tool_semantics": "restrict", "combine": "{combine}"}}"#);
    let skills = [trusted("Bash Read"), trusted("read Write")];
    check(&policy("intersect"), &skills, Some(&["read"]));
    check(&policy("top_of_stack"), &skills, Some(&["read", "Write"]));
    check(&policy("union"), &skills, Some(&["Bash", "Read", "Write"]));
    let nested = [trusted("Bash Read"), unlisted()];
    check(&policy("intersect"), &nested, Some(&["Bash", "Read"]));
    check(&policy("top_of_stack"), &nested, None);
    check(&policy("union"), &nested, None);
    let untrusted = [trusted("Read").of(Trust::Untrusted), trusted("Bash Read")];
    for combine in ["intersect", "top_of_stack", "union"] {
        check(&policy(combine), &untrusted, Some(&["Read"]));
    }
}
