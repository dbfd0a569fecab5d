//! Sessions of a runtime: bodies that the model has, limits, exports, and lists.

use std::collections::BTreeSet;

use prowess::session::{ImportRequest, SessionHandle};
use prowess::{BodyDelivery, Content, Policies, Runtime, ToolCall, ToolResult};
use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::dynamic;

/// A runtime with the skills `alpha` and `beta`, whose bodies are in results.
struct Host {
    tree: Tree,
    runtime: Runtime,
}

impl Host {
    fn new(policies: Policies) -> Self {
        let tree = Tree::new("");
        for name in ["alpha", "beta"] {
            tree.write(&format!("{name}/SKILL.md"), skill(name, "one"));
        }
        let policies = policies.with_body_delivery(BodyDelivery::ToolResult);
        let builder = dynamic::builder().policies(policies).skills_directory("user", tree.path());
        Self { runtime: builder.build().expect("the runtime is complete"), tree }
    }

    fn open(&self) -> SessionHandle {
        self.runtime.open_session().expect("the store is in memory")
    }

    fn call(&self, session: &SessionHandle, tool: &str, arguments: Value) -> ToolResult {
        let turn = self.runtime.turn(session).expect("the session is open");
        turn.call(&ToolCall::new(tool, arguments)).result
    }

    /// Adds skills; returns what is already loaded, and the text of the result.
    #[track_caller]
    fn load(&self, session: &SessionHandle, names: &[&str], force: bool) -> (Value, String) {
        let arguments = json!({ "names": names, "mode": "add", "force": force });
        let result = self.call(session, "skills_load", arguments);
        assert!(!result.is_error, "{result:?}");
        let text = |part: &Content| match part {
            Content::Text { text } => text.clone(),
            Content::Blob { .. } => String::new(),
        };
        let text = result.content.iter().map(text).collect();
        (result.structured.expect("a receipt is data")["already_loaded"].clone(), text)
    }
}

fn skill(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Helps.\n---\nBody {body} of {name}\n")
}

fn active(session: &SessionHandle) -> Vec<String> {
    let state = session.state().expect("the session is open");
    state.active.iter().map(|skill| skill.id.clone()).collect()
}

#[test]
fn moved_skill_is_loaded_from_its_new_place() {
    let host = Host::new(Policies::default());
    let location = || {
        let session = host.open();
        host.load(&session, &["alpha"], false);
        session.state().expect("the session is open").active[0].location.clone()
    };
    assert!(location().ends_with("/alpha/SKILL.md"));
    let path = |name| host.tree.path().join(name);
    std::fs::rename(path("alpha"), path("moved")).expect("a directory is renamed");
    host.runtime.reload();
    assert!(location().ends_with("/moved/SKILL.md"), "the same bytes are another package");
}

#[test]
fn loaded_body_is_not_sent_again() {
    let host = Host::new(Policies::default());
    let session = host.open();
    let (known, text) = host.load(&session, &["alpha"], false);
    assert!(known.is_null() && text.contains("Body one of alpha"), "{text}");
    let (known, text) = host.load(&session, &["alpha", "beta"], false);
    assert_eq!((&known[0]["id"], &known[0]["body"]), (&json!("alpha"), &json!("earlier_result")));
    assert!(known[0]["generation"].is_u64(), "the generation is that of the first load: {known}");
    assert!(!text.contains("Body one of alpha"), "the body is in the conversation: {text}");
    assert!(text.contains("Body one of beta"), "the new one is not: {text}");
}

#[test]
fn forced_load_sends_the_body_again() {
    let host = Host::new(Policies::default());
    let session = host.open();
    host.load(&session, &["alpha"], false);
    let (known, text) = host.load(&session, &["alpha"], true);
    assert!(known.is_null(), "{known}");
    assert!(text.contains("Body one of alpha"), "{text}");
}

#[test]
fn changed_body_is_sent() {
    let host = Host::new(Policies::default());
    let session = host.open();
    host.load(&session, &["alpha"], false);
    host.tree.write("alpha/SKILL.md", skill("alpha", "two"));
    host.runtime.reload();
    host.runtime.evict_bodies();
    let (known, text) = host.load(&session, &["alpha"], false);
    assert!(known.is_null() && text.contains("Body two of alpha"), "{text}");
}

#[test]
fn changed_skill_is_revoked_at_the_next_turn() {
    let policies = Policies::from_yaml("session: { on_change: revoke }");
    let host = Host::new(policies.expect("it is a policy"));
    let session = host.open();
    host.load(&session, &["alpha", "beta"], false);
    host.tree.write("alpha/SKILL.md", skill("alpha", "two"));
    host.runtime.reload();
    host.runtime.evict_bodies();
    let turn = host.runtime.turn(&session).expect("the session is open");
    assert_eq!(active(&session), ["beta"]);
    assert!(turn.changed().is_empty(), "nothing is left to report");
    let path = json!({ "skill": "alpha", "path": "SKILL.md" });
    let refused = host.call(&session, "skills_read", path);
    assert_eq!(refused.code.map(|code| code.to_string()).as_deref(), Some("skill-not-active"));
    let (_, text) = host.load(&session, &["alpha"], false);
    assert!(text.contains("Body two of alpha"), "a new load brings the new body: {text}");
}

#[test]
fn allowlist_limits_a_session() {
    let host = Host::new(Policies::default());
    let allowed = BTreeSet::from(["beta".to_owned()]);
    let session = host.runtime.open_session_allowing(allowed).expect("the store is in memory");
    let arguments = json!({ "names": ["beta", "alpha"] });
    let refused = host.call(&session, "skills_load", arguments);
    assert_eq!(refused.code.map(|code| code.to_string()).as_deref(), Some("skill-not-allowed"));
    assert!(active(&session).is_empty(), "all of them or none");
    host.load(&session, &["beta"], false);
    assert_eq!(active(&session), ["beta"]);
}

#[test]
fn exported_session_continues_on_another_host() {
    let host = Host::new(Policies::default());
    let session = host.open();
    host.load(&session, &["alpha", "beta"], false);
    let export = session.export().expect("the session is open");
    assert!(!export.contains("Body one"), "an export has no text of a skill: {export}");

    let other = Host::new(Policies::default());
    other.tree.write("beta/SKILL.md", skill("beta", "other"));
    other.runtime.reload();
    let request = ImportRequest { has_messages: true, ..ImportRequest::default() };
    let imported = other.runtime.import_session(&export, request).expect("it is an export");
    assert_eq!(active(&imported.session), ["alpha"]);
    let left_out: Vec<_> = imported.left_out.iter().map(|skill| &*skill.id).collect();
    assert_eq!(left_out, ["beta"], "this host has another text of it");
    let (known, _) = other.load(&imported.session, &["alpha"], false);
    assert_eq!(known[0]["id"], "alpha", "the conversation has its body");
    let nothing = other.runtime.import_session("{}", ImportRequest::default());
    assert!(matches!(nothing, Err(prowess::Error::Import(_))), "{nothing:?}");
}

#[test]
fn sessions_are_listed_in_pages() {
    let host = Host::new(Policies::default());
    let mut ids: Vec<_> = (0..3).map(|_| host.open().id().clone()).collect();
    ids.sort();
    let list = |after, limit| {
        let page = host.runtime.list_sessions(after, limit).expect("the store is in memory");
        page.into_iter().map(|summary| summary.id).collect::<Vec<_>>()
    };
    assert_eq!(list(None, 2), ids[..2]);
    assert_eq!(list(Some(&ids[1]), 2), ids[2..]);
    assert_eq!(host.runtime.expire_sessions().expect("the store is in memory"), 0);
}
