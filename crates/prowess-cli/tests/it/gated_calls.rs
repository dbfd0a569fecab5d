//! Calls of the program that a person has to approve, and their audit log.

use prowess_testkit::Tree;

use crate::program::{Program, Ran};

const FILES: &str = "
//- /skills/pdf/SKILL.md
---
name: pdf
description: Fills forms.
---
Body
//- /prowess.yaml
added_tools: gate
audit: { log: keep, policy: required }
//- /home/empty
";

fn run(tree: &Tree, arguments: &[&str]) -> Ran {
    let program = Program::new().at_home_in(&tree.join("home")).config(&tree.join("prowess.yaml"));
    program.root("user", &tree.join("skills")).run(arguments)
}

#[test]
fn calls_wait_for_a_person_and_are_listed() {
    let tree = Tree::new(FILES);
    let load = ["call", "skills_load", r#"{"names": ["pdf"]}"#];
    assert_eq!(run(&tree, &load).code, Some(0), "managing skills needs no approval");
    assert!(!tree.join("home/.local/state/prowess/state.db").exists(), "nothing was asked");

    let script = r#"{"skill": "pdf", "path": "scripts/fill.py"}"#;
    let call = run(&tree, &["call", "skills_run", script, "--load", "pdf", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&call.stdout).expect("it is JSON");
    assert_eq!(answer["code"], "approval-required", "{answer}");

    let listed = run(&tree, &["approvals", "list", "--format", "json"]);
    let pending = &listed.json()["approvals"][0];
    assert_eq!((&pending["tool"], &pending["state"]), (&"skills.run".into(), &"pending".into()));
    assert_eq!(pending["skill"], "pdf");
    assert!(pending["package"].as_str().is_some_and(|digest| digest.starts_with("sha256:")));
}

#[test]
fn calls_are_in_the_audit_log() {
    let tree = Tree::new(FILES);
    let load = ["call", "skills_load", r#"{"names": ["pdf"]}"#];
    assert_eq!(run(&tree, &load).code, Some(0));
    let verified = run(&tree, &["audit", "verify", "--format", "json"]).json();
    assert!(verified["entries"].as_u64().is_some_and(|entries| entries > 2), "{verified}");
    let story = run(&tree, &["audit", "show"]);
    assert!(story.text().contains("pdf"), "{}", story.text());
    let heading = story.text().lines().find(|line| line.contains("session-"));
    let heading = heading.expect("the session has a name");
    assert!(heading.starts_with("session-"), "the word is there once: {heading}");
}
