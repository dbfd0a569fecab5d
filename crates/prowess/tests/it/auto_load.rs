//! Skills that are loaded because they match the user's message.

use std::sync::Arc;

use prowess::session::OnLimit;
use prowess::source_fs::Surroundings;
use prowess::{AutoLoad, BodyDelivery, Layer, Policies, Runtime, ToolCall, Trust};
use prowess_testkit::Tree;
use serde_json::json;

use crate::documents::Trusting;
use crate::dynamic;

const SHELF: &str = include_str!("../data/auto_load.txt");

fn runtime(tree: &Tree, policies: Policies, trust: Trust) -> Runtime {
    let policies = Policies { layers: vec![Layer::new("user", trust)], ..policies };
    dynamic::builder()
        .policies(policies)
        .skills_directory("user", tree.join("skills"))
        .build()
        .expect("there is one layer")
}

/// Checks which bodies are in the instructions of a turn about these messages.
#[track_caller]
fn check(min_score: Option<u16>, trust: Trust, messages: &[&str], expected: &[&str]) {
    check_with(min_score, &Policies::default(), trust, messages, expected);
}

/// As [`check`], with these policies.
#[track_caller]
fn check_with(
    min_score: Option<u16>,
    policies: &Policies,
    trust: Trust,
    messages: &[&str],
    expected: &[&str],
) {
    let auto_load = AutoLoad { min_score, ..AutoLoad::default() };
    for bodies in [BodyDelivery::Instructions, BodyDelivery::ToolResult, BodyDelivery::BothOnce] {
        let tree = Tree::new(SHELF);
        let policies = Policies { auto_load, ..policies.clone() };
        let runtime = runtime(&tree, policies.with_body_delivery(bodies), trust);
        let session = runtime.open_session().expect("memory takes another session");
        let mut text = String::new();
        for message in messages {
            let turn = runtime.turn_about(&session, message).expect("the session is open");
            text.clone_from(&turn.prompt().text);
        }
        let found: Vec<_> = ["pdf", "sql"]
            .into_iter()
            .filter(|id| text.contains(&format!("Body of {id}.")))
            .collect();
        assert_eq!(found, expected, "{min_score:?} {bodies:?} {messages:?}");
    }
}

#[test]
fn message_loads_skills_above_the_score() {
    let form = "fill in this PDF form";
    check(None, Trust::Trusted, &[form], &[]);
    check(Some(1), Trust::Trusted, &[form], &["pdf"]);
    check(Some(1), Trust::Trusted, &[form, form], &["pdf"]);
    check(Some(60000), Trust::Trusted, &[form], &[]);
    check(Some(0), Trust::Trusted, &["", "xyzzy"], &[]);
    let both = [form, "queries for databases"];
    check(Some(1), Trust::Trusted, &both, &["pdf", "sql"]);
    let mut one = Policies::default();
    one.session.max_active = 1;
    check_with(Some(1), &one, Trust::Trusted, &both, &["pdf"]);
    check(Some(1), Trust::Untrusted, &[form], &[]);
}

/// A model may load what a message has loaded, once, also where a second load is an error.
#[test]
fn first_load_of_the_model_is_no_mistake() {
    let tree = Tree::new(&SHELF.replace("\n//- /skills/sql", &format!("\n{FORK}//- /skills/sql")));
    for refuses in ["on_reload: error", "discipline: stack"] {
        let yaml =
            format!("{{ auto_load: {{ min_score: 1 }}, session: {{ {refuses}, max_active: 1 }} }}");
        let mut policies = Policies::from_yaml(&yaml).expect("they are keys");
        (policies.auto_load.skills, policies.session.on_limit) = (2, OnLimit::UnloadOldest);
        let runtime = runtime(&tree, policies, Trust::Trusted);
        let session = runtime.open_session().expect("memory takes another session");
        for (message, code) in
            [("fill in this PDF form", None), ("queries for databases", Some("already-active"))]
        {
            let turn = runtime.turn_about(&session, message).expect("the session is open");
            let ids: Vec<_> = turn.state().active.iter().map(|skill| skill.id.clone()).collect();
            assert_eq!(ids, ["pdf"], "neither one that wants to be forked, nor one without room");
            let load = ToolCall::new("skills_load", json!({ "names": ["pdf"], "mode": "add" }));
            let found = turn.call(&load).result.code;
            assert_eq!(found.as_ref().map(prowess::Code::as_str), code, "{refuses}: {message}");
        }
    }
}

const FORK: &str = "//- /skills/form/SKILL.md\n---\nname: form\ndescription: Fills in this PDF form, \
    a form. Use for a PDF form.\ncontext: fork\n---\n";

/// A project whose folder the user trusts counts as trusted.
#[test]
fn project_that_is_trusted_is_loaded_from() {
    for (trust, expected) in [("require", 1), ("label", 0)] {
        let tree = Tree::new(&SHELF.replace("//- /skills/", "//- /project/.agents/skills/"));
        let policies =
            format!("{{ auto_load: {{ min_score: 1 }}, discovery: {{ project_trust: {trust} }} }}");
        let policies = Policies::from_yaml(&policies).expect("they are keys");
        let machine = Surroundings::new(None, Some(tree.join("project")));
        let runtime = dynamic::builder().policies(policies).discover(machine, Arc::new(Trusting));
        let runtime = runtime.build().expect("it is a project");
        let session = runtime.open_session().expect("memory takes another session");
        let turn = runtime.turn_about(&session, "fill in this PDF form").expect("it is open");
        assert_eq!(turn.state().active.len(), expected, "{trust}");
    }
}
