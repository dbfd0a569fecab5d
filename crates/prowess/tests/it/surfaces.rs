//! The tools of each preset, as a model calls them.

use std::collections::BTreeSet;

use expect_test::expect;
use prowess::format::Profile;
use prowess::tools::{NameStyle, SkillContent, Surface};
use prowess::vendor::{WireFormat, strict_schema};
use prowess::{
    BodyDelivery, Content, Layer, Policies, Record, Runtime, ShowLocation, ToolCall,
    ToolDefinition, ToolResult, ToolType, Trust, Turn,
};
use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::dynamic;
use crate::scripted::Agent;

const SHELF: &str = "
//- /skills/code-review/SKILL.md
---
name: code-review
description: Reviews code. Use when a change is to be reviewed.
allowed-tools: Read Bash(git diff:*)
requires: [test-skill]
---
Check names first. See templates/report.md.
//- /skills/code-review/templates/report.md
# Report
//- /skills/code-review/scripts/count.sh
echo 1
//- /skills/test-skill/SKILL.md
---
name: test-skill
description: Runs tests. Use when tests are to be run.
---
Run them all.
//- /secret.txt
canary
";

/// One preset over the shelf.
struct Place {
    tree: Tree,
    runtime: Runtime,
}

impl Place {
    fn with(mut policies: Policies) -> Self {
        policies.layers = vec![Layer::new("personal", Trust::Trusted)];
        policies.registry.profile = Profile::Extended;
        let tree = Tree::new(SHELF);
        let runtime = dynamic::builder()
            .policies(policies)
            .skills_directory("personal", tree.join("skills"))
            .build();
        Self { runtime: runtime.expect("the policies fit together"), tree }
    }

    fn of(preset: &str) -> Self {
        Self::with(Policies::preset(preset).expect("there is one"))
    }

    fn tools(&self) -> Vec<String> {
        let session = self.runtime.open_session().expect("memory takes another session");
        let turn = self.runtime.turn(&session).expect("the session is open");
        turn.tools().into_iter().map(|tool| tool.name).collect()
    }

    fn root(&self, skill: &str) -> String {
        self.tree.join("skills").join(skill).to_string_lossy().into_owned()
    }
}

fn texts(result: &ToolResult) -> String {
    let text = |part: &Content| match part {
        Content::Text { text } => text.clone(),
        Content::Blob { mime_type, data, .. } => format!("[{mime_type}] {data}"),
    };
    result.content.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// Calls a tool in a new session, and checks the code and the text of the result.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "cases are written in place")]
fn check(place: &Place, tool: &str, arguments: Value, code: Option<&str>, expected: &str) {
    let answer = Agent::new(&place.runtime).turn(tool, arguments.clone()).1;
    let found = answer.code.as_ref().map(prowess::Code::as_str);
    assert_eq!((found, &*texts(&answer)), (code, expected), "{tool} with {arguments}");
    assert_eq!(answer.is_error, code.is_some(), "an error has a code");
}

#[test]
fn presets_offer_their_tools() {
    let check = |preset, expected: &[&str]| {
        assert_eq!(Place::of(preset).tools(), expected, "{preset}");
    };
    check("standard", &["skills_load", "skills_unload", "skills_read"]);
    check("flexigpt", &["skills-load", "skills-unload", "skills-read"]);
    check("omniforge", &["skill"]);
    check("boxxy", &["skills_load", "skills_unload", "skills_read"]);
    check("sandbox", &["get_skill", "sandbox_execute", "skills_read"]);
    check("yodoca", &["list_skills", "read_skill", "read_skill_resource"]);
}

#[test]
fn prompts_name_the_tool_of_the_surface() {
    let names = [("flexigpt", "skills-load"), ("omniforge", "skill"), ("yodoca", "read_skill")];
    for (preset, tool) in names {
        let place = Place::of(preset);
        let prompt = Agent::new(&place.runtime).prompt();
        assert!(prompt.contains(&format!("call `{tool}` with")), "{preset}: {prompt}");
    }
    let mut policies = Policies::default();
    policies.prompt.load_tool = "my_loader".to_owned();
    let prompt = Agent::new(&Place::with(policies).runtime).prompt();
    assert!(prompt.contains("call `my_loader` with"), "a host may name a tool of its own");
    let mut policies = Policies::default();
    policies.tools.surfaces = Vec::new();
    let prompt = Agent::new(&Place::with(policies).runtime).prompt();
    assert!(prompt.contains("use your file-read tool"), "no tool loads skills: {prompt}");
    assert!(!prompt.contains("skills_load"), "a tool that is not offered is not named: {prompt}");
}

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

#[test]
fn get_skill_returns_json_in_any_case() {
    let place = Place::of("sandbox");
    let expected = json!({
        "name": "test-skill",
        "description": "Runs tests. Use when tests are to be run.",
        "mountPath": "/.sandbox/skills/test-skill",
        "instructions": "Run them all.",
    });
    for name in ["test-skill", "Test-Skill", "skill://test-skill/SKILL.md"] {
        let mut agent = Agent::new(&place.runtime);
        let got = agent.succeed("get_skill", json!({ "skillName": name })).1.structured;
        assert_eq!(got.as_ref(), Some(&expected), "{name}");
        assert!(agent.active().is_empty(), "nothing is loaded");
    }
    let unknown = r#"{"error":"Skill 'x' not found"}"#;
    let arguments = json!({ "skillName": "x" });
    check(&place, "get_skill", arguments, Some("skill-not-found"), unknown);
    let file = json!({ "skill": "code-review", "path": "templates/report.md" });
    check(&place, "skills_read", file, None, "# Report\n");
}

/// A catalog with two names that differ in case alone.
#[test]
fn ambiguous_case_names_both_skills() {
    let place = Place::of("sandbox");
    for name in ["Same", "same"] {
        let text = format!("---\nname: {name}\ndescription: One of two. Use it.\n---\nBody\n");
        place.tree.write(&format!("skills/{}/SKILL.md", name.replace('S', "other-s")), text);
    }
    place.runtime.reload();
    let text = r#"{"error":"`SAME` may be `Same` and `same`; write the name of one"}"#;
    let arguments = json!({ "skillName": "SAME" });
    check(&place, "get_skill", arguments, Some("skill-ambiguous"), text);
}

#[test]
fn get_skill_has_two_descriptions() {
    let description = |place: &Place| {
        let session = place.runtime.open_session().expect("memory takes another session");
        let tools = place.runtime.turn(&session).expect("the session is open").tools();
        tools[0].description.clone()
    };
    let listed = expect![[r#"
        Gets detailed information about an agent skill.
        Available skills:
          - code-review: Reviews code. Use when a change is to be reviewed.
          - test-skill: Runs tests. Use when tests are to be run."#]];
    listed.assert_eq(&description(&Place::of("sandbox")));
    let mut policies = Policies::default();
    policies.tools.surfaces = vec![Surface::GetSkill];
    let plain = expect![
        "Get the instructions of a skill. Do this when the task at hand matches the skill's description, and before you use any of its files or scripts."
    ];
    plain.assert_eq(&description(&Place::with(policies)));
}

/// A worker sees the catalog, reads a skill and applies it.
#[test]
fn worker_reads_a_skill_without_loading_it() {
    let place = Place::of("yodoca");
    let mut agent = Agent::new(&place.runtime);
    let (prompt, read) = agent.succeed("read_skill", json!({ "skill_id": "code-review" }));
    assert!(prompt.contains("code-review"), "the catalog is in the prompt");
    let [Content::Text { text: head }, Content::Text { text: body }] = &read.content[..] else {
        panic!("the content is a head and a body")
    };
    let file = std::fs::read_to_string(place.tree.join("skills/code-review/SKILL.md"));
    let file = file.expect("it is there");
    let tokens = file.chars().count().div_ceil(4);
    let expected = format!(
        "Skill loaded: code-review (approx. {tokens} tokens)\n\
         This skill requires: test-skill. Load it first if you haven't already."
    );
    assert_eq!(*head, expected);
    assert!(body.contains(file.trim_end()), "the whole file is there: {body}");
    assert!(agent.active().is_empty(), "neither it nor what it requires is loaded");
    let arguments = json!({ "skill_id": "code-review", "path": "templates/report.md" });
    let resource = agent.succeed("read_skill_resource", arguments).1;
    assert_eq!(texts(&resource), "# Report\n", "the template that the skill names");
    let second = agent.succeed("read_skill", json!({ "skill_id": "test-skill" })).1;
    assert!(!texts(&second).contains("requires"), "a skill without requirements has no hint");
}

#[test]
fn list_skills_lists_and_filters() {
    let place = Place::of("yodoca");
    let list = |arguments: Value| {
        let answer = Agent::new(&place.runtime).succeed("list_skills", arguments).1;
        let skills = answer.structured.expect("it is data")["skills"].clone();
        let skills = skills.as_array().expect("it is a list").clone();
        skills.into_iter().map(|skill| skill["id"].to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(list(json!({})), r#""code-review" "test-skill""#);
    assert_eq!(list(json!({ "query": "" })), r#""code-review" "test-skill""#);
    assert_eq!(list(json!({ "query": "tests" })), r#""test-skill""#);
    let text = texts(&Agent::new(&place.runtime).succeed("list_skills", json!({})).1);
    assert!(text.contains("Runs tests. Use when tests are to be run."), "{text}");
}

#[test]
fn read_skill_resource_stays_in_the_skill() {
    let place = Place::of("yodoca");
    let outside =
        ["../outside.txt", "templates/../../x", "/etc/passwd", "..\\x", "C:\\x", "\\\\h\\x"];
    for path in outside {
        let arguments = json!({ "skill_id": "code-review", "path": path });
        let text = "Path traversal detected";
        check(&place, "read_skill_resource", arguments, Some("path-escape"), text);
    }
    #[cfg(unix)]
    {
        let link = place.tree.join("skills/code-review/link.txt");
        std::os::unix::fs::symlink(place.tree.join("secret.txt"), link).expect("links are allowed");
        let arguments = json!({ "skill_id": "code-review", "path": "link.txt" });
        let text = "Path traversal detected";
        check(&place, "read_skill_resource", arguments, Some("path-escape"), text);
    }
    let unknown = "Skill 'cod-review' not found. Did you mean 'code-review'?";
    let arguments = json!({ "skill_id": "cod-review", "path": "a" });
    check(&place, "read_skill_resource", arguments, Some("skill-not-found"), unknown);
    let arguments = json!({ "skill_id": "cod-review" });
    check(&place, "read_skill", arguments, Some("skill-not-found"), unknown);
    let file = json!({ "path": "skill://code-review/templates/report.md" });
    check(&place, "read_skill_resource", file, None, "# Report\n");
}

fn with_activate_skill(change: impl FnOnce(&mut Policies)) -> Place {
    let mut policies = Policies::default().with_body_delivery(BodyDelivery::ToolResult);
    policies.tools.surfaces = vec![Surface::ActivateSkill, Surface::Files];
    change(&mut policies);
    Place::with(policies)
}

#[test]
fn activate_skill_lists_the_names_and_wraps_the_body() {
    let place = with_activate_skill(|_| {});
    let session = place.runtime.open_session().expect("memory takes another session");
    let tools = place.runtime.turn(&session).expect("the session is open").tools();
    let names = &tools[0].input_schema["properties"]["name"]["anyOf"][0]["enum"];
    assert_eq!(*names, json!(["code-review", "test-skill"]));
    let mut agent = Agent::new(&place.runtime);
    let text = texts(&agent.succeed("activate_skill", json!({ "name": "code-review" })).1);
    let tag = text.split_whitespace().next().expect("it begins with a tag").trim_start_matches('<');
    let root = place.root("code-review");
    let expected = format!(
        "<{tag} name=\"code-review\">\nCheck names first. See templates/report.md.\n\n\
         Skill directory: {root}\n\
         Relative paths in this skill are relative to the skill directory.\n\
         <skill_resources>\n<file>scripts/count.sh</file>\n<file>templates/report.md</file>\n\
         </skill_resources>\n</{tag}>"
    );
    assert_eq!(text, expected);
    assert_eq!(agent.active(), ["code-review"]);
    agent.succeed("activate_skill", json!({ "name": "test-skill" }));
    assert_eq!(agent.active(), ["code-review", "test-skill"]);
    let unknown = "no skill named `tests-kill`; did you mean `test-skill`?";
    let arguments = json!({ "name": "tests-kill" });
    check(&place, "activate_skill", arguments, Some("skill-not-found"), unknown);
}

#[test]
fn activate_skill_can_return_the_whole_file_and_limits_the_listing() {
    let place = with_activate_skill(|policies| {
        policies.tools.skill_content = SkillContent::File;
        policies.tools.resources_listed = 1;
    });
    let mut agent = Agent::new(&place.runtime);
    let text = texts(&agent.succeed("activate_skill", json!({ "name": "code-review" })).1);
    assert!(text.contains("requires: [test-skill]"), "the frontmatter is there: {text}");
    assert!(text.contains("There are more files than these."), "the listing is cut: {text}");
    assert!(!text.contains("templates/report.md</file>"), "{text}");
}

#[test]
fn activate_skill_leaves_the_body_to_the_prompt() {
    let place = with_activate_skill(|policies| {
        policies.delivery.bodies = BodyDelivery::Instructions;
        policies.delivery.show_location = ShowLocation::Virtual;
    });
    let mut agent = Agent::new(&place.runtime);
    let answer = agent.succeed("activate_skill", json!({ "name": "code-review" })).1;
    assert!(!texts(&answer).contains("Check names first"), "the receipt has no body");
    assert!(texts(&answer).contains("\"skill://code-review/SKILL.md\""), "the location is virtual");
    assert!(agent.prompt().contains("Check names first"), "the prompt has it");
}

#[test]
fn combined_surfaces_share_the_session() {
    let mut policies = Policies { name_style: NameStyle::Dot, ..Policies::default() };
    policies.tools.surfaces = vec![
        Surface::Skill,
        Surface::Skills,
        Surface::Files,
        Surface::Skill,
        Surface::GetSkill,
        Surface::ReadSkill,
        Surface::ActivateSkill,
    ];
    let place = Place::with(policies);
    let tools = place.tools();
    let different: BTreeSet<_> = tools.iter().collect();
    assert_eq!(different.len(), tools.len(), "no tool is there twice: {tools:?}");
    let mut agent = Agent::new(&place.runtime);
    agent.succeed("skill", json!({ "skill_name": "code-review" }));
    agent.succeed("activate_skill", json!({ "name": "test-skill" }));
    assert_eq!(agent.active(), ["code-review", "test-skill"]);
    agent.succeed("skills.unload", json!({ "names": ["code-review"] }));
    agent.succeed("skill", json!({ "skill_name": "test-skill", "action": "deactivate" }));
    assert!(agent.active().is_empty());
}

/// A host loads skills for its user under every surface.
#[test]
fn tools_of_the_host_are_not_offered() {
    for preset in ["omniforge", "sandbox", "yodoca"] {
        let place = Place::of(preset);
        let offered = place.tools();
        assert!(!offered.contains(&"skills_load".to_owned()), "{preset}: {offered:?}");
        let mut agent = Agent::new(&place.runtime);
        let loaded = texts(&agent.load(&["test-skill"], "add").1);
        assert!(loaded.contains("Run them all."), "{preset}: {loaded}");
    }
    let unknown = "no tool named `skills_lod`; call one of those that you were given";
    check(&Place::of("omniforge"), "skills_lod", json!({}), Some("unknown-tool"), unknown);
    let unknown = "no tool named `skills_lod`; did you mean `skills_load`?";
    check(&Place::of("standard"), "skills_lod", json!({}), Some("unknown-tool"), unknown);
    let mut policies = Policies::default();
    policies.tools.surfaces = Vec::new();
    let place = Place::with(policies);
    let arguments = json!({ "names": ["test-skill"] });
    let unknown = "no tool named `skills_load`; call one of those that you were given";
    check(&place, "skills_load", arguments, Some("unknown-tool"), unknown);
}

/// Only `skills.load` has an argument `mode`.
#[test]
fn report_of_a_changed_skill_names_the_tool_that_there_is() {
    let report = |preset, tool, arguments: Value| {
        let mut policies = Policies::preset(preset).expect("there is one");
        policies.session.on_change = prowess::session::OnChange::Notify;
        let place = Place::with(policies);
        let mut agent = Agent::new(&place.runtime);
        agent.succeed(tool, arguments);
        let text = "---\nname: test-skill\ndescription: New. Use it.\n---\nOther\n";
        place.tree.write("skills/test-skill/SKILL.md", text);
        place.runtime.reload();
        let (prompt, answer) = agent.turn("unknown", json!({}));
        let all = format!("{prompt}{}", texts(&answer));
        let start = all.find("These loaded skills have changed").expect("the change is reported");
        all[start..].lines().next().unwrap_or_default().to_owned()
    };
    let changed = "These loaded skills have changed since they were loaded: `test-skill`. To have \
                   one as it is now,";
    assert_eq!(
        report("omniforge", "skill", json!({ "skill_name": "test-skill" })),
        format!("{changed} deactivate it if there is a way to, then call `skill` with its name."),
    );
    let load = json!({ "names": ["test-skill"] });
    assert_eq!(
        report("flexigpt", "skills-load", load),
        format!(
            "{changed} unload it, then call `skills-load` with its name, and with `mode` `add` to \
             keep the others."
        ),
    );
}

/// A host that has an interface for its tools takes skills as one more type of tool.
#[test]
fn tools_fit_into_the_interface_of_a_host() {
    /// The tools of the host, of whatever type.
    trait HostTool {
        fn name(&self) -> &str;
        fn tool_type(&self) -> ToolType;
        fn execute(&self, arguments: Value) -> Result<String, String>;
    }

    struct Clock;

    impl HostTool for Clock {
        fn name(&self) -> &'static str {
            "clock"
        }

        fn tool_type(&self) -> ToolType {
            ToolType::Function
        }

        fn execute(&self, _: Value) -> Result<String, String> {
            Ok("noon".to_owned())
        }
    }

    struct Adapter<'t> {
        turn: &'t Turn,
        definition: ToolDefinition,
    }

    impl HostTool for Adapter<'_> {
        fn name(&self) -> &str {
            &self.definition.name
        }

        fn tool_type(&self) -> ToolType {
            self.turn.tool_info(self.name()).expect("it is a tool of the turn").tool_type
        }

        fn execute(&self, arguments: Value) -> Result<String, String> {
            let result = self.turn.call(&ToolCall::new(self.name(), arguments)).result;
            if result.is_error { Err(texts(&result)) } else { Ok(texts(&result)) }
        }
    }

    let place = Place::of("omniforge");
    let session = place.runtime.open_session().expect("memory takes another session");
    let turn = place.runtime.turn(&session).expect("the session is open");
    let mut tools: Vec<Box<dyn HostTool + '_>> = vec![Box::new(Clock)];
    for definition in turn.tools() {
        tools.push(Box::new(Adapter { turn: &turn, definition }));
    }
    let types: Vec<_> = tools.iter().map(|tool| (tool.name(), tool.tool_type())).collect();
    assert_eq!(types, [("clock", ToolType::Function), ("skill", ToolType::Skill)]);
    let loaded = tools[1].execute(json!({ "skill_name": "test-skill" })).expect("it is a skill");
    assert!(loaded.contains("Run them all."), "{loaded}");
    assert_eq!(tools[1].execute(json!({})), Err("skill_name is required".to_owned()));
    assert_eq!(tools[0].execute(json!({})).as_deref(), Ok("noon"));
}

/// A gate of reads that is set is in force for every surface.
#[test]
fn read_gate_applies_to_surfaces_that_load_nothing() {
    let mut policies = Policies::default();
    policies.tools.surfaces = vec![Surface::GetSkill, Surface::ReadSkill];
    policies.tools.read_gate = Some(prowess::tools::ReadGate::Active);
    let place = Place::with(policies);
    let refused = "skill `test-skill` is not active; load it, then read";
    let arguments = json!({ "skill_id": "test-skill" });
    check(&place, "read_skill", arguments, Some("skill-not-active"), refused);
    let refused = format!("{{\"error\":\"{refused}\"}}");
    let arguments = json!({ "skillName": "test-skill" });
    check(&place, "get_skill", arguments, Some("skill-not-active"), &refused);
}

#[test]
fn users_activate_skills_by_name() {
    for (preset, tool) in
        [("standard", "skills_load"), ("omniforge", "skill"), ("yodoca", "read_skill")]
    {
        let place = Place::of(preset);
        let open = || {
            let session = place.runtime.open_session().expect("memory takes another session");
            place.runtime.turn(&session).expect("the session is open")
        };
        let turn = open();
        for message in ["/code-review the last commit", " $code-review\nthe last commit"] {
            let turn = open();
            let (call, rest) = turn.explicit_activation(message).expect("it names a skill");
            assert_eq!((&*call.name, rest), (tool, "the last commit"), "{preset}");
            assert!(!turn.call_as_user(&call).result.is_error, "{preset}: {call:?}");
        }
        for message in ["/etc/passwd is a file", "$5 please", "code-review", "", "/", "/unknown x"]
        {
            assert_eq!(turn.explicit_activation(message), None, "{message:?} is a message");
        }
        let ids = |prefix| {
            let found = turn.completions(prefix, 10);
            found.iter().map(|record| record.id().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(ids(""), ["code-review", "test-skill"]);
        assert_eq!(ids("Test"), ["test-skill"]);
        assert_eq!(turn.completions("", 1).len(), 1);
    }
}

/// A skill that is hidden from models is offered to users, and the other way around.
#[test]
fn completions_are_those_that_a_user_may_load() {
    let place = Place::with(Policies::default());
    let flags =
        [("by-user", "disable-model-invocation: true"), ("by-model", "user-invocable: false")];
    for (name, flag) in flags {
        let text = format!("---\nname: {name}\ndescription: One. Use it.\n{flag}\n---\nBody\n");
        place.tree.write(&format!("skills/{name}/SKILL.md"), text);
    }
    place.runtime.reload();
    let session = place.runtime.open_session().expect("memory takes another session");
    let turn = place.runtime.turn(&session).expect("the session is open");
    let found: Vec<_> = turn.completions("by", 10).iter().map(Record::id).collect();
    assert_eq!(found, ["by-user"]);
    let (call, _) = turn.explicit_activation("/by-user").expect("it is a skill");
    assert!(!turn.call_as_user(&call).result.is_error);
    let (call, _) = turn.explicit_activation("/by-model").expect("the call has the reason");
    assert!(turn.call_as_user(&call).result.is_error);
}

#[test]
fn directories_of_loaded_skills_may_be_read() {
    let place = Place::with(Policies::default());
    let session = place.runtime.open_session().expect("memory takes another session");
    let turn = place.runtime.turn(&session).expect("the session is open");
    assert!(turn.skill_directories().expect("the session is open").is_empty());
    let (call, _) = turn.explicit_activation("/code-review").expect("it is a skill");
    turn.call_as_user(&call);
    let directories = turn.skill_directories().expect("the session is open");
    assert_eq!(directories, [place.tree.join("skills/code-review")]);
}

/// Runs a call through the wire format of a vendor, from the definitions to the message with the
/// result.
#[test]
fn vendors_call_the_tools() {
    for preset in ["standard", "flexigpt", "omniforge", "boxxy", "sandbox", "yodoca"] {
        let place = Place::of(preset);
        let open = || {
            let session = place.runtime.open_session().expect("memory takes another session");
            place.runtime.turn(&session).expect("the session is open")
        };
        let tools = open().tools();
        for tool in &tools {
            let strict = strict_schema(&tool.input_schema);
            assert!(strict.is_some(), "{preset}: `{}` is strict", tool.name);
        }
        for format in WireFormat::ALL {
            let turn = open();
            let (call, _) = turn.explicit_activation("/test-skill").expect("it is a skill");
            let message = format.call("call-1", &call);
            let received = format.calls(&message, &tools).remove(0);
            let call = received.call.as_ref().expect("the arguments are JSON");
            let result = turn.call(call).result;
            assert!(!result.is_error, "{preset}, {format:?}: {result:?}");
            let answer = format.result(&received, &result).to_string();
            assert!(answer.contains("call-1"), "{preset}, {format:?}: {answer}");
            assert!(answer.contains("test-skill"), "{preset}, {format:?}: {answer}");
        }
    }
}
