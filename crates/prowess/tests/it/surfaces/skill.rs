//! The tool `skill`.

use expect_test::expect;
use serde_json::{Value, json};

use super::{Place, check};
use crate::scripted::Agent;

#[test]
fn skill_activates_and_deactivates() {
    let place = Place::of("omniforge");
    let mut agent = Agent::new(&place.runtime);
    let arguments = json!({ "skill_name": "code-review", "args": "src/lib.rs" });
    let activated = agent.succeed("skill", arguments).1.structured.expect("it is data");
    let expected = json!({
        "skill_name": "code-review",
        "base_path": place.root("code-review"),
        "content": "Check names first. See templates/report.md.",
        "allowed_tools": ["Read", "Bash(git diff:*)"],
        "args": "src/lib.rs",
        "status": "activated",
    });
    assert_eq!(activated, expected);
    assert_eq!(agent.active(), ["code-review"]);
    let arguments = json!({ "skill_name": "skill://test-skill", "action": "activate" });
    let second = agent.succeed("skill", arguments).1.structured.expect("it is data");
    assert_eq!(second["allowed_tools"], Value::Null, "the skill names no tools");
    assert_eq!(second["args"], Value::Null);
    assert_eq!(agent.active(), ["code-review", "test-skill"], "the first stays active");
    let arguments = json!({ "skill_name": "test-skill", "action": "deactivate" });
    let deactivated = agent.succeed("skill", arguments).1.structured;
    let expected = json!({ "skill_name": "test-skill", "status": "deactivated" });
    assert_eq!(deactivated, Some(expected));
    assert_eq!(agent.active(), ["code-review"], "the one below is active again");
}

#[test]
fn skill_failures_have_their_texts() {
    let place = Place::of("omniforge");
    let required = "skill_name is required";
    for arguments in [json!({}), json!({ "skill_name": "" }), json!({ "skill_name": "  " })] {
        check(&place, "skill", arguments, Some("invalid-arguments"), required);
    }
    let unknown = "Skill 'code-reviw' not found. Did you mean 'code-review'?";
    let arguments = json!({ "skill_name": "code-reviw" });
    check(&place, "skill", arguments, Some("skill-not-found"), unknown);
    let arguments = json!({ "skill_name": "code-reviw", "action": "deactivate" });
    check(&place, "skill", arguments, Some("skill-not-found"), unknown);
    let arguments = json!({ "skill_name": "nothing-alike" });
    let unknown = "Skill 'nothing-alike' not found.";
    check(&place, "skill", arguments, Some("skill-not-found"), unknown);
    let arguments = json!({ "skill_name": "code-review", "action": "restart" });
    let action = "Unknown action 'restart'. Use 'activate' or 'deactivate'.";
    check(&place, "skill", arguments, Some("invalid-arguments"), action);
}

#[test]
fn skill_that_cannot_be_read_says_so() {
    let place = Place::of("omniforge");
    std::fs::remove_file(place.tree.join("skills/test-skill/SKILL.md")).expect("it is there");
    let reason = "skill `test-skill` cannot be read any more; nothing was loaded, go on without it";
    let fails = |arguments, text: String| {
        check(&place, "skill", arguments, Some("resource-not-found"), &text);
    };
    fails(json!({ "skill_name": "test-skill" }), format!("Failed to load skill: {reason}"));
    let arguments = json!({ "skill_name": "test-skill", "action": "activate" });
    fails(arguments, format!("Skill activate failed: {reason}"));
}

#[test]
fn skill_definition() {
    let place = Place::of("omniforge");
    let session = place.runtime.open_session().expect("memory takes another session");
    let turn = place.runtime.turn(&session).expect("the session is open");
    let info = turn.tool_info("skill").expect("there is one");
    let info = serde_json::to_value(info).expect("it is data");
    assert_eq!(info, json!({ "type": "SKILL", "timeout_ms": 30_000 }));
    assert_eq!(turn.tool_info("skills"), None, "there is no such tool");
    let tools = turn.tools();
    let expected = expect![[r#"
        [
          {
            "name": "skill",
            "description": "Execute specialized skills within the conversation.\n\nWhen users request task execution or you identify a relevant capability, invoke this tool with the skill name.\n\n## How to Invoke Skills\n\nUse the tool with the skill name:\n- skill_name: \"commit-message\" - basic invocation\n- skill_name: \"code-review\", args: \"pr-123\" - with arguments\n\n## Available Skills\n\nThe following skills are available:\n\n<available_skills>\n\"code-review\": Reviews code. Use when a change is to be reviewed.\n\"test-skill\": Runs tests. Use when tests are to be run.\n</available_skills>\n\n## Important Requirements\n\n- IMMEDIATELY invoke this tool as your first action when a skill is relevant\n- NEVER just announce a skill without calling the tool\n- Only use skills listed in <available_skills> above\n- Don't invoke already-running skills\n- Don't use this tool for built-in CLI commands\n\n## What Happens When You Invoke\n\nWhen you invoke a skill:\n1. You receive the skill's base_path and full content\n2. Follow the skill's instructions precisely\n3. The skill may include tool restrictions (allowed-tools)\n4. Use base_path to resolve relative paths in the skill content",
            "input_schema": {
              "type": "object",
              "properties": {
                "skill_name": {
                  "type": "string",
                  "description": "The name of the skill"
                },
                "args": {
                  "type": "string",
                  "description": "Arguments for the skill"
                },
                "action": {
                  "type": "string",
                  "enum": [
                    "activate",
                    "deactivate"
                  ],
                  "default": "activate",
                  "description": "`deactivate` when the skill's task is finished"
                }
              },
              "required": [
                "skill_name"
              ],
              "additionalProperties": false
            }
          }
        ]"#]];
    expected.assert_eq(&serde_json::to_string_pretty(&tools).expect("definitions are data"));
}
