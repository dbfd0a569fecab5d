//! An agent that knows nothing of skills, and gets them as one of its own extensions.

use std::sync::Arc;
use std::time::Duration;

use prowess::session::SessionHandle;
use prowess::{Content, Policies, Proposal, ProposalError, ProposalStore, Runtime, ToolCall};
use prowess_testkit::{ManualClock, Tree};
use serde_json::{Value, json};

const SHELF: &str = include_str!("../data/host-extension.txt");

/// The interface of the agent for its extensions. It has no type of this library.
trait Extension {
    fn context(&self) -> String;
    fn tools(&self) -> Vec<String>;
    fn call(&self, tool: &str, arguments: &Value) -> String;
}

/// The agent.
#[derive(Default)]
struct Agent(Vec<Box<dyn Extension>>);

impl Agent {
    fn prompt(&self) -> String {
        let contexts = self.0.iter().map(|extension| extension.context());
        ["You are an agent.".to_owned()].into_iter().chain(contexts).collect::<Vec<_>>().join("\n")
    }

    fn tools(&self) -> Vec<String> {
        self.0.iter().flat_map(|extension| extension.tools()).collect()
    }

    fn call(&self, tool: &str, arguments: &Value) -> Option<String> {
        let extension = self.0.iter().find(|it| it.tools().iter().any(|name| name == tool))?;
        Some(extension.call(tool, arguments))
    }
}

/// Skills as an extension of that agent.
struct Skills {
    runtime: Runtime,
    session: SessionHandle,
}

impl Skills {
    fn turn(&self) -> prowess::Turn {
        self.runtime.turn(&self.session).expect("the session is open")
    }
}

impl Extension for Skills {
    fn context(&self) -> String {
        let prompt = self.turn().prompt();
        let context = prompt.context.as_ref().map_or("", |block| &*block.text);
        format!("{}{context}", prompt.text)
    }

    fn tools(&self) -> Vec<String> {
        self.turn().tools().into_iter().map(|tool| tool.name).collect()
    }

    fn call(&self, tool: &str, arguments: &Value) -> String {
        let result = self.turn().call(&ToolCall::new(tool, arguments.clone())).result;
        let text = |content| match content {
            Content::Text { text } => text,
            Content::Blob { .. } => String::new(),
        };
        result.content.into_iter().map(text).collect()
    }
}

#[test]
fn skills_are_an_extension_of_an_agent() {
    let tree = Tree::new(SHELF);
    let clock = Arc::new(ManualClock::default());
    let yaml = "{ preset: yodoca, refresh: { mode: ttl, ttl_seconds: 5, cool_down_seconds: 0 } }";
    let policies = Policies::from_yaml(yaml).expect("the policies are good");
    let layer = policies.layers.last().map_or("user".to_owned(), |layer| layer.name.to_string());
    let builder = Runtime::builder().policies(policies).clock(clock.clone());
    let runtime = builder.skills_directory(&layer, tree.path()).build();
    let runtime = runtime.expect("the runtime is complete");
    let session = runtime.open_session().expect("the store is in memory");

    let mut agent = Agent::default();
    assert_eq!(agent.prompt(), "You are an agent.");
    assert!(agent.call("read_skill", &json!({})).is_none(), "it has no tool");

    agent.0.push(Box::new(Skills { runtime, session }));
    let tools = ["list_skills", "read_skill", "read_skill_resource", "propose_skill_update"];
    assert_eq!(agent.tools(), tools);
    let prompt = agent.prompt();
    assert!(prompt.starts_with("You are an agent.\n"), "{prompt}");
    assert!(prompt.contains("notes") && prompt.contains("Takes notes."), "{prompt}");
    assert!(!prompt.contains("style.md"), "bodies are read on demand: {prompt}");
    let body = agent.call("read_skill", &json!({ "skill_id": "notes" })).expect("it is offered");
    assert!(body.contains("See references/style.md."), "{body}");
    let read = json!({ "skill_id": "notes", "path": "references/style.md" });
    let file = agent.call("read_skill_resource", &read).expect("it is offered");
    assert!(file.contains("Short sentences."), "{file}");

    let added = "---\nname: maps\ndescription: Draws maps.\n---\n";
    tree.write("maps/SKILL.md", added);
    clock.advance(Duration::from_secs(6));
    let prompt = agent.prompt();
    assert!(prompt.contains("Draws maps."), "a new skill needs no restart: {prompt}");
    let listed = agent.call("list_skills", &json!({})).expect("it is offered");
    assert!(listed.contains("maps"), "{listed}");
}

/// Keeps no proposal.
struct Unread;

impl ProposalStore for Unread {
    fn submit(&self, _: &Proposal<'_>) -> Result<String, ProposalError> {
        Ok("proposal-1".to_owned())
    }
}

#[test]
fn every_surface_of_a_turn_offers_proposals() {
    let tree = Tree::new(SHELF);
    let all = "skills|four_tools|files|skill|get_skill|read_skill|activate_skill|";
    for surfaces in all.split('|').chain(["four_tools, get_skill"]) {
        let yaml = format!("{{ tools: {{ surfaces: [{surfaces}] }} }}");
        let policies = Policies::from_yaml(&yaml).expect("the policies are good");
        let runtime = Runtime::builder().policies(policies).proposals(Arc::new(Unread));
        let runtime = runtime.skills_directory("user", tree.path()).build();
        let runtime = runtime.expect("the runtime is complete");
        let session = runtime.open_session().expect("the store is in memory");
        let tools = runtime.turn(&session).expect("the session is open").tools();
        let offered = tools.iter().filter(|tool| tool.name == "propose_skill_update").count();
        assert_eq!(offered, usize::from(!surfaces.is_empty()), "{surfaces}");
    }
}
