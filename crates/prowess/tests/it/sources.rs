//! Sources of every kind in one catalog.

use std::sync::Arc;
use std::time::Duration;

use prowess::{Availability, MemorySource, Policies, ToolCall};
use prowess_testkit::{ManualClock, Tree};
use serde_json::json;

use crate::dynamic;

const USER: &str = include_str!("../data/sources.txt");

#[test]
fn files_memory_and_the_program_make_one_catalog() {
    let tree = Tree::new(USER);
    let memory = MemorySource::builder("generated")
        .file("made/SKILL.md", "---\nname: made\ndescription: From memory.\n---\n")
        .build()
        .expect("the path is one");
    let runtime = dynamic::builder()
        .default_skills()
        .skills_directory("user", tree.path())
        .source("project", Arc::new(memory))
        .build()
        .expect("the layers are the standard ones");
    let catalog = runtime.catalog();
    let ids: Vec<_> = catalog.skills().map(|skill| skill.id()).collect();
    assert_eq!(ids, ["made", "prowess-usage", "skill-review", "skill-writing", "user-only"]);
    let own = catalog.get("skill-writing").expect("it is offered");
    assert_eq!(own.description(), "The user's own way.", "the user's layer is above the program's");
    let aside: Vec<_> = catalog
        .excluded()
        .map(|record| (record.location(), record.availability(), record.reason()))
        .collect();
    let [(location, Availability::Shadowed, Some(reason))] = aside.as_slice() else {
        panic!("{aside:?}")
    };
    assert_eq!(location, "embedded://prowess/skill-writing/SKILL.md");
    assert!(reason.contains("layer `user`"), "{reason}");
}

/// Texts are kept as long as the policy says, by the runtime's clock, until the host says otherwise.
#[test]
fn a_loaded_text_is_kept_for_the_next_conversation() {
    let tree = Tree::new("");
    let write = |text: &str| {
        let text = format!("---\nname: pdf\ndescription: Fills forms.\n---\n{text}\n");
        tree.write("pdf/SKILL.md", text);
    };
    write("First.");
    let clock = Arc::new(ManualClock::default());
    let policies = Policies::from_yaml("refresh: { body_seconds: 300 }").expect("it is a policy");
    let builder = dynamic::builder().policies(policies).clock(clock.clone());
    let runtime = builder.skills_directory("user", tree.path()).build().expect("it is complete");
    let loads = |text: &str| {
        let session = runtime.open_session().expect("the store is in memory");
        let turn = || runtime.turn(&session).expect("the store is in memory");
        turn().call(&ToolCall::new("skills_load", json!({"names": ["pdf"]})));
        turn().prompt().text.contains(text)
    };
    assert!(loads("First."));
    write("Second.");
    assert!(loads("First."), "it is kept");
    assert!(runtime.evict_body("pdf") && loads("Second."), "the host has it forgotten");
    write("Third.");
    clock.advance(Duration::from_secs(300));
    assert!(loads("Third."), "it is old");
    write("Fourth, and longer.");
    runtime.evict_bodies();
    assert!(loads("Fourth"), "all are forgotten");
}
