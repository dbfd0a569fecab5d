//! The operator's limits, which nothing lifts.

use prowess_gate::Reason;
use serde_json::json;

use crate::support::{Call, bash, check, other, read, trusted};

fn only(rules: &str) -> String {
    format!(r#"{{"ceiling": {{"only": {rules}}}, "ungranted": "allow"}}"#)
}

fn deny(rules: &str) -> String {
    format!(r#"{{"ceiling": {{"deny": {rules}}}, "ungranted": "allow"}}"#)
}

#[test]
fn denied_tool_is_refused_whatever_grants_it() {
    for policy in [
        r#"{"ceiling": {"deny": ["bash"]}}"#,
        r#"{"ceiling": {"deny": ["BASH(*)"]}, "tool_match_case": "exact"}"#,
        r#"{"ceiling": {"deny": ["Bash"]}, "tool_semantics": "advisory"}"#,
        r#"{"ceiling": {"deny": ["Bash"]}, "grant": ["Bash"]}"#,
    ] {
        check(&bash("ls").with_policy(policy).with_skills(&[trusted("Bash")]), "deny");
    }
    let mut alias = other("text.json_query").with_policy(&deny(r#"["json_query"]"#));
    check(&alias, "allow");
    alias.aliases = &["json_query"];
    check(&alias, "deny");
}

#[test]
fn denied_command_is_refused_anywhere_in_a_line() {
    let policy = deny(r#"["Bash(rm:*)"]"#);
    for command in ["rm", "rm -rf x", "ls; rm x", "ls | rm", "r\\m x", "'rm' x", "ls\nrm x"] {
        check(&bash(command).with_policy(&policy).with_skills(&[trusted("Bash")]), "deny");
    }
    for command in ["ls", "rmdir x", "echo rm"] {
        check(&bash(command).with_policy(&policy).with_skills(&[trusted("Bash")]), "allow");
    }
}

/// The rules of `tests/data/options.txt`, with commands that are denied and others. `*` is any text,
/// however many words.
#[test]
fn denied_option_is_refused_in_each_spelling() {
    for line in include_str!("../data/options.txt").lines() {
        let policy = |rule| deny(&format!(r#"["Bash({rule})"]"#));
        let [rule, denied, allowed, asked] = line.split(" ⇒ ").collect::<Vec<_>>()[..] else {
            panic!("four columns: {line}")
        };
        for (commands, expected) in [(denied, "deny"), (allowed, "allow"), (asked, "ask")] {
            for command in commands.split("; ").filter(|command| *command != "-") {
                let call = bash(command).with_policy(&policy(rule));
                check(&call.with_skills(&[trusted("Bash")]), expected);
            }
        }
    }
}

/// Nothing shows that such a command is not the denied one.
#[test]
fn unreadable_command_asks_where_a_pattern_denies() {
    let policy = deny(r#"["Bash(rm:*)"]"#);
    for command in ["$x", "echo $HOME", "ls > x", "ls &", "for f in *; do echo $f; done", ""] {
        let decision = bash(command).with_policy(&policy).with_skills(&[trusted("Bash")]).decide();
        assert!(decision.is_ask() && decision.to_string().contains("may run"), "{decision}");
    }
    for command in ["$(echo rm) x", "eval rm x", "rm x > y", "X=1 rm y", "ls; \"rm\" x &"] {
        check(&bash(command).with_policy(&policy).with_skills(&[trusted("Bash")]), "deny");
    }
    check(&bash("ls").with_policy(&deny(r#"["Bash(rm | x)"]"#)), "deny");
}

#[test]
fn denied_path_is_refused() {
    let policy = deny(r#"["Read(secrets/**)"]"#);
    for path in ["secrets/a", "./secrets/a/b", "x/../secrets/a", "/secrets/a", "~/a", "a\\b", ""] {
        check(&read(path).with_policy(&policy).with_skills(&[trusted("Read")]), "deny");
    }
    check(&read("docs/a").with_policy(&policy).with_skills(&[trusted("Read")]), "allow");
    check(&read("docs/a").with_policy(&deny(r#"["Read(a[b])"]"#)), "deny");
    check(&read("docs/a").with_policy(&deny(r#"["Read(*)"]"#)), "deny");
    let unnamed = Call { arguments: json!({"file": "docs/a"}), ..read("") };
    check(&unnamed.with_policy(&policy), "deny");
    check(&other("Fetch").with_policy(&deny(r#"["Fetch(domain:example.org)"]"#)), "deny");
}

#[test]
fn only_listed_calls_are_possible() {
    let policy = only(r#"["Read", "Bash(git:*)"]"#);
    let all = [trusted("Bash Read Write")];
    check(&read("a").with_policy(&policy).with_skills(&all), "allow");
    check(&bash("git log").with_policy(&policy).with_skills(&all), "allow");
    check(&bash("rm x").with_policy(&policy).with_skills(&all), "deny");
    check(&bash("git log $x").with_policy(&policy).with_skills(&all), "deny");
    check(&other("Write").with_policy(&policy).with_skills(&all), "deny");
    check(&read("a").with_policy(&only("[]")), "deny");
}

#[test]
fn ceiling_names_its_rule() {
    let reason = |policy: &str| bash("rm x").with_policy(policy).decide().grounds().reason;
    assert_eq!(reason(&deny(r#"["Bash"]"#)), Reason::DeniedByOperator);
    assert_eq!(reason(&only(r#"["Read"]"#)), Reason::OutsideCeiling);
}

/// Rules for all tools of a server, or for all, and names in another style.
#[test]
fn rule_for_many_tools_holds_and_others_are_errors() {
    for (rule, tool) in
        [("mcp__fs", "mcp__fs__write_file"), ("mcp__fs__*", "mcp__fs__write_file"), ("*", "Write")]
    {
        let rules = format!(r#"["{rule}"]"#);
        check(&other(tool).with_policy(&deny(&rules)), "deny");
        check(&other(tool).with_policy(&only(&rules)), "allow");
        check(&other(tool).with_policy(&format!(r#"{{"grant": {rules}}}"#)), "allow");
        check(&other(tool).with_skills(&[trusted(rule)]), "ask");
    }
    check(&other("mcp__fsx__write").with_policy(&deny(r#"["mcp__fs"]"#)), "allow");
    for rule in ["skills_load", "skills-load", "skills.load", "Skills_Load"] {
        check(&other("skills.load").with_policy(&deny(&format!(r#"["{rule}"]"#))), "deny");
    }
    for rule in ["**", ".*", "mcp__*", "mcp__", "Ba*(rm:*)", "*(rm:*)", "mcp__fs__a*", "All"] {
        assert!(prowess_gate::ToolRules::parse(&[rule]).is_err(), "{rule}");
    }
}
