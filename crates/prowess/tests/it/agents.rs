//! Agents: skills that are bound to a session, and the order of their instructions.

use std::sync::Arc;

use expect_test::{expect, expect_file};
use prowess::format::agent;
use prowess::session::{ForkRequest, SessionHandle};
use prowess::{
    Agent, BodyDelivery, Error, HostNames, InstructionKind, Message, Policies, RequestParts,
    Runtime, ToolCall, Turn,
};
use prowess_testkit::Tree;
use serde_json::json;

use crate::dynamic;

const SHELF: &str = include_str!("../data/agents.txt");

const MANIFEST: &str = include_str!("../data/agents-manifest.txt");

fn agent(manifest: &str, template: &str) -> Arc<Agent> {
    let parsed = agent::parse(manifest.as_bytes());
    let manifest = parsed.manifest.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
    Arc::new(Agent { manifest, template: template.to_owned() })
}

fn builder() -> Arc<Agent> {
    agent(MANIFEST, "You build extensions.")
}

fn runtime(tree: &Tree, policies: Policies) -> Runtime {
    dynamic::builder()
        .policies(policies)
        .skills_directory("user", tree.join("skills"))
        .build()
        .expect("the layers are the standard ones")
}

fn preset(name: &str) -> Policies {
    Policies { layers: Vec::new(), ..Policies::preset(name).expect("there is one") }
}

fn turn(runtime: &Runtime, session: &SessionHandle, agent: &Arc<Agent>) -> Turn {
    runtime.turn(session).expect("the session is open").for_agent(Arc::clone(agent))
}

/// A text with the boundary of the session replaced.
fn without_boundary(text: &str) -> String {
    let Some((_, rest)) = text.split_once("<skill_content-") else { return text.to_owned() };
    let boundary: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
    text.replace(&boundary, "BOUNDARY")
}

#[test]
fn instructions_have_template_bodies_inline() {
    let tree = Tree::new(SHELF);
    let mut policies = Policies::default();
    policies.delivery.show_location = prowess::ShowLocation::None;
    let runtime = runtime(&tree, policies);
    let builder = builder();
    let session = runtime.open_session_for(&builder).expect("its skills are there");
    let turn = turn(&runtime, &session, &builder);
    expect_file!["../data/agents-builder.txt"]
        .assert_eq(&without_boundary(&turn.agent_instructions()));
    let body = "Start from templates/manifest.yaml.";
    assert!(!turn.prompt().text.contains(body), "a body is in one place");
    let request =
        turn.messages(RequestParts::new("House rules.", vec![Message::user("Build one.")]));
    assert_eq!(request.instruction_text().matches(body).count(), 1);
    let rules = &request.instructions[0];
    assert_eq!(rules.kind, InstructionKind::Rules);
    assert!(rules.text.starts_with("House rules.\n\nYou build extensions.\n\n"), "{rules:?}");
    let without_agent = runtime.turn(&session).expect("the session is open");
    assert!(without_agent.prompt().text.contains(body), "the prompt has it for other hosts");
}

#[test]
fn agent_without_skills_is_unchanged() {
    let tree = Tree::new(SHELF);
    let runtime = runtime(&tree, Policies::default());
    let check = |manifest: &str, template: &str, expected: &str| {
        let agent = agent(manifest, template);
        let session = runtime.open_session_for(&agent).expect("it uses no skill");
        let plain = runtime.open_session().expect("memory takes another session");
        let state = session.state().expect("the session is open");
        assert!(state.active.is_empty() && state.scope.bound.is_empty() && state.version == 0);
        let bound = turn(&runtime, &session, &agent);
        let plain = runtime.turn(&plain).expect("the session is open");
        assert_eq!(bound.agent_instructions(), expected);
        assert_eq!(bound.prompt(), plain.prompt());
        assert_eq!(
            bound.messages(RequestParts::new("", Vec::new())),
            plain.messages(RequestParts::new(expected, Vec::new()))
        );
    };
    let both = "id: a\nagent: {instructions: Be brief.}\n";
    check(both, " You plan.\n ", " You plan.\n \n\nBe brief.");
    check("id: a\nagent: {uses_skills: []}\n", "You plan.\n", "You plan.\n");
    check(both, "", "Be brief.");
    check("id: a\nagent: {}\n", "", "");
}

/// An orchestrator calls a builder agent, which has a skill from the start and reads its template.
#[test]
fn orchestrator_calls_an_agent_with_a_bound_skill() {
    for (policies, read) in
        [(Policies::default(), "skills_read"), (preset("yodoca"), "read_skill_resource")]
    {
        let tree = Tree::new(SHELF);
        let runtime = runtime(&tree, policies);
        let orchestrator = runtime.open_session().expect("memory takes another session");
        let first = runtime.turn(&orchestrator).expect("the session is open");
        let body = "Start from templates/manifest.yaml.";
        let request = first
            .messages(RequestParts::new("You delegate.", vec![Message::user("Build a clock.")]));
        assert!(!request.instruction_text().contains(body), "no body before it is needed");

        let builder = builder();
        let child = orchestrator.fork(&ForkRequest::default()).expect("the session is open");
        runtime.bind_agent(&child, &builder).expect("its skills are there");
        let second = turn(&runtime, &child, &builder);
        let request = second.messages(RequestParts::new("", vec![Message::user("Build a clock.")]));
        assert_eq!(request.instruction_text().matches(body).count(), 1, "in the first call");

        let arguments = if read == "skills_read" {
            json!({ "skill": "extension-development", "path": "templates/manifest.yaml" })
        } else {
            json!({ "skill_id": "extension-development", "path": "templates/manifest.yaml" })
        };
        let answer = second.call(&ToolCall::new(read, arguments)).result;
        assert_eq!(answer.message(), None, "{answer:?}");
        assert!(answer.texts().any(|text| text.contains("id: example")), "{answer:?}");
        let state = orchestrator.state().expect("the session is open");
        assert!(state.active.is_empty(), "the orchestrator has no skill of its agent");
    }
}

#[test]
fn bound_skill_is_not_delivered_again() {
    for bodies in [BodyDelivery::Instructions, BodyDelivery::ToolResult, BodyDelivery::BothOnce] {
        let tree = Tree::new(SHELF);
        let runtime = runtime(&tree, Policies::default().with_body_delivery(bodies));
        let builder = builder();
        let session = runtime.open_session_for(&builder).expect("its skills are there");
        let body = "Start from templates/manifest.yaml.";
        let load = |names: &[&str]| {
            let call = ToolCall::new("skills_load", json!({ "names": names }));
            turn(&runtime, &session, &builder).call(&call).result
        };
        let again = load(&["extension-development"]);
        assert!(!format!("{again:?}").contains(body), "{bodies:?}: {again:?}");
        assert!(format!("{again:?}").contains("already_loaded"), "{bodies:?}: {again:?}");
        let other = load(&["naming"]);
        assert!(!other.is_error, "{other:?}");
        let next = turn(&runtime, &session, &builder);
        assert!(next.agent_instructions().contains(body), "{bodies:?}: a load replaces others");
        let request = next.messages(RequestParts::new("", Vec::new())).instruction_text();
        let in_result = format!("{other:?}").matches("Short names.").count();
        let places = request.matches("Short names.").count() + in_result;
        assert_eq!(places, 1, "{bodies:?}: a loaded body is in one place");
    }
}

#[test]
fn required_skills_are_bound_first() {
    let tree = Tree::new(SHELF);
    let mut policies = Policies::default();
    policies.tools.requires = prowess::tools::RequiresMode::AutoLoad;
    let session = runtime(&tree, policies).open_session_for(&builder()).expect("they are there");
    let state = session.state().expect("the session is open");
    let ids: Vec<_> = state.active.iter().map(|skill| skill.id.as_str()).collect();
    assert_eq!(ids, ["naming", "extension-development"]);

    let policies =
        "tools: { requires: auto_load, surfaces: [skill] }\nsession: { on_reload: error }";
    let runtime = runtime(&tree, Policies::from_yaml(policies).expect("they are valid"));
    let session = runtime.open_session().expect("memory takes another session");
    let call = |action: &str| {
        let arguments = json!({ "skill_name": "extension-development", "action": action });
        let turn = runtime.turn(&session).expect("the session is open");
        let value = turn.call(&ToolCall::new("skill", arguments)).result.structured;
        let value = value.expect("it is done");
        [&value, &value["required_skills"][0]].map(|it| it["skill_name"].clone())
    };
    assert_eq!(call("activate"), [json!("extension-development"), json!("naming")]);
    call("deactivate");
    assert_eq!(call("activate"), [json!("extension-development"), json!(null)], "it is active");
}

#[test]
fn unusable_skill_is_an_error() {
    let tree = Tree::new(SHELF);
    let runtime = runtime(&tree, Policies::default());
    let check = |skills: &str, expected: &str| {
        let agent = agent(&format!("id: a\nagent: {{uses_skills: {skills}}}\n"), "");
        let error = runtime.open_session_for(&agent).map(|session| session.id().clone());
        let error = error.expect_err("a skill is missing");
        assert!(matches!(error, Error::Bind(_)));
        assert_eq!(error.to_string(), expected);
    };
    check("[naming, nothing]", "agent `a` uses the skill `nothing`, which does not exist");
    tree.write("skills/naming/SKILL.md", "---\nname: other\ndescription: x\n---\n");
    check(
        "[naming]",
        "agent `a` uses the skill `naming`, which cannot be loaded: it has changed its name",
    );
    let orchestrator = runtime.open_session().expect("memory takes another session");
    let narrow = ForkRequest { allowed: Some(["naming".to_owned()].into()), ..Default::default() };
    let child = orchestrator.fork(&narrow).expect("the session is open");
    let refused = runtime.bind_agent(&child, &builder()).expect_err("a child is only narrowed");
    assert!(refused.to_string().contains("extension-development"), "{refused}");
    assert!(child.state().expect("the session is open").active.is_empty());
}

#[test]
fn unknown_names_of_a_manifest_are_reported() {
    let tree = Tree::new(SHELF);
    let runtime = runtime(&tree, Policies::default());
    let manifest = include_str!("../data/agents-unknown.txt");
    let agent = agent(manifest, "");
    let host =
        HostNames { tools: &["core_tools", "web_search"], services: &["skill_registry", "memory"] };
    let found = runtime.check_agent(&agent, &host);
    let lines =
        found.iter().map(|found| format!("{}: {}; {}", found.code, found.message, found.help));
    expect![[r#"
        agent-tool-unknown: agent `builder` uses the tool `web_serch`, which does not exist; did you mean `web_search`?
        agent-skill-unknown: agent `builder` uses the skill `extension-developmnt`, which does not exist; did you mean `extension-development`?
        agent-service-unknown: agent `builder` depends on `memry`, which does not exist; did you mean `memory`?"#]]
    .assert_eq(&lines.collect::<Vec<_>>().join("\n"));
    assert_eq!(
        runtime.check_agent(
            &builder(),
            &HostNames { tools: &["core_tools"], services: &["skill_registry"] }
        ),
        []
    );
}
