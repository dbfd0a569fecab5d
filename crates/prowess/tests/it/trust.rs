//! A conversation whose user takes the trust in a folder back.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use prowess::source_fs::Surroundings;
use prowess::{FolderAnswer, FolderTrust, Policies, ToolCall};
use prowess_testkit::Tree;
use serde_json::json;

use crate::dynamic;

/// Trusts every folder at even numbers.
#[derive(Default)]
struct Switch(AtomicU64);

impl FolderTrust for Switch {
    fn answer(&self, _: &Path) -> FolderAnswer {
        match self.edition() % 2 {
            0 => FolderAnswer::Trusted,
            _ => FolderAnswer::NotTrusted,
        }
    }

    fn edition(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[test]
fn what_is_no_longer_trusted_speaks_no_more() {
    let skill = |name: &str| format!("---\nname: {name}\ndescription: Helps.\n---\nSay {name}.\n");
    let tree = Tree::new("");
    tree.write("project/.agents/skills/theirs/SKILL.md", skill("theirs"));
    tree.write("home/.agents/skills/own/SKILL.md", skill("own"));
    let machine = Surroundings::new(Some(tree.join("home")), Some(tree.join("project")));
    let switch = Arc::new(Switch::default());
    let mut policies = Policies::default();
    policies.discovery.organization = None;
    let builder = dynamic::builder().policies(policies).discover(machine, switch.clone());
    let runtime = builder.build().expect("the runtime is complete");
    let session = runtime.open_session().expect("the store is in memory");
    let turn = || runtime.turn(&session).expect("the store is in memory");
    let load = ToolCall::new("skills_load", json!({"names": ["theirs", "own"]}));
    assert!(!turn().call(&load).result.is_error, "both are offered");
    let says = |name: &str| turn().prompt().text.contains(&format!("Say {name}."));
    assert!(says("theirs") && says("own"), "both are loaded");
    let begun = turn();
    switch.0.fetch_add(1, Ordering::Relaxed);
    assert!(!says("theirs") && says("own"), "one is taken back");
    assert_eq!(turn().state().active.len(), 2, "the conversation knows what it has loaded");
    assert!(begun.prompt().text.contains("Say theirs."), "a turn never changes");
    switch.0.fetch_add(1, Ordering::Relaxed);
    assert!(says("theirs"), "and given again");
}
