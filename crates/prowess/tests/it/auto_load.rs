//! Skills that are loaded because they match the user's message.

use prowess::{BodyDelivery, Layer, Policies, Runtime, Trust};
use prowess_testkit::Tree;

use crate::dynamic;

const SHELF: &str = "
//- /skills/pdf/SKILL.md
---
name: pdf
description: Fills in PDF forms. Use when a form is to be filled in.
---
Body of pdf.
//- /skills/sql/SKILL.md
---
name: sql
description: Writes queries for databases. Use when data is asked for.
---
Body of sql.
";

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
fn check(file: &str, trust: Trust, messages: &[&str], expected: &[&str]) {
    for bodies in [BodyDelivery::Instructions, BodyDelivery::ToolResult, BodyDelivery::BothOnce] {
        let tree = Tree::new(SHELF);
        let policies = Policies::from_yaml(file).expect("the file is right");
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
        assert_eq!(found, expected, "{file} {bodies:?} {messages:?}");
    }
}

#[test]
fn message_loads_skills_above_the_score() {
    let form = "fill in this PDF form";
    check("{}", Trust::Trusted, &[form], &[]);
    check("auto_load: { min_score: 1 }", Trust::Trusted, &[form], &["pdf"]);
    check("auto_load: { min_score: 1 }", Trust::Trusted, &[form, form], &["pdf"]);
    check("auto_load: { min_score: 60000 }", Trust::Trusted, &[form], &[]);
    check("auto_load: { min_score: 0 }", Trust::Trusted, &["", "xyzzy"], &[]);
    let both = [form, "queries for databases"];
    check("auto_load: { min_score: 1 }", Trust::Trusted, &both, &["pdf", "sql"]);
    check(
        "{ auto_load: { min_score: 1 }, session: { max_active: 1 } }",
        Trust::Trusted,
        &both,
        &["pdf"],
    );
    check("auto_load: { min_score: 1 }", Trust::Untrusted, &[form], &[]);
}
