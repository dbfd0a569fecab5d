//! Sessions of a runtime: limits, exports, lists, and the text about their skills.

use std::collections::BTreeSet;

use prowess::prompt::SkillFilter;
use prowess::session::{ImportRequest, SessionHandle};
use prowess::{BodyDelivery, Policies, Runtime, SessionId, ToolCall, ToolResult};
use prowess_testkit::Tree;
use serde_json::json;

use crate::dynamic;

/// A runtime with the skills `alpha` and `beta`, whose bodies are in results.
struct Host {
    tree: Tree,
    runtime: Runtime,
}

impl Host {
    fn new() -> Self {
        let tree = Tree::new("");
        for name in ["alpha", "beta"] {
            tree.write(&format!("{name}/SKILL.md"), skill(name, "one"));
        }
        let policies = Policies::default().with_body_delivery(BodyDelivery::ToolResult);
        let builder = dynamic::builder().policies(policies).skills_directory("user", tree.path());
        Self { runtime: builder.build().expect("the runtime is complete"), tree }
    }

    fn open(&self) -> SessionHandle {
        self.runtime.open_session().expect("the store is in memory")
    }

    fn load(&self, session: &SessionHandle, names: &[&str]) -> ToolResult {
        let turn = self.runtime.turn(session).expect("the session is open");
        turn.call(&ToolCall::new("skills_load", json!({ "names": names, "mode": "add" }))).result
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
fn allowlist_limits_a_session() {
    let host = Host::new();
    let allowed = BTreeSet::from(["beta".to_owned()]);
    let session = host.runtime.open_session_allowing(allowed).expect("the store is in memory");
    let refused = host.load(&session, &["beta", "alpha"]);
    assert_eq!(refused.code.map(|code| code.to_string()).as_deref(), Some("skill-not-allowed"));
    assert!(!host.load(&session, &["beta"]).is_error);
    assert_eq!(active(&session), ["beta"]);
}

#[test]
fn exported_session_continues_on_another_host() {
    let host = Host::new();
    let session = host.open();
    host.load(&session, &["alpha", "beta"]);
    let export = session.export().expect("the session is open");
    let other = Host::new();
    other.tree.write("beta/SKILL.md", skill("beta", "other"));
    other.runtime.reload();
    let request = ImportRequest { has_messages: true, ..ImportRequest::default() };
    let imported = other.runtime.import_session(&export, request).expect("it is an export");
    assert_eq!(active(&imported.session), ["alpha"]);
    let left_out: Vec<_> = imported.left_out.iter().map(|skill| &*skill.id).collect();
    assert_eq!(left_out, ["beta"], "this host has another text of it");
    let again = other.load(&imported.session, &["alpha"]).structured.expect("it is data");
    assert_eq!(again["already_loaded"][0]["id"], "alpha", "the conversation has its body");
    let nothing = other.runtime.import_session("{}", ImportRequest::default());
    assert!(matches!(nothing, Err(prowess::Error::Import(_))), "{nothing:?}");
}

#[test]
fn sessions_are_listed_in_pages() {
    let host = Host::new();
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

#[test]
fn skills_prompt_has_the_loaded_skills_of_a_session() {
    let host = Host::new();
    let session = host.open();
    host.load(&session, &["alpha"]);
    let text = |id| host.runtime.skills_prompt(id, &SkillFilter::default());
    let with = text(Some(session.id())).expect("the session is open");
    let (available, active) = with.split_once("<<<ACTIVE_SKILLS>>>").expect("it has both parts");
    assert!(available.contains("name: beta") && !available.contains("name: alpha"), "{with}");
    assert!(active.contains("name: alpha") && active.contains("Body one of alpha"), "{with}");
    let without = text(None).expect("no session is needed");
    assert!(without.contains("name: alpha") && !without.contains("ACTIVE_SKILLS"), "{without}");
    let unknown = SessionId::new("unknown").expect("it is a valid id");
    assert!(text(Some(&unknown)).is_err(), "no session of this id is open");
}
