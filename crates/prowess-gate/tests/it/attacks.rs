//! Known ways around `allowed-tools`.

use prowess_core::{AllowedTools, Trust};
use prowess_gate::ToolKind;
use serde_json::json;

use crate::support::{Call, bash, check, other, read, trusted, unlisted};

const RESTRICT: &str = r#"{"tool_semantics": "restrict"}"#;

#[test]
fn oversized_commands_are_not_granted() {
    for command in [
        "git $( ".repeat(64 * 1024 / 7),
        format!("git {}", "x".repeat(1 << 20)),
        ";".repeat(100_000),
    ] {
        check(&bash(&command).with_skills(&[trusted("Bash(git:*)")]), "ask");
    }
}

/// A nested skill, an alias, another key and another case as ways around a limit.
#[test]
fn ways_around_a_limit_are_closed() {
    let limited = |call: Call| call.with_policy(RESTRICT).with_skills(&[trusted("Read(docs/**)")]);
    check(&limited(read("docs/a")), "allow");
    check(&limited(read("etc/passwd")), "deny");

    let nested = [trusted("Read(docs/**)"), unlisted()];
    check(&bash("ls").with_policy(RESTRICT).with_skills(&nested), "deny");
    let nested = [trusted("Read(docs/**)"), trusted("Bash Read")];
    check(&bash("ls").with_policy(RESTRICT).with_skills(&nested), "deny");

    let mut alias = limited(other("fs.write"));
    alias.aliases = &["fs_write", "Write"];
    check(&alias, "deny");

    let key = |arguments| {
        let kind = ToolKind::File { paths: &["path"] };
        limited(Call::new("Read", kind, arguments))
    };
    check(&key(json!({"Path": "docs/a"})), "deny");
    check(&key(json!({"file_path": "docs/a"})), "deny");
    check(&key(json!({"path": ["docs/a", "etc/passwd"]})), "deny");
    check(&key(json!({"path": {"path": "docs/a"}})), "deny");

    for tool in ["READ", "read"] {
        let kind = ToolKind::File { paths: &["path"] };
        check(&limited(Call::new(tool, kind, json!({"path": "etc/passwd"}))), "deny");
    }
    let exact = r#"{"tool_semantics": "restrict", "tool_match_case": "exact"}"#;
    check(&read("docs/a").with_policy(exact).with_skills(&[trusted("read")]), "deny");
}

/// Names that look like the tool's are not the tool's.
#[test]
fn look_alikes_name_nothing() {
    for name in ["Ba\u{455}h", "\u{ff22}ash", "Bash\u{200b}", "ba\u{17f}h", "Bas\u{4bb}", " Bash"] {
        let rules = prowess_core::ToolRule { tool: name.to_owned(), pattern: None };
        let tools = AllowedTools::Rules(vec![rules]);
        let skill = crate::support::Skill { tools, trust: Trust::Trusted, package: None };
        check(&bash("ls").with_skills(std::slice::from_ref(&skill)), "ask");
        check(&bash("ls").with_policy(RESTRICT).with_skills(&[skill]), "deny");
    }
}
