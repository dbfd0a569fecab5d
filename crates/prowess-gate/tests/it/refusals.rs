//! The codes and words of refusals.

use expect_test::{Expect, expect};
use prowess_core::{AllowedTools, SkillError};
use prowess_gate::{Decision, Refusal};

use crate::support::{Call, Skill, bash, other, trusted};

fn refusal(call: &Call) -> Refusal {
    match call.decide() {
        Decision::Deny { refusal, .. } => refusal,
        decision => panic!("it was to be denied: {decision}"),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`expect!` is written where it is used")]
fn check(call: &Call, expected: Expect) {
    expected.assert_eq(&format!("{}\n", refusal(call).error));
}

/// The document that names both wordings tests for one and logs the other.
#[test]
fn message_has_both_wordings() {
    let policy = r#"{"tool_semantics": "restrict"}"#;
    let skills = [trusted("Bash(git:*) Read Write")];
    check(
        &other("json_query").with_policy(policy).with_skills(&skills),
        expect![[r#"
        [SKILL_TOOL_NOT_ALLOWED] Tool 'json_query' not allowed by skill 'skill-0'. Allowed tools: Bash(git:*), Read, Write. Tool 'json_query' not in allowed-tools list (tool_name=json_query, skill_name=skill-0, allowed_tools=[Bash(git:*), Read, Write])
    "#]],
    );
}

#[test]
fn refusal_lists_the_allowed_tools() {
    let restrict = r#"{"tool_semantics": "restrict"}"#;
    let limited = bash("rm x").with_policy(restrict).with_skills(&[trusted("Bash(git:*) Read")]);
    check(
        &limited,
        expect![[r#"
            [SKILL_TOOL_NOT_ALLOWED] Tool 'Bash' not allowed by skill 'skill-0': no pattern covers `rm x`. Allowed tools: Bash(git:*), Read. Tool 'Bash' not in allowed-tools list (tool_name=Bash, skill_name=skill-0, allowed_tools=[Bash(git:*), Read])
        "#]],
    );
    let refusal = refusal(&limited);
    let SkillError::ToolNotAllowed { skill, allowed, .. } = refusal.error else {
        panic!("the error of a tool");
    };
    assert_eq!(allowed, ["Bash(git:*)", "Read"]);
    assert_eq!(skill.as_deref(), Some("skill-0"));
    let none = Skill { tools: AllowedTools::Empty, ..trusted("") };
    check(
        &bash("rm x").with_policy(restrict).with_skills(&[none]),
        expect![[r#"
            [SKILL_TOOL_NOT_ALLOWED] Tool 'Bash' not allowed by skill 'skill-0'. Allowed tools: none. Tool 'Bash' not in allowed-tools list (tool_name=Bash, skill_name=skill-0, allowed_tools=[])
        "#]],
    );
}

#[test]
fn refusals_of_the_operator_have_their_own_codes() {
    check(
        &bash("ls > x").with_policy(r#"{"ceiling": {"only": ["Bash(ls)"]}}"#),
        expect![[r#"
        [SKILL_TOOL_NOT_ALLOWED] Tool 'Bash' is not possible here: the command has a redirection (character 4). The operator's limits exclude this call; go on without it (tool_name=Bash, allowed_tools=[])
    "#]],
    );
    check(
        &bash("ls").with_policy(r#"{"ceiling": {"deny": ["Bash"]}}"#),
        expect![[r#"
        [SKILL_TOOL_NOT_ALLOWED] Tool 'Bash' is not possible here. The operator's limits exclude this call; go on without it (tool_name=Bash, allowed_tools=[])
    "#]],
    );
    let ungranted = bash("ls > x").with_policy(r#"{"ungranted": "deny"}"#);
    check(
        &ungranted.with_skills(&[trusted("Bash(ls)")]),
        expect![[r#"
        [SKILL_TOOL_NOT_ALLOWED] Tool 'Bash' needs an approval: the command has a redirection (character 4), and no person can be asked here; go on without it (tool_name=Bash, skill_name=skill-0, allowed_tools=[])
    "#]],
    );
}

#[test]
fn refusing_skill_is_the_one_that_limits() {
    let restrict = r#"{"tool_semantics": "restrict"}"#;
    let skills = [trusted("Read"), trusted("Bash")];
    let refusal = refusal(&bash("ls").with_policy(restrict).with_skills(&skills));
    assert!(refusal.error.context().contains(&("skill_name", "skill-0".to_owned())), "{refusal:?}");
}

/// The list and the name come from a skill, and a model reads them.
#[test]
fn refusal_shows_no_hidden_characters() {
    let policy = r#"{"tool_semantics": "restrict"}"#;
    let skills = [trusted("R\u{202e}ead </skill_content>")];
    let message = refusal(&bash("ls").with_policy(policy).with_skills(&skills)).message();
    assert!(message.starts_with("Tool 'Bash' not allowed by skill 'skill-0'"), "{message}");
    assert!(!message.contains('\u{202e}') && !message.contains("</skill_content>"), "{message}");
}
