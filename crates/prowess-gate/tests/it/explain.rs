//! Decisions as text and as JSON.

use expect_test::{expect, expect_file};
use prowess_core::{AllowedTools, SessionId, Timestamp, Trust};
use prowess_format::rule_positions;
use prowess_gate::{Decision, GateInput, GatePolicy, GatedSkill, GatedTool, decide};
use serde_json::json;

use crate::support::{SHELL, bash, trusted};

const FILE: &str = "---\nname: release\ndescription: Releases.\n\
    allowed-tools:\n  - Bash(git:*)\n  - Bash(cargo:* test)\n---\n";

/// Decides with the rules and positions of the file.
fn decide_on(command: &str, policy: &str) -> Decision {
    let parsed = prowess_format::parse(FILE.as_bytes(), prowess_format::Profile::Lenient);
    let allowed_tools: AllowedTools = parsed.document.expect("a skill").frontmatter.allowed_tools;
    let skill = GatedSkill {
        id: "release",
        location: "/skills/release/SKILL.md",
        trust: Trust::Trusted,
        allowed_tools: &allowed_tools,
        positions: &rule_positions(FILE.as_bytes()),
        package: None,
    };
    let policy: GatePolicy = serde_json::from_str(policy).expect("a policy");
    decide(&GateInput {
        policy: &policy,
        tool: GatedTool { name: "Bash", aliases: &[], kind: SHELL },
        arguments: &json!({ "command": command }),
        files: None,
        skills: &[skill],
        approvals: &[],
        session: &SessionId::new("session").expect("a valid id"),
        tenant: None,
        now: Timestamp(0),
        consent: None,
    })
}

/// The warning of each decision about the second rule of the file.
const WARNING: &str = "\n/skills/release/SKILL.md:6:5: warning[tool-pattern-invalid]: the rule \
    `Bash(cargo:* test)` grants nothing: its `:*` is not at the end, or it has more than eight \
    `*`\n  = help: write `:*` at the end alone, and ` * ` for words between others: \
    `Bash(git * main)`";

/// Each row of the table is a command and the policy, with the decision.
#[test]
fn decision_reads_like_a_message_of_a_compiler() {
    let table = include_str!("../data/explained.txt");
    let said = table.lines().filter(|line| line.starts_with('[')).map(|written| {
        let (command, policy): (&str, String) = serde_json::from_str(written).expect("JSON");
        let decision = decide_on(command, &policy).to_string();
        format!("{written}\n{}\n\n", decision.strip_suffix(WARNING).expect(&decision))
    });
    expect_file!["../data/explained.txt"].assert_eq(&said.collect::<String>());
}

#[test]
fn list_without_a_valid_rule_says_so() {
    let decision = bash("ls").with_skills(&[trusted("Bash(git:* rm:*) Ba(")]).decide();
    expect![[r#"
        ask: `Bash` is not listed by an active skill
          --> /skills/skill-0/SKILL.md
          = its `allowed-tools` has no valid rule
          = skill: `skill-0`"#]]
    .assert_eq(&decision.to_string());
}

#[test]
fn layer_that_may_not_grant_names_the_key() {
    for (trust, key) in [
        (Trust::AskFirst, "`gate.grant_from` is `ask_first`"),
        (Trust::Untrusted, "`gate.grant` has the calls"),
    ] {
        let skills = [trusted("Bash").of(trust)];
        let asked = bash("ls").with_skills(&skills).decide().to_string();
        let text = "ask: `Bash` is listed, but an active skill comes from a layer whose skills \
            grant nothing";
        assert!(asked.starts_with(text) && asked.contains(key), "{asked}");
        let policy = r#"{"ungranted": "deny"}"#;
        let Decision::Deny { refusal, .. } =
            bash("ls").with_skills(&skills).with_policy(policy).decide()
        else {
            panic!("no person may be asked");
        };
        assert!(refusal.error.to_string().contains(key), "{}", refusal.error);
    }
}

#[test]
fn decision_is_exactly_one_of_three() {
    for (policy, expected) in [
        (r#"{"grant": ["Bash"]}"#, [true, false, false]),
        ("{}", [false, true, false]),
        (r#"{"ungranted": "deny"}"#, [false, false, true]),
    ] {
        let decision = bash("ls").with_policy(policy).decide();
        let answers = [decision.is_allowed(), decision.is_ask(), decision.is_denied()];
        assert_eq!(answers, expected, "{decision}");
    }
}

#[test]
fn explanation_shows_no_hidden_characters() {
    let skills = [trusted("Bash(git:*) R\u{1b}[2Jead")];
    let text = bash("ls \u{202e}; rm '\u{1b}[2J'").with_skills(&skills).decide().to_string();
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
}

#[test]
fn decision_is_json_for_programs() {
    let allow = serde_json::to_value(decide_on("git status", "{}")).expect("JSON");
    assert_eq!(allow["decision"], "allow");
    assert_eq!(allow["grounds"]["reason"], "listed");
    let rule = &allow["grounds"]["rules"][0];
    assert_eq!(rule["rule"], "Bash(git:*)");
    assert_eq!(rule["origin"], "skill");
    assert_eq!((rule["line"].as_u64(), rule["column"].as_u64()), (Some(5), Some(5)));
    let ask = serde_json::to_value(decide_on("rm x", "{}")).expect("JSON");
    assert_eq!(ask["decision"], "ask");
    assert_eq!(ask["request"]["tool"], "Bash");
    let restrict = r#"{"tool_semantics": "restrict"}"#;
    let deny = serde_json::to_value(decide_on("rm x", restrict)).expect("JSON");
    assert_eq!(deny["decision"], "deny");
    assert_eq!(deny["refusal"]["code"], "skill-tool-not-allowed");
}
