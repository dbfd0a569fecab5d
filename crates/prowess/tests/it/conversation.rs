//! A whole conversation, from the catalog to the unload of a skill.

use std::sync::Arc;

use prowess::{Content, Runtime};
use prowess_testkit::Tree;
use serde_json::json;

use crate::dynamic;
use crate::scripted::Agent;

const TREE: &str = include_str!("../data/conversation.txt");

fn runtime(tree: &Tree) -> Runtime {
    dynamic::builder()
        .skills_directory("user", tree.join("skills"))
        .build()
        .expect("the layers are the standard ones")
}

/// See the catalog, load, get a receipt, find the body in the next call, read a reference.
#[test]
fn an_agent_sees_loads_and_reads() {
    let tree = Tree::new(TREE);
    let runtime = runtime(&tree);
    let mut agent = Agent::new(&runtime);

    let (before, receipt) = agent.load(&["alpha"], "replace");
    assert!(before.contains("<name>alpha</name>"), "the catalog is in the first prompt");
    assert!(before.contains("skills_load"), "the rule names the tool as the model knows it");
    assert!(!before.contains("Instructions of alpha"), "no body before it is loaded");
    let receipt = receipt.structured.expect("a receipt is data");
    let active = &receipt["active_skills"][0];
    assert_eq!(active["name"], "alpha");
    assert_eq!(active["root_dir"], tree.join("skills/alpha").to_string_lossy().as_ref());
    assert!(active["digest"].as_str().is_some_and(|digest| digest.starts_with("sha256:")));
    assert!(!receipt.to_string().contains("Instructions of alpha"), "a receipt has no body");

    let (prompt, reference) = agent.succeed("skills_read", json!({"path": "references/more.md"}));
    assert!(prompt.contains("Instructions of alpha"), "the body is in the next call");
    assert!(prompt.contains("<name>beta</name>"), "and so is the catalog");
    let text = Content::Text { text: "More about alpha.\n".into() };
    assert_eq!(reference.content, [text]);

    let called: Vec<_> = agent.messages.iter().map(|(call, _)| call.name.as_str()).collect();
    assert_eq!(called, ["skills_load", "skills_read"], "messages stand in the order of time");
}

/// Replace one skill by another; messages stay as they were.
#[test]
fn an_agent_switches_skills() {
    let tree = Tree::new(TREE);
    let runtime = runtime(&tree);
    let mut agent = Agent::new(&runtime);
    agent.load(&["alpha"], "replace");
    let with_alpha = agent.prompt();
    let messages = agent.messages.clone();

    agent.load(&["beta"], "replace");
    let with_beta = agent.prompt();
    assert!(with_alpha.contains("Instructions of alpha"));
    assert!(!with_beta.contains("Instructions of alpha"), "old instructions do not linger");
    assert!(with_beta.contains("Instructions of beta"));
    assert_eq!(agent.messages[..1], messages, "the messages of before are as they were");

    agent.load(&["alpha"], "add");
    let both = agent.prompt();
    let position = |text: &str| both.find(text).expect("both bodies are there");
    assert!(
        position("Instructions of beta") < position("Instructions of alpha"),
        "the last comes last"
    );

    agent.succeed("skills_unload", json!({"all": true}));
    assert!(!agent.prompt().contains("Instructions of"), "unloading leaves nothing behind");
}

#[test]
fn one_runtime_serves_many_threads() {
    let tree = Tree::new(TREE);
    let runtime = Arc::new(runtime(&tree));
    std::thread::scope(|scope| {
        for names in [["alpha"], ["beta"]].into_iter().cycle().take(8) {
            let runtime = Arc::clone(&runtime);
            scope.spawn(move || {
                let mut agent = Agent::new(&runtime);
                for _ in 0..50 {
                    agent.load(&names, "replace");
                    let body = format!("Instructions of {}", names[0]);
                    assert!(agent.prompt().contains(&body), "each sees what it has loaded");
                    runtime.reload();
                }
            });
        }
    });
}
