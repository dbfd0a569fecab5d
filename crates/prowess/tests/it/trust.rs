//! A conversation whose user takes the trust in a folder back.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use prowess::source_fs::Surroundings;
use prowess::state::{CurrentTrust, TrustFile};
use prowess::{FolderAnswer, FolderTrust, Policies, Timestamp, ToolCall};
use prowess_testkit::Tree;
use serde_json::json;

use crate::dynamic;

/// A text that no output may contain.
const CANARY: &str = "CANARY-7f3a";

/// Trusts every folder at even numbers.
#[derive(Default)]
struct Switch(AtomicU64);

impl Switch {
    fn flip(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl FolderTrust for Switch {
    fn answer(&self, _: &Path) -> FolderAnswer {
        match self.version() % 2 {
            0 => FolderAnswer::Trusted,
            _ => FolderAnswer::NotTrusted,
        }
    }

    fn version(&self) -> u64 {
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
    switch.flip();
    assert!(!says("theirs") && says("own"), "one is taken back");
    assert_eq!(turn().state().active.len(), 2, "the conversation knows what it has loaded");
    assert!(begun.prompt().text.contains("Say theirs."), "a turn never changes");
    switch.flip();
    assert!(says("theirs"), "and given again");
}

/// Between the check of a folder and a read of it, another folder may take its path.
#[test]
fn replaced_folder_reaches_neither_results_nor_prompts() {
    let skill = |body: &str| format!("---\nname: pdf\ndescription: Helps.\n---\n{body}\n");
    let tree = Tree::new("");
    for (folder, text) in [("a", "The good body."), ("evil", CANARY)] {
        tree.write(&format!("{folder}/.git/HEAD"), "ref: refs/heads/main\n");
        tree.write(&format!("{folder}/.agents/skills/pdf/SKILL.md"), skill(text));
        tree.write(&format!("{folder}/.agents/skills/pdf/notes.md"), text);
    }
    let file = TrustFile::new(tree.join("state/trust.json"));
    file.trust(&tree.join("a"), Timestamp(0)).expect("the folder is there");
    let machine = Surroundings::new(Some(tree.join("home")), Some(tree.join("a")));
    let mut policies = Policies::default();
    policies.discovery.organization = None;
    policies.tools.read_gate = Some(prowess::tools::ReadGate::Known);
    let trust = Arc::new(CurrentTrust::new(file));
    let builder = dynamic::builder().policies(policies).discover(machine, trust);
    let runtime = builder.build().expect("the runtime is complete");
    let session = runtime.open_session().expect("the store is in memory");
    let turn = || runtime.turn(&session).expect("the store is in memory");
    let load = ToolCall::new("skills_load", json!({"names": ["pdf"]}));
    let read = ToolCall::new("skills_read", json!({"skill": "pdf", "path": "notes.md"}));
    let begun = turn();
    let replace = |new: &str, old: &str| {
        std::fs::rename(tree.join("a"), tree.join(old)).expect("it is there");
        std::fs::rename(tree.join(new), tree.join("a")).expect("it is there");
    };

    replace("evil", "good");
    for call in [&load, &read] {
        let result = begun.call(call).result;
        assert!(result.is_error, "a turn that began before reads nothing of the other folder");
        assert!(!format!("{result:?}").contains(CANARY), "{result:?}");
        assert!(turn().call(call).result.is_error, "nor does a turn that begins now");
    }
    runtime.reload();
    assert!(turn().catalog().get("pdf").is_none(), "nothing of it is offered");

    replace("good", "evil");
    assert!(!turn().prompt().text.contains(CANARY), "nothing of it was kept");
    assert!(!turn().call(&load).result.is_error, "the trusted folder is back");
    assert!(turn().prompt().text.contains("The good body."), "with its own text");
}
