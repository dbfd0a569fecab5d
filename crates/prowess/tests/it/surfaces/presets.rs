//! The tools of each preset, and their combinations.

use std::collections::BTreeSet;

use prowess::tools::{NameStyle, Surface};
use prowess::vendor::{WireFormat, strict_schema};
use prowess::{Policies, ToolCall, ToolDefinition, ToolType, Turn};
use serde_json::{Value, json};

use super::{Place, check, texts};
use crate::scripted::Agent;

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
