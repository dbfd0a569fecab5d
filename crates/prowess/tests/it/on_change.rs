//! A loaded skill whose `SKILL.md` changes, by each policy.

use std::path::PathBuf;
use std::sync::Arc;

use prowess::session::SessionHandle;
use prowess::{BodyDelivery, Policies, RefreshEvent, Runtime, RuntimeEvent, ToolCall, Turn};
use prowess_testkit::{AuditRecorder, Tree};
use serde_json::json;

use crate::dynamic;

/// A conversation that has loaded `alpha`, and its files.
struct Host {
    tree: Tree,
    runtime: Runtime,
    session: SessionHandle,
    audit: Arc<AuditRecorder>,
}

impl Host {
    fn new(yaml: &str) -> Self {
        let tree = Tree::new("");
        let audit = Arc::new(AuditRecorder::default());
        tree.write("alpha/SKILL.md", skill("alpha", "Say one."));
        tree.write("beta/SKILL.md", skill("beta", "Say beta."));
        let policies = Policies::from_yaml(yaml).expect("the policies are good");
        let builder = dynamic::builder().policies(policies).audit(audit.clone());
        let runtime = builder.skills_directory("user", tree.path()).build();
        let runtime = runtime.expect("the runtime is complete");
        let session = runtime.open_session().expect("the store is in memory");
        let host = Self { tree, runtime, session, audit };
        host.load(&["alpha", "beta"]);
        assert!(host.says("Say one."), "it is loaded");
        host
    }

    /// Returns the refreshed skills since the last call.
    fn refreshed(&self) -> Vec<RefreshEvent> {
        let changes = self.audit.take_changes().into_iter();
        let refreshed = changes.filter_map(|event| match event {
            RuntimeEvent::SkillRefreshed(event) => Some(event),
            _ => None,
        });
        refreshed.collect()
    }

    fn turn(&self) -> Turn {
        self.runtime.turn(&self.session).expect("the store is in memory")
    }

    fn load(&self, names: &[&str]) {
        let call = ToolCall::new("skills_load", json!({"names": names, "mode": "add"}));
        let answer = self.turn().call(&call).result;
        assert!(!answer.is_error, "{answer:?}");
    }

    fn says(&self, words: &str) -> bool {
        self.turn().prompt().text.contains(words)
    }

    fn write(&self, text: String) -> PathBuf {
        self.tree.write("alpha/SKILL.md", text);
        self.tree.join("alpha/SKILL.md")
    }

    /// The ids of what is loaded, in its order.
    fn loaded(&self) -> Vec<String> {
        let state = self.session.state().expect("the store is in memory");
        state.active.iter().map(|skill| skill.id.clone()).collect()
    }
}

fn skill(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Helps.\n---\n{body}\n")
}

/// The catalog offers the last good version of a broken file. Where that was loaded before, it is
/// loaded again; where it was not, the refusal says what is wrong.
#[test]
fn broken_file_is_loaded_as_it_was_or_refused() {
    let host = Host::new("{}");
    let broken = "no frontmatter".to_owned();
    let load = || {
        host.runtime.reload();
        let session = host.runtime.open_session().expect("the store is in memory");
        let turn = || host.runtime.turn(&session).expect("the store is in memory");
        let call = ToolCall::new("skills_load", json!({ "names": ["alpha"] }));
        let result = turn().call(&call).result;
        (result.is_error, turn().prompt().text.contains("Say one."), format!("{result:?}"))
    };
    host.write(broken.clone());
    let (is_error, is_as_before, result) = load();
    assert!(!is_error && is_as_before, "{result}");
    host.write(skill("alpha", "Say two.").replace("Helps.", "Other."));
    host.runtime.reload();
    host.write(broken);
    let (is_error, is_as_before, result) = load();
    assert!(is_error && !is_as_before && result.contains("frontmatter-missing"), "{result}");
}

#[test]
fn what_is_loaded_stays_as_it_was_loaded() {
    let host = Host::new("{}");
    host.write(skill("alpha", "Say two."));
    host.runtime.reload();
    assert!(
        host.says("Say one.") && !host.says("Say two."),
        "by default nothing changes by itself"
    );
    assert!(!host.says("have changed"), "and nothing is reported");
    host.load(&["alpha"]);
    assert!(host.says("Say two."), "loading it again gives it as it is");
}

#[test]
fn refresh_next_turn_replaces_changed_skills() {
    let host = Host::new("session: {on_change: refresh_next_turn}");
    let begun = host.turn();
    let file = host.write(skill("alpha", "Say two."));
    assert!(begun.prompt().text.contains("Say one."), "a turn never changes");
    let next = host.turn().prompt().text.clone();
    assert!(next.contains("Say two.") && !next.contains("Say one."), "the next one has it: {next}");
    assert!(!next.contains("have changed"), "there is nothing to tell of");
    assert_eq!(host.loaded(), ["alpha", "beta"], "it keeps its place");
    let version = host.session.state().expect("the store is in memory").version;
    host.turn();
    let events = host.refreshed();
    let recorded: Vec<_> =
        events.iter().map(|event| (&*event.id, &*event.place.location)).collect();
    assert_eq!(recorded, [("alpha", &*file.to_string_lossy())], "it is recorded once");
    assert_ne!(events[0].before, events[0].after, "with what it was and what it is");
    let after = host.session.state().expect("the store is in memory").version;
    assert_eq!(after, version, "where nothing changes the conversation does not");
}

#[test]
fn the_model_may_be_notified_instead() {
    let host = Host::new("session: {on_change: notify}");
    assert!(!host.says("have changed"), "nothing has");
    host.write(skill("alpha", "Say two."));
    let turn = host.turn();
    assert_eq!(turn.changed(), ["alpha"], "the host can see it");
    let text = turn.prompt().text.clone();
    let note = "These loaded skills have changed since they were loaded: `alpha`. To have one as it \
        is now, unload it, then call `skills_load` with its name, and with `mode` `add` to keep the \
        others.\n";
    assert!(text.ends_with(note), "and so is the model: {text}");
    assert!(text.contains("Say one.") && !text.contains("Say two."), "what it has stays: {text}");
    host.load(&["alpha"]);
    assert!(host.says("Say two.") && !host.says("have changed"), "it has it as it is now");
}

#[test]
fn changes_of_delivered_bodies_are_in_the_next_results() {
    for on_change in ["refresh_next_turn", "notify"] {
        let policies = Policies::from_yaml(&format!("session: {{on_change: {on_change}}}"));
        let policies = policies.expect("it is good").with_body_delivery(BodyDelivery::ToolResult);
        let tree = Tree::new("");
        tree.write("alpha/SKILL.md", skill("alpha", "Say one."));
        let builder = dynamic::builder().policies(policies).skills_directory("user", tree.path());
        let runtime = builder.build().expect("the runtime is complete");
        let session = runtime.open_session().expect("the store is in memory");
        let turn = || runtime.turn(&session).expect("the store is in memory");
        let load = ToolCall::new("skills_load", json!({"names": ["alpha"]}));
        let other = ToolCall::new("skills_read", json!({"path": "nothing.md"}));
        let unload = ToolCall::new("skills_unload", json!({"all": true}));
        let words = |call: &ToolCall| format!("{:?}", turn().call(call).result.content);
        let note = "have changed since they were loaded: `alpha`";
        assert!(words(&load).contains("Say one."), "it is given");
        assert!(!words(&other).contains(note), "nothing has changed");
        tree.write("alpha/SKILL.md", skill("alpha", "Say two."));
        for _ in 0..2 {
            assert_eq!(turn().changed(), ["alpha"], "a result stays as it was");
            assert!(words(&other).contains(note), "so it is repeated until it is loaded again");
        }
        let begun = turn();
        let again = words(&load);
        assert!(again.contains("Say two.") && !again.contains(note), "it is as it is: {again}");
        assert!(!format!("{:?}", begun.call(&other).result).contains(note), "as this call knows");
        assert!(turn().changed().is_empty(), "and there is nothing more to tell");
        tree.write("alpha/SKILL.md", skill("alpha", "Say three."));
        assert!(!words(&unload).contains(note), "what is unloaded is no longer named");
    }
}

/// A file that is edited while it is loaded must not give itself tools.
#[test]
fn edit_of_a_loaded_skill_grants_nothing() {
    let granting = "---\nname: alpha\ndescription: Helps.\nallowed-tools: Bash\n---\nSay two.\n";
    for on_change in ["keep", "notify", "refresh_next_turn", "revoke"] {
        let host = Host::new(&format!("session: {{on_change: {on_change}}}"));
        let decision = || {
            let arguments = json!({"command": "rm forms.pdf"});
            let decision = host.runtime.decide(&host.session, "Bash", &arguments);
            decision.expect("the store is in memory")
        };
        assert!(decision().is_ask(), "{on_change}: nothing grants it");
        host.write(granting.to_owned());
        host.runtime.reload();
        host.turn();
        assert!(decision().is_ask(), "{on_change}: {}", decision());
        let is_refreshed = on_change == "refresh_next_turn";
        assert_eq!(host.says("Say two."), is_refreshed, "{on_change}");
        let events = host.refreshed();
        assert_eq!(events.len(), usize::from(is_refreshed), "{on_change}");
        for event in events {
            assert!(event.allowed_tools.rules().is_empty(), "the rules in force: {event:?}");
            let declared = event.declared_tools.expect("the file has others");
            assert_eq!(declared.to_string(), "Bash", "{on_change}");
        }
        host.load(&["alpha"]);
        assert!(decision().is_allowed(), "{on_change}: it was loaded with these rules");
        let events = host.refreshed();
        let is_new = on_change == "revoke";
        assert_eq!(events.len(), usize::from(!is_new), "{on_change}: the audit has the new rules");
        assert!(events.iter().all(|event| event.allowed_tools.to_string() == "Bash"));
    }
}

#[test]
fn broken_version_is_not_loaded() {
    for broken in ["no frontmatter\n", "---\nname: [\n---\nSay two.\n"] {
        let host = Host::new("session: {on_change: refresh_next_turn}");
        host.write(broken.to_owned());
        assert!(host.says("Say one."), "the version that was good stays: {broken}");
        host.runtime.reload();
        assert!(host.says("Say one."), "also when it is known: {broken}");
        host.write(skill("gamma", "Say gamma."));
        assert!(host.says("Say one."), "another skill in its place is not it");
        host.runtime.reload();
        assert!(host.runtime.catalog().get("gamma").is_some(), "it is known by its name");
        assert!(host.says("Say one.") && !host.says("Say gamma."), "and is not it then either");
        std::fs::remove_dir_all(host.tree.join("alpha")).expect("it goes");
        host.runtime.reload();
        assert!(host.says("Say one."), "nor does one that is gone stop speaking");
        assert!(host.refreshed().is_empty(), "nothing is refreshed");
    }
}

#[test]
fn same_name_elsewhere_is_not_loaded() {
    let host = Host::new("session: {on_change: refresh_next_turn}");
    // It takes the id, as it is found first.
    host.tree.write("aa/SKILL.md", skill("alpha", "Say another."));
    host.runtime.reload();
    let location = host.tree.join("aa/SKILL.md");
    let catalog = host.runtime.catalog();
    let first = catalog.get("alpha").expect("there is one").location();
    assert_eq!(first, location.to_string_lossy(), "the id means it now");
    assert!(host.says("Say one."), "the one that was loaded speaks");
    host.write(skill("alpha", "Say two."));
    assert!(host.says("Say two."), "and is found by its place");
    assert_eq!(host.loaded(), ["alpha", "beta"], "under the id that it was loaded by");
}
