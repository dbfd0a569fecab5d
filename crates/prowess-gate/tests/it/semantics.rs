//! The meanings of `allowed-tools`, and several active skills.

use prowess_core::{AllowedTools, Trust};
use prowess_gate::{Reason, ToolKind};
use serde_json::json;

use crate::support::{Call, Skill, bash, check, other, read, trusted, unlisted, word};

const RESTRICT: &str = r#"{"tool_semantics": "restrict"}"#;

fn empty() -> Skill {
    Skill { tools: AllowedTools::Empty, ..trusted("") }
}

/// One call of `git status` and one of `rm x`, and what becomes of them.
#[track_caller]
fn check_both(policy: &str, skills: &[Skill], git: &str, rm: &str) {
    let decide = |command| bash(command).with_policy(policy).with_skills(skills).decide();
    let decisions = [decide("git status"), decide("rm x")];
    assert_eq!(decisions.each_ref().map(word), [git, rm], "{policy}: {decisions:#?}");
}

#[test]
fn advisory_always_allows_and_reports() {
    let advisory = r#"{"tool_semantics": "advisory"}"#;
    for skills in [vec![], vec![trusted("Bash(git:*)")], vec![trusted("Read")], vec![empty()]] {
        check_both(advisory, &skills, "allow", "allow");
    }
    let reason = |command, skill: Skill| {
        let call = bash(command).with_policy(advisory).with_skills(&[skill]);
        call.decide().grounds().reason
    };
    assert_eq!(reason("git status", trusted("Bash(git:*)")), Reason::AdvisedFor);
    assert_eq!(reason("rm x", trusted("Bash(git:*)")), Reason::AdvisedAgainst);
    assert_eq!(reason("rm x", unlisted()), Reason::Unrestricted);
}

#[test]
fn unreadable_list_covers_nothing() {
    let broken = Skill { tools: AllowedTools::Rules(Vec::new()), ..trusted("") };
    check_both(RESTRICT, std::slice::from_ref(&broken), "deny", "deny");
    let all = r#"{"tool_semantics": "restrict", "empty_list": "all"}"#;
    check_both(all, std::slice::from_ref(&broken), "deny", "deny");
    check_both("{}", &[broken], "ask", "ask");
}

#[test]
fn skill_operations_are_always_possible() {
    let operation = |tool| Call::new(tool, ToolKind::SkillOperation, json!({}));
    for policy in ["{}", RESTRICT, r#"{"ungranted": "deny"}"#, r#"{"ceiling": {"only": []}}"#] {
        for skill in [trusted("Read"), empty(), trusted("Read").of(Trust::Untrusted)] {
            check(&operation("skills.unload").with_policy(policy).with_skills(&[skill]), "allow");
        }
    }
    let denied = r#"{"ceiling": {"deny": ["skills.search"]}}"#;
    check(&operation("skills.search").with_policy(denied), "deny");
    check(&operation("skills.load").with_policy(denied), "allow");
}

#[test]
fn ungranted_calls_follow_the_policy() {
    for (ungranted, expected) in [("ask", "ask"), ("allow", "allow"), ("deny", "deny")] {
        let policy = format!(r#"{{"ungranted": "{ungranted}"}}"#);
        check(&bash("rm x").with_policy(&policy).with_skills(&[trusted("Bash(git:*)")]), expected);
        check(
            &bash("git log").with_policy(&policy).with_skills(&[trusted("Bash(git:*)")]),
            "allow",
        );
        check(&other("json_query").with_policy(&policy), expected);
    }
}

#[test]
fn names_match_by_the_case_policy() {
    let exact = r#"{"tool_match_case": "exact"}"#;
    for rule in ["bash", "BASH(git:*)", "Bash"] {
        check(&bash("git status").with_skills(&[trusted(rule)]), "allow");
    }
    check(&bash("git status").with_policy(exact).with_skills(&[trusted("bash")]), "ask");
    check(&bash("git status").with_policy(exact).with_skills(&[trusted("Bash")]), "allow");
}

#[test]
fn aliases_name_the_tool() {
    let mut call = other("text.json_query").with_skills(&[trusted("json_query")]);
    check(&call, "ask");
    call.aliases = &["json_query"];
    check(&call, "allow");
}

#[test]
fn several_rules_of_one_skill_cover_one_command() {
    let skill = trusted("Bash(git:*) Bash(cargo test:*)");
    check(&bash("cargo test && git push").with_skills(std::slice::from_ref(&skill)), "allow");
    check(&bash("cargo build && git push").with_skills(std::slice::from_ref(&skill)), "ask");
    let grant = r#"{"grant": ["Bash(ls:*)"]}"#;
    check(&bash("ls && git push").with_policy(grant).with_skills(&[skill]), "allow");
    check(&bash("ls").with_policy(grant), "allow");
    check(&bash("ls -a; rm x").with_policy(grant), "ask");
    let policy = r#"{"grant": ["Bash(cd:*)"]}"#;
    for (command, expected) in [
        ("cd docs; cat a", "allow"),
        ("cd /etc; cat x", "ask"),
        ("cd; cat x", "ask"),
        ("cat x; cd", "allow"),
    ] {
        let call = bash(command).with_files(&[]).with_policy(policy);
        check(&call.with_skills(&[trusted("Bash(cat:*)")]), expected);
    }
}

#[test]
fn further_arguments_are_not_covered() {
    let skills = [trusted("Bash(git:*)")];
    let decide = |arguments| Call { arguments, ..bash("") }.with_skills(&skills).decide();
    let harmless = json!({"command": "git status", "description": "x", "timeout": 5});
    assert!(decide(harmless).is_allowed());
    assert!(decide(json!({"command": "git status", "env": {"PATH": "."}})).is_ask());
    assert!(decide(json!({"Command": "git status"})).is_ask());
    assert!(decide(json!({"command": ["git", "status"]})).is_ask());
    assert!(decide(json!("git status")).is_ask());
    assert!(decide(json!(null)).is_ask());
}

#[test]
fn every_path_has_to_be_covered() {
    let skills = [trusted("Copy(docs/**)")];
    let kind = ToolKind::File { paths: &["from", "to"] };
    let decide = |arguments| Call::new("Copy", kind, arguments).with_skills(&skills).decide();
    assert!(decide(json!({"from": "docs/a", "to": "docs/b"})).is_allowed());
    assert!(decide(json!({"from": ["docs/a", "docs/c"], "to": "docs/b"})).is_allowed());
    assert!(decide(json!({"from": "docs/a", "to": "b"})).is_ask());
    assert!(decide(json!({"from": ["docs/a", "c"], "to": "docs/b"})).is_ask());
    assert!(decide(json!({"from": [], "to": "docs/b"})).is_ask());
    assert!(decide(json!({"from": "docs/a"})).is_ask());
    assert!(decide(json!({"from": "docs/a", "to": 5})).is_ask());
    check(&read("docs/a").with_skills(&[trusted("Read(docs/**)")]), "allow");
}

#[test]
fn well_known_tools_have_a_kind() {
    let kind = |name, arguments| ToolKind::by_name(name, &arguments);
    assert_eq!(kind("Bash", json!({})), crate::support::SHELL);
    assert_eq!(kind("run_shell_command", json!({})), crate::support::SHELL);
    assert_eq!(kind("Read", json!({"path": "a"})), crate::support::FILE);
    assert_eq!(kind("Read", json!({})), crate::support::FILE);
    assert_eq!(kind("edit", json!({"file_path": "a"})), ToolKind::File { paths: &["file_path"] });
    let both = ToolKind::File { paths: &["path", "file_path"] };
    assert_eq!(kind("Write", json!({"file_path": "a", "path": "b"})), both);
    assert_eq!(kind("json_query", json!({"path": "a"})), ToolKind::Other);
}
