//! The tools of each preset, as a model calls them.

mod users;

use std::sync::Arc;

use expect_test::expect;
use prowess::format::Profile;
use prowess::prompt::CatalogPlace;
use prowess::tools::Surface;
use prowess::vendor::{WireFormat, strict_schema};
use prowess::{Content, Layer, Policies, Runtime, ToolCall, ToolResult, Trust, Turn};
use prowess_testkit::{ShellRunner, Tree};
use serde_json::{Value, json};

use crate::dynamic;
use crate::scripted::Agent;

const SHELF: &str = include_str!("../data/surfaces.txt");

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

    /// Starts a turn of a new session.
    fn turn(&self) -> Turn {
        let session = self.runtime.open_session().expect("memory takes another session");
        self.runtime.turn(&session).expect("the session is open")
    }

    fn tools(&self) -> Vec<String> {
        self.turn().tools().into_iter().map(|tool| tool.name).collect()
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
fn prompts_name_the_tool_of_the_surface() {
    for (surface, tool) in
        [("four_tools", "skills_load"), ("skill", "skill"), ("read_skill", "read_skill")]
    {
        let policies = Policies::from_yaml(&format!("tools: {{ surfaces: [{surface}] }}"));
        let place = Place::with(policies.expect("it is a surface"));
        let prompt = Agent::new(&place.runtime).prompt();
        assert!(prompt.contains(&format!("call `{tool}` with")), "{surface}: {prompt}");
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
fn each_further_surface_is_that_of_its_document() {
    let mut policies = Policies::default();
    policies.tools.surfaces = vec![Surface::Skills, Surface::Skill, Surface::ReadSkill];
    let place = Place::with(policies);
    let turn = place.turn();
    let description = |turn: &Turn, name: &str| {
        let tool = turn.tools().into_iter().find(|tool| tool.name == name);
        tool.map(|tool| tool.description).unwrap_or_default()
    };
    let text = turn.prompt().whole_text().into_owned();
    assert!(text.contains("<name>test-skill</name>"), "the first one has its place: {text}");
    assert!(!description(&turn, "skills_load").contains("test-skill"));
    for (tool, list) in [("skill", "\n\"test-skill\": "), ("read_skill", "• `test-skill` — ")] {
        let text = description(&turn, tool);
        assert!(text.contains(list), "{tool}: {text}");
    }
    assert!(description(&turn, "read_skill").contains("Use read_skill("), "it names its own tool");
    let call = |tool: &str, arguments| texts(&turn.call(&ToolCall::new(tool, arguments)).result);
    let loaded = call("skills_load", json!({ "names": ["code-review"] }));
    assert!(!loaded.contains("Check names first"), "the body is in the instructions: {loaded}");
    let activated = call("skill", json!({ "skill_name": "test-skill" }));
    assert!(activated.contains("Run them all."), "the body is in the result: {activated}");
    let only = turn.for_surfaces(&[Surface::Skill]);
    let names: Vec<_> = only.tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["skill"]);
    let text = only.prompt().text.clone();
    assert!(text.is_empty(), "its document has no text in front of a conversation: {text}");
}

#[test]
fn text_about_another_surface_is_not_for_a_client() {
    let mut policies = Policies::preset("enterprise-layers").expect("it is a preset");
    policies.tools.surfaces = vec![Surface::GetSkill, Surface::Skill, Surface::Skills];
    let place = Place::with(policies);
    let turn = |surface| place.turn().for_surfaces(&[surface]);
    let text = |surface| turn(surface).prompt().whole_text().into_owned();
    assert!(text(Surface::Skill).contains("`base_path`"), "these are its blocks");
    let other = text(Surface::GetSkill);
    assert!(!other.contains("`base_path`"), "{other}");
    let load = |turn: &Turn| turn.load_call("test-skill").expect("a tool loads it").name;
    assert_eq!(load(&turn(Surface::Skills)), "skills_load", "the tool of the client");
    assert_eq!(load(&place.turn()), "skill", "one that makes the skill active");
    let mut policies = Policies::preset("one-directory").expect("it is a preset");
    policies.tools.surfaces = vec![Surface::ReadSkill, Surface::GetSkill];
    let place = Place::with(policies);
    let turn = place.turn();
    for (tool, key, is_file) in
        [("read_skill", "skill_id", true), ("get_skill", "skillName", false)]
    {
        let content = texts(&turn.call(&ToolCall::new(tool, json!({ key: "test-skill" }))).result);
        assert_eq!(content.contains("name: test-skill"), is_file, "{tool}: {content}");
    }
}

/// The blocks, the list and its place are written twice, since a host may have no parser of presets.
#[test]
fn documents_of_surfaces_are_their_presets() {
    for (preset, surface) in [
        ("enterprise-layers", Surface::Skill),
        ("mounted", Surface::GetSkill),
        ("directory-ids", Surface::ReadSkill),
    ] {
        let shown = |mut policies: Policies, surfaces: [Surface; 2], surface| {
            policies.tools.surfaces = surfaces.to_vec();
            policies.proposals.directory = None;
            let turn = Place::with(policies).turn().for_surfaces(&[surface]);
            let tools = turn.tools().into_iter().map(|it| it.description).collect::<Vec<_>>();
            (turn.prompt().whole_text().into_owned(), tools)
        };
        let first = [surface, Surface::Skills];
        let of_preset = Policies::preset(preset).expect("it is a preset");
        let (text, _) = shown(of_preset.clone(), first, Surface::Skills);
        assert!(text.contains("loading is required"), "{preset} has other blocks: {text}");
        let (text, tools) = shown(of_preset, first, surface);
        let further = shown(Policies::default(), [Surface::Skills, surface], surface);
        let text = if surface == Surface::Skill { String::new() } else { text };
        assert_eq!(further, (text, tools), "{preset}");
    }
}

#[test]
fn each_client_has_the_words_of_its_document() {
    let yaml = "{ tools: { surfaces: [skills, four_tools, skill, read_skill] } }";
    let policies = Policies::from_yaml(yaml).expect("they are surfaces");
    let mut short = policies.clone();
    short.prompt.catalog_place = CatalogPlace::ToolDescription;
    short.prompt.max_characters = Some(1024);
    for (policies, most) in [(policies, usize::MAX), (short, 1024)] {
        let place = Place::with(policies);
        let turn = |surface| place.turn().for_surfaces(&[surface]);
        let skill = turn(Surface::Skill);
        let words = &skill.tools()[0].description;
        assert!(words.starts_with("Execute specialized skills") && words.len() <= most, "{words}");
        let parts = ["IMMEDIATELY invoke", "\"test-skill\": "];
        assert!(parts.iter().all(|part| words.contains(part)), "{words}");
        assert_eq!(skill.prompt().whole_text(), "", "its list is in the description alone");
        let read = turn(Surface::ReadSkill);
        let text = read.prompt().whole_text().into_owned();
        assert!(text.contains("[Available Skills]") && !text.contains("loading is"), "{text}");
        let tools = read.tools();
        assert!(!tools.iter().any(|it| it.description.contains("test-skill")), "once: {tools:?}");
        let call = ToolCall::new("read_skill", json!({ "skill_id": "test-skill" }));
        let whole = texts(&read.call(&call).result);
        assert!(whole.contains("name: test-skill") && whole.contains("Run them all."), "{whole}");
        // The name of a tool that another surface has under another one.
        let call = ToolCall::new("skills_run_script", json!({ "path": "scripts/x.sh" }));
        let code = turn(Surface::FourTools).call(&call).result.code;
        assert_ne!(code.expect("there is no runner").as_str(), "unknown-tool");
    }
}

/// The tool that runs scripts has the name of each client's document.
#[test]
fn tool_has_a_name_for_each_client() {
    let yaml = "{ tools: { surfaces: [skills, four_tools] } }";
    let policies = Policies::from_yaml(yaml).expect("they are surfaces");
    let tree = Tree::new(SHELF);
    let runtime = dynamic::builder().policies(policies);
    let runtime = runtime.skills_directory("user", tree.join("skills"));
    let runtime = runtime.script_runner(Arc::new(ShellRunner)).build().expect("they fit together");
    let session = runtime.open_session().expect("memory takes another session");
    for (surface, name) in
        [(Surface::Skills, "skills_run"), (Surface::FourTools, "skills_run_script")]
    {
        let turn = runtime.turn(&session).expect("the session is open").for_surfaces(&[surface]);
        assert_eq!(turn.tools().last().map(|tool| &*tool.name), Some(name));
    }
}

#[test]
fn host_learns_the_type_and_the_time_of_a_tool() {
    let turn = Place::of("omniforge").turn();
    let info = serde_json::to_value(turn.tool_info("skill")).expect("it is data");
    assert_eq!(info, json!({ "type": "SKILL", "timeout_ms": 30_000 }));
    assert_eq!(turn.tool_info("skills"), None, "there is no such tool");
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

#[test]
fn description_without_a_catalog_says_when_to_call() {
    let mut policies = Policies::default();
    policies.tools.surfaces = vec![Surface::GetSkill];
    let plain = expect![
        "Gets detailed information about an agent skill. Do this when the task at hand matches the skill's description, and before you use any of its files or scripts."
    ];
    plain.assert_eq(&Place::with(policies).turn().tools()[0].description);
}

/// Runs a call through the wire format of a vendor, from the definitions to the message with the
/// result.
#[test]
fn vendors_call_the_tools() {
    for preset in ["standard", "flexigpt", "omniforge", "boxxy", "sandbox", "yodoca"] {
        let place = Place::of(preset);
        let tools = place.turn().tools();
        for tool in &tools {
            let strict = strict_schema(&tool.input_schema);
            assert!(strict.is_some(), "{preset}: `{}` is strict", tool.name);
        }
        for format in WireFormat::ALL {
            let turn = place.turn();
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
