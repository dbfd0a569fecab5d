//! A conversation whose user takes the trust in a folder back.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prowess::source_fs::Surroundings;
use prowess::state::{CurrentTrust, Origin, TrustFile};
use prowess::{
    AGENT_LAYER, Cancel, Error, FolderAnswer, FolderTrust, Policies, Runtime, Timestamp, ToolCall,
};
use prowess_testkit::{ManualClock, Tree};
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

/// A machine with a directory in which agents write, and with this further configuration.
fn machine_of_agents(
    tree: &Tree,
    directory: &str,
    further: &str,
    clock: &Arc<ManualClock>,
) -> Result<(Runtime, TrustFile), Error> {
    let directory = tree.join(directory);
    let yaml = format!(
        "{{ discovery: {{ organization: null, roots: {{ agents: [{directory:?}] }} }}, {further} \
         refresh: {{ mode: ttl, ttl_seconds: 5, cool_down_seconds: 0 }} }}"
    );
    let policies = Policies::from_yaml(&yaml).expect("the policies are good");
    let machine = Surroundings::new(Some(tree.join("home")), Some(tree.join("shop")));
    let file = TrustFile::new(tree.join("trust.json"));
    let trust = Arc::new(CurrentTrust::new(file.clone()));
    let builder = dynamic::builder().policies(policies).clock(clock.clone());
    Ok((builder.discover(machine, trust).build()?, file))
}

#[test]
fn skill_of_an_agent_is_in_the_next_turn_and_grants_nothing() {
    let text = |body: &str| {
        format!("---\nname: notes\ndescription: Helps.\nallowed-tools: Bash\n---\nSay {body}.\n")
    };
    let at_once = "visibility: { skills: [{ match: \"agents:*\", show: whole }] },";
    for (further, waits) in [(at_once, false), ("", true)] {
        let tree = Tree::new("//- /shop/.keep\n");
        let clock = Arc::new(ManualClock::default());
        let built = machine_of_agents(&tree, "written", further, &clock);
        let (runtime, file) = built.expect("the runtime is complete");
        let session = runtime.open_session().expect("the store is in memory");
        let turn = || {
            clock.advance(Duration::from_secs(6));
            runtime.turn(&session).expect("the store is in memory")
        };
        let is_offered = || turn().prompt().text.contains("notes");
        assert!(!is_offered(), "nothing is written");
        tree.write("written/notes/SKILL.md", text("first"));
        if waits {
            assert!(!is_offered(), "it is not reviewed");
            let catalog = turn().catalog().clone();
            let mut hidden = catalog.excluded().filter(|it| *it.layer().name == *AGENT_LAYER);
            let files = catalog.package_contents(hidden.next().unwrap(), &Cancel::default());
            let name = format!("notes@{}", files.unwrap().finish());
            file.trust_origin(Origin::Skill(&name), Timestamp(0)).expect("it is written");
        }
        assert!(is_offered(), "{further}");
        let load = turn().call(&ToolCall::new("skills_load", json!({"names": ["notes"]}))).result;
        assert!(!load.is_error, "{load:?}");
        let decision = turn().decide("Bash", &json!({"command": "rm -r x"})).unwrap();
        assert!(!decision.is_allowed(), "its list of tools grants nothing: {decision}");
        tree.write("written/notes/SKILL.md", text("second"));
        assert_eq!(is_offered(), !waits, "another text needs another review");
        if waits {
            assert!(file.revoke_origin(Origin::Skill("notes")).unwrap().is_some());
            tree.write("written/notes/SKILL.md", text("first"));
            assert!(!is_offered(), "the review was revoked");
        }
    }
}

#[test]
fn agents_write_no_skills_of_another_layer() {
    for (directory, is_refused) in [
        ("written", false),
        ("shop/.agents/skills", false),
        ("shop/.agents/skills/agents", true),
        ("shop/.agents", true),
        ("home/.agents/skills/deep/er", true),
        ("shop/link", true),
        ("shop/link/skills/new", true),
        ("", true),
    ] {
        let tree = Tree::new("//- /shop/.git/HEAD\nref: refs/heads/main\n");
        let skill = "---\nname: notes\ndescription: Helps.\n---\n";
        tree.write("home/.agents/skills/own/SKILL.md", skill);
        tree.write("shop/.agents/skills/notes/SKILL.md", skill);
        std::os::unix::fs::symlink("../home/.agents", tree.join("shop/link")).unwrap();
        let built = machine_of_agents(&tree, directory, "", &Arc::default());
        assert_eq!(built.is_err(), is_refused, "{directory}");
        let Ok((runtime, _)) = built else { continue };
        let catalog = runtime.catalog();
        let of_agents = catalog.excluded().filter(|it| *it.layer().name == *AGENT_LAYER);
        assert_eq!(of_agents.count(), usize::from(directory != "written"), "{directory}");
    }
}
