//! Sources of every kind in one catalog.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use prowess::{
    Availability, ChangeListener, MemorySource, Policies, Runtime, SkillSource, SourceError,
    ToolCall, Watch,
};
use prowess_testkit::{ManualClock, OverriddenSource, SourceOverrides, Tree};
use serde_json::json;

use crate::dynamic;

const USER: &str = "
//- /skill-writing/SKILL.md
---
name: skill-writing
description: The user's own way.
---
//- /user-only/SKILL.md
---
name: user-only
description: From the disk.
---
";

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

#[test]
fn a_source_of_one_skill_goes_by_the_hosts_name_everywhere() {
    let one = MemorySource::builder("one")
        .file("SKILL.md", "---\nname: declared\ndescription: Is one.\n---\nSay it.\n")
        .build()
        .expect("the path is one");
    let builder = dynamic::builder().single_skill_source("user", "given", Arc::new(one));
    let runtime = builder.build().expect("the layers are the standard ones");
    let session = runtime.open_session().expect("the store is in memory");
    let turn = runtime.turn(&session).expect("the store is in memory");
    assert!(turn.prompt().text.contains("<name>given</name>"), "the catalog has the host's name");
    let load = |name: &str| turn.call(&ToolCall::new("skills_load", json!({ "names": [name] })));
    assert!(load("declared").result.is_error, "its own is no name here");
    let receipt = serde_json::to_string(&load("given").result).expect("a result is data");
    assert!(receipt.contains(r#""given""#), "{receipt}");
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

/// A source whose watch takes for ever to set up.
struct Slow(MemorySource, Mutex<mpsc::Receiver<()>>);

impl SourceOverrides for Slow {
    fn inner(&self) -> &dyn SkillSource {
        &self.0
    }

    fn watch(&self, _: ChangeListener) -> Result<Option<Watch>, SourceError> {
        let released = self.1.lock().expect("no test panics here");
        let _ = released.recv_timeout(Duration::from_secs(60));
        Ok(None)
    }
}

#[test]
fn the_first_catalog_waits_for_no_watch() {
    let one = MemorySource::builder("one")
        .file("pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\n")
        .build()
        .expect("the path is one");
    let (release, held) = mpsc::channel();
    let policies = Policies::from_yaml("refresh: { mode: watch }").expect("it is a policy");
    let source = Arc::new(OverriddenSource(Slow(one, Mutex::new(held))));
    let builder = Runtime::builder().policies(policies).source("user", source);
    let (tell, built) = mpsc::channel();
    let building = std::thread::spawn(move || {
        let runtime = builder.build().expect("it is complete");
        let _ = tell.send(runtime.catalog().len());
        runtime
    });
    let skills = built.recv_timeout(Duration::from_secs(30));
    release.send(()).expect("the watch is being set up");
    assert_eq!(skills, Ok(1), "the skill is there before the watch is");
    drop(building.join());
}
