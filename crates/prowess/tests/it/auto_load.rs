//! Skills that are loaded because they match the user's message.

use prowess::{AutoLoad, BodyDelivery, Layer, Policies, Runtime, Trust};
use prowess_testkit::Tree;

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
