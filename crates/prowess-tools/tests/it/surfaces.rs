//! The surfaces: descriptions, schemas, and what a call names.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use prowess_core::{
    Catalog, Clock, DeliveryPolicy, Proposal, ProposalError, ProposalStore, Session, ShowLocation,
    ToolCall, ToolProvider,
};
use prowess_tools::{SkillTools, Surface, ToolNaming, ToolPolicy, Toolbox};
use serde_json::{Value, json};

use crate::fixture::{Host, Setup, text};

const ALL: [Surface; 7] = [
    Surface::Skills,
    Surface::Files,
    Surface::Skill,
    Surface::GetSkill,
    Surface::Shell,
    Surface::ReadSkill,
    Surface::ActivateSkill,
];

fn policy(surfaces: &[Surface]) -> ToolPolicy {
    ToolPolicy { surfaces: surfaces.to_vec(), ..ToolPolicy::default() }
}

fn host(surfaces: &[Surface]) -> Host {
    Host::by(policy(surfaces))
}

#[test]
fn surfaces_add_up_without_repetition() {
    let names = |surfaces: &[Surface]| {
        let tools = SkillTools::new(policy(surfaces), DeliveryPolicy::default()).tools();
        let names = tools.iter().map(|tool| tool.definition(&Catalog::empty()).name);
        names.collect::<Vec<_>>().join(" ")
    };
    let skills = "skills.load skills.unload skills.read skills.list skills.search skills.describe \
                  skills.run";
    for (surfaces, expected) in [
        (&[][..], ""),
        (&[Surface::Skills], skills),
        (&[Surface::Skills, Surface::Files, Surface::Skills], skills),
        (&[Surface::Files], "skills.read skills.list skills.search skills.load skills.unload"),
        (
            &[Surface::GetSkill],
            "get_skill skills.list skills.search skills.load skills.unload skills.read",
        ),
        (
            &[Surface::ReadSkill],
            "list_skills read_skill read_skill_resource propose_skill_update skills.load \
             skills.unload skills.read",
        ),
    ] {
        assert_eq!(names(surfaces), expected, "{surfaces:?}");
    }
}

#[test]
fn every_tool_is_described_with_its_schema() {
    for surface in ALL {
        let host = host(&[surface]);
        let tools = SkillTools::new(policy(&[surface]), DeliveryPolicy::default()).tools();
        for tool in tools {
            let definition = tool.definition(&host.catalog);
            let name = &definition.name;
            let is_sentence = definition.description.len() > 30
                && (definition.description.contains("skill") || name == "sandbox_execute");
            assert!(is_sentence, "{name}: {}", definition.description);
            let is_advice = [" when ", "When "].map(|word| definition.description.contains(word));

            assert!(
                is_advice != [false; 2] || name == "sandbox_execute",
                "{name} says when to use it"
            );
            for schema in [&definition.input_schema, &*tool.accepts(&host.catalog)] {
                assert_eq!(schema["type"], "object", "{name}");
                assert_eq!(schema["additionalProperties"], false, "{name}");
            }
        }
    }
}

/// Returns the skills and the file that a call of a tool names, as the audit has them.
fn named(surface: Surface, tool: &str, arguments: Value) -> (Vec<String>, Option<String>) {
    let host = host(&[surface]);
    host.call(tool, arguments);
    let intent = host.audit.events().pop().expect("each call is audited").intent;
    (intent.skills.into_iter().map(|skill| skill.typed).collect(), intent.resource)
}

#[test]
fn calls_name_their_skills_and_files() {
    let alpha = |field: &str| json!({ field: "alpha" });
    let file = |field: &str| json!({ field: "alpha", "path": "other.txt" });
    let update = json!({ "skill_id": "alpha", "diff": "+more", "justification": "It is missing." });
    // Tools that are not listed name them like the listed ones.
    let both = json!({ "names": ["alpha", "beta"] });
    for (surface, tool, arguments, skills) in [
        (Surface::ActivateSkill, "activate_skill", alpha("name"), "alpha"),
        (Surface::GetSkill, "get_skill", alpha("skillName"), "alpha"),
        (Surface::Skill, "skill", alpha("skill_name"), "alpha"),
        (Surface::ReadSkill, "read_skill", alpha("skill_id"), "alpha"),
        (Surface::ReadSkill, "read_skill_resource", file("skill_id"), "alpha"),
        (Surface::ReadSkill, "propose_skill_update", update, "alpha"),
        (Surface::Skill, "skills_load", both, "alpha beta"),
        (Surface::Skill, "skills_read", file("skill"), "alpha"),
        (Surface::Skills, "skills_unload", json!({ "names": ["alpha"] }), "alpha"),
        (Surface::Skills, "skills_describe", alpha("skill"), "alpha"),
        (Surface::Skills, "skills_run", file("skill"), "alpha"),
        (Surface::Skills, "skills_list", json!({ "limit": 1 }), ""),
        (Surface::Skills, "skills_search", alpha("query"), ""),
    ] {
        let resource = arguments["path"].as_str().map(str::to_owned);
        let skills = skills.split_whitespace().map(str::to_owned).collect();
        assert_eq!(named(surface, tool, arguments), (skills, resource), "{tool}");
    }
}

#[test]
fn run_concerns_the_skill_of_its_script() {
    let host = host(&[Surface::Skills]);
    host.done("skills_load", json!({ "names": ["alpha", "beta"] }));
    let subject = |arguments: Value| {
        let subject = host.toolbox.subject(&host.context(), "skills_run", &arguments);
        subject.map(|record| record.id().to_owned())
    };
    let alpha = Some("alpha".to_owned());
    assert_eq!(subject(json!({ "skill": "alpha", "path": "run.sh" })), alpha);
    assert_eq!(subject(json!({ "skill": " ", "path": "run.sh" })), Some("beta".to_owned()));
    assert_eq!(subject(json!({ "skill": "pdf-processing", "path": "run.sh" })), None);
    assert_eq!(subject(json!({ "path": "skill://alpha/run.sh" })), alpha);
}

#[test]
fn tools_have_the_time_that_they_need() {
    let host = host(&[Surface::Skills, Surface::Shell, Surface::Skill]);
    let time = |name: &str| host.toolbox.info(name).and_then(|info| info.timeout_ms);
    assert_eq!(time("sandbox_execute"), Some(600_000));
    let run = ToolPolicy::default().script_seconds * 1000;
    assert_eq!(time("skills_run"), Some(run));
    for name in ["skills_load", "skills_list", "skill"] {
        assert!(time(name).is_some_and(|time| time >= 1000), "{name}: {:?}", time(name));
    }
}

#[test]
fn shown_schemas_say_what_a_call_should_have() {
    let schema = |surface: Surface, name: &str| {
        let host = host(&[surface]);
        let definitions = host.toolbox.definitions(&host.catalog);
        let shown = definitions.into_iter().find(|definition| definition.name == name);
        shown.expect("the tool is offered").input_schema
    };
    let skill = schema(Surface::Skill, "skill");
    assert_eq!(skill["required"], json!(["skill_name"]));
    assert_eq!(skill["properties"]["action"]["enum"], json!(["activate", "deactivate"]));
    let order: Vec<_> = skill.as_object().expect("it is an object").keys().collect();
    assert_eq!(order, ["type", "properties", "required", "additionalProperties"]);
    let resource = schema(Surface::ReadSkill, "read_skill_resource");
    assert_eq!(resource["required"], json!(["skill_id", "path"]));
    let names = &schema(Surface::ActivateSkill, "activate_skill")["properties"]["name"];
    assert_eq!(names["enum"], json!(["alpha", "beta", "pdf-processing"]));
    assert!(schema(Surface::ReadSkill, "list_skills")["properties"]["query"].is_object());
}

#[test]
fn activation_names_the_preferences_of_the_skill() {
    let policy = ToolPolicy { surfaces: vec![Surface::Skill], ..ToolPolicy::default() };
    let skill = "---\nname: alpha\ndescription: Does it.\ncontext: fork\nagent: reviewer\nmodel: \
                 small\n---\nBody\n";
    let setup = Setup { policy, ..Setup::default() };
    let host = Host::with(setup, &[("alpha/SKILL.md", skill.as_bytes())]);
    let answer = host.done("skill", json!({ "skill_name": "alpha" }));
    let value = answer.result.structured.expect("it is data");
    let found = ["status", "context", "agent", "model"].map(|field| value[field].clone());
    assert_eq!(found, ["activated", "fork", "reviewer", "small"]);
    assert_eq!(answer.result.fork, None, "this host runs no sessions of their own");
}

#[test]
fn shell_and_proposals_are_offered_if_the_host_has_them() {
    let host = host(&[Surface::Shell, Surface::ReadSkill]);
    let definitions = host.toolbox.definitions(&host.catalog);
    let names: Vec<_> = definitions.iter().map(|definition| &*definition.name).collect();
    assert_eq!(names, ["list_skills", "read_skill", "read_skill_resource"]);
    let diff = json!({ "skill_id": "alpha", "diff": "+more", "justification": "It is missing." });
    let answer = host.call("propose_skill_update", diff);
    assert!(text(&answer).contains("proposals are not enabled here"), "{}", text(&answer));
    let answer = host.call("sandbox_execute", json!({ "command": "ls" }));
    assert!(text(&answer).contains("there is no sandbox here"), "{}", text(&answer));
}

#[test]
fn long_list_says_that_there_are_more() {
    for (count, has_note) in [(200, false), (201, true)] {
        let host = Host::of_many(policy(&[Surface::ReadSkill]), count);
        let answer = host.done("list_skills", json!({})).result.structured;
        let answer = answer.expect("the answer is data");
        assert_eq!(answer["note"].is_string(), has_note, "{count}");
        assert_eq!(answer["skills"].as_array().map(Vec::len), Some(count.min(200)));
        let few = host.done("list_skills", json!({ "query": "skill-00001" })).result.structured;
        assert!(few.expect("the answer is data")["note"].is_null(), "they are all there");
    }
}

/// Keeps the skill and the evidence of each proposal.
#[derive(Default)]
struct Kept(Mutex<Vec<(String, Option<String>)>>);

impl ProposalStore for Kept {
    fn submit(&self, proposal: &Proposal<'_>) -> Result<String, ProposalError> {
        let kept = (proposal.skill.to_owned(), proposal.evidence.map(str::to_owned));
        self.0.lock().expect("no test panics here").push(kept);
        Ok("proposal-1".to_owned())
    }
}

#[test]
fn proposal_has_a_change_and_a_reason() {
    let store = Arc::new(Kept::default());
    let tools = SkillTools::new(policy(&[Surface::ReadSkill]), DeliveryPolicy::default());
    let builder = Toolbox::builder(ToolNaming::default()).provider(&tools.proposals(store.clone()));
    let toolbox = builder.build().expect("the tools fit together");
    let host = host(&[Surface::ReadSkill]);
    let definitions = toolbox.definitions(&host.catalog);
    assert!(definitions.iter().any(|definition| definition.name == "propose_skill_update"));
    for (diff, reason, evidence, code) in [
        ("no change", "It is missing.", "", Some("invalid-arguments")),
        ("+more", " ", "", Some("invalid-arguments")),
        ("-less", "It is wrong.", " ", None),
        ("@@\n+more", "It is missing.", "Seen twice.", None),
    ] {
        let arguments = json!({
            "skill_id": "alpha", "diff": diff, "justification": reason, "evidence": evidence,
        });
        let answer =
            toolbox.dispatch(&host.context(), &ToolCall::new("propose_skill_update", arguments));
        assert_eq!(crate::fixture::code(&answer), code, "{diff}: {}", text(&answer));
    }
    let kept = store.0.lock().expect("no test panics here");
    let evidence = Some("Seen twice.".to_owned());
    assert_eq!(*kept, [("alpha".to_owned(), None), ("alpha".to_owned(), evidence)]);
}

#[test]
fn every_surface_offers_proposals() {
    for surface in [Surface::Skills, Surface::Skill, Surface::GetSkill, Surface::ReadSkill] {
        let tools = SkillTools::new(policy(&[surface]), DeliveryPolicy::default());
        let builder = Toolbox::builder(ToolNaming::default());
        let builder = builder.provider(&tools.proposals(Arc::new(Kept::default())));
        let toolbox = builder.build().expect("the tools fit together");
        let definitions = toolbox.definitions(&host(&[surface]).catalog);
        let proposes = |it: &&prowess_core::ToolDefinition| it.name == "propose_skill_update";
        assert_eq!(definitions.iter().filter(proposes).count(), 1, "{surface:?}");
    }
}

#[test]
fn skill_that_is_loaded_again_has_the_time_of_that_load() {
    let host = host(&[Surface::Skills]);
    host.done("skills_load", json!({ "names": ["alpha"] }));
    host.done("skills_unload", json!({ "all": true }));
    host.clock.advance(Duration::from_secs(5));
    host.done("skills_load", json!({ "names": ["alpha"] }));
    let active = &host.session.state().expect("the session is open").active[0];
    let now = host.clock.now();
    assert_eq!((active.loaded_at, active.activated_at), (now, now));
}

#[test]
fn mount_path_shows_no_path_of_the_host_unless_the_policy_does() {
    for (show_location, path) in
        [(ShowLocation::Absolute, "memory://shelf/alpha"), (ShowLocation::None, "skill://alpha")]
    {
        let delivery = DeliveryPolicy { show_location, ..DeliveryPolicy::default() };
        let policy = policy(&[Surface::GetSkill]);
        let host = Host::new(Setup { policy, delivery, ..Setup::default() });
        let answer = host.done("get_skill", json!({ "skillName": "alpha" }));
        let value = answer.result.structured.expect("the result is data");
        assert_eq!(value["mountPath"], path);
    }
}
