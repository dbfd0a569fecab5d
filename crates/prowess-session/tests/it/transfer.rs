//! Tests of exported and imported sessions.

use std::collections::BTreeSet;
use std::sync::Arc;

use prowess_core::{ActiveSkill, BodyDelivery, BodyPlace, LoadMode, LoadRequest, SessionId};
use prowess_session::{
    ExportedSkill, ImportError, ImportRequest, Imported, OpenError, SessionHandle, SessionPolicy,
};
use serde_json::json;

use crate::fixture::{Host, active, edition, load, skill, skills};

fn exported() -> String {
    let session = Host::new(SessionPolicy::default()).open();
    let request = LoadRequest {
        skills: &skills("a b"),
        mode: LoadMode::Add,
        delivery: BodyDelivery::ToolResult,
        generation: 3,
        force: false,
    };
    session.activate(&request).expect("there is room");
    session.export().expect("the session is open")
}

/// Imports into a new host that has edition 1 of each skill.
fn import(json: &str, request: ImportRequest) -> Result<Imported, ImportError> {
    let host = Host::new(SessionPolicy::default());
    host.sessions.import(json, request, |exported: &ExportedSkill| Some(skill(&exported.id)))
}

fn ids(skills: &[ExportedSkill]) -> Vec<&str> {
    skills.iter().map(|skill| skill.id.as_str()).collect()
}

fn places(session: &SessionHandle) -> Vec<BodyPlace> {
    let state = session.state().expect("the session is open");
    state.ledger.iter().map(|entry| entry.body).collect()
}

#[test]
fn export_has_no_texts() {
    let json: serde_json::Value = serde_json::from_str(&exported()).expect("it is JSON");
    let reference = |id: &str| {
        json!({
            "id": id,
            "digest": edition(id, 1).digest,
            "generation": 3,
            "body": { "tool_result": 1 },
        })
    };
    let expected = json!({
        "prowess_session": 1,
        "skills": [reference("a"), reference("b")],
        "deliveries": 1,
    });
    assert_eq!(json, expected);
}

#[test]
fn imported_session_continues() {
    let request = ImportRequest { has_messages: true, ..ImportRequest::default() };
    let Imported { session, left_out } = import(&exported(), request).expect("it is an export");
    assert_eq!(active(&session), "a b");
    assert!(left_out.is_empty());
    assert_eq!(places(&session), [BodyPlace::ToolResult(1); 2]);
    let again = session.export().expect("the session is open");
    assert_eq!(again, exported(), "an import and an export change nothing");
}

#[test]
fn import_without_messages_has_no_deliveries() {
    let imported = import(&exported(), ImportRequest::default()).expect("it is an export");
    assert_eq!(places(&imported.session), [BodyPlace::Gone; 2]);
}

#[test]
fn import_takes_only_what_the_host_has() {
    let host = Host::new(SessionPolicy::default());
    let resolve = |exported: &ExportedSkill| -> Option<Arc<ActiveSkill>> {
        (exported.id == "b").then(|| skill("b"))
    };
    let imported = host.sessions.import(&exported(), ImportRequest::default(), resolve);
    let Imported { session, left_out } = imported.expect("it is an export");
    assert_eq!((active(&session).as_str(), ids(&left_out)), ("b", vec!["a"]));

    let changed = |exported: &ExportedSkill| Some(edition(&exported.id, 2));
    let imported = host.sessions.import(&exported(), ImportRequest::default(), changed);
    let Imported { session, left_out } = imported.expect("it is an export");
    assert_eq!(active(&session), "", "another content is another skill");
    assert_eq!(ids(&left_out), ["a", "b"]);

    let other = |_: &ExportedSkill| Some(skill("c"));
    let imported = host.sessions.import(&exported(), ImportRequest::default(), other);
    assert_eq!(active(&imported.expect("it is an export").session), "", "another id too");
}

#[test]
fn import_never_widens_a_limit() {
    let set = |ids: &str| ids.split_whitespace().map(str::to_owned).collect::<BTreeSet<_>>();
    let limited = Host::new(SessionPolicy::default()).sessions.open_allowing(set("a b"));
    let limited = limited.expect("memory takes a session");
    load(&limited, LoadMode::Add, "a b").expect("both are allowed");
    let json = limited.export().expect("the session is open");
    let Imported { session, .. } =
        import(&json, ImportRequest::default()).expect("it is an export");
    load(&session, LoadMode::Add, "c").expect_err("the limit is imported");

    let request = ImportRequest { allowed: Some(set("b c")), ..ImportRequest::default() };
    let Imported { session, left_out } = import(&json, request).expect("it is an export");
    assert_eq!((active(&session).as_str(), ids(&left_out)), ("b", vec!["a"]));
    load(&session, LoadMode::Add, "a").expect_err("the limit of the host holds");
    load(&session, LoadMode::Add, "c").expect_err("the limit of the import holds");
}

#[test]
fn import_chooses_no_id() {
    let json = exported().replacen('{', r#"{"id":"aaaa","#, 1);
    let error = import(&json, ImportRequest::default()).expect_err("an export has no id");
    assert!(matches!(error, ImportError::Invalid(_)), "{error}");
    let id = SessionId::new("chat-7").expect("it is a good id");
    let host = Host::new(SessionPolicy::default());
    let request = || ImportRequest { id: Some(id.clone()), ..ImportRequest::default() };
    let none = |_: &ExportedSkill| None;
    let first = host.sessions.import(&exported(), request(), none).expect("the id is free");
    assert_eq!(*first.session.id(), id, "the host chooses");
    let error = host.sessions.import(&exported(), request(), none).expect_err("it is taken");
    assert_eq!(error, ImportError::Open(OpenError::Exists(id)));
}

#[test]
fn import_brings_no_tools_and_bodies() {
    for field in ["body_text", "allowed_tools", "properties", "location"] {
        let json =
            exported().replacen(r#"{"id":"a","#, &format!(r#"{{"id":"a","{field}":"*","#), 1);
        assert_ne!(json, exported());
        let error = import(&json, ImportRequest::default()).expect_err("it is not a reference");
        assert!(error.to_string().contains(field), "{error}");
    }
}

#[test]
fn import_is_bounded() {
    let nine = (0..9).map(|number| {
        json!({ "id": format!("s{number}"), "digest": edition(&format!("s{number}"), 1).digest,
            "generation": 1, "body": "gone" })
    });
    let nine = json!({ "prowess_session": 1, "skills": nine.collect::<Vec<_>>() }).to_string();
    let long = json!({ "prowess_session": 1, "skills": [], "allowed": ["x".repeat(1_025)] });
    let empty = json!({ "prowess_session": 1, "skills": [], "allowed": [""] });
    let cases = [
        (" ".repeat(256 * 1024 + 1), "at most 262144"),
        (nine, "9 skills would be active and at most 8 may be"),
        (long.to_string(), "an id is empty or too long"),
        (empty.to_string(), "an id is empty or too long"),
        (r#"{"prowess_session":2,"skills":[]}"#.to_owned(), "version 2 of the format"),
        ("[".repeat(200_000), "not an exported session"),
        (String::new(), "not an exported session"),
        (r#"{"skills":[]}"#.to_owned(), "not an exported session"),
    ];
    for (json, expected) in cases {
        let error = import(&json, ImportRequest::default()).expect_err(expected);
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn largest_import_is_accepted() {
    let json = json!({ "prowess_session": 1, "skills": [], "allowed": ["x".repeat(1_024)] });
    let json = json.to_string();
    let json = " ".repeat(256 * 1024 - json.len()) + &json;
    import(&json, ImportRequest::default()).expect("it is within every limit");
}

#[test]
fn imported_session_is_new() {
    let host = Host::new(SessionPolicy::default());
    host.clock.advance(std::time::Duration::from_secs(60));
    let none = |_: &ExportedSkill| None;
    let imported = host.sessions.import(&exported(), ImportRequest::default(), none);
    let state = imported.expect("it is an export").session.state().expect("it is open");
    let now = prowess_core::Clock::now(&*host.clock);
    assert_eq!((state.created, state.touched), (now, now), "the export has no times");
}

#[test]
fn repeated_skill_is_imported_once() {
    let reference = json!({ "id": "a", "digest": edition("a", 1).digest, "generation": 1,
        "body": "gone" });
    let json = json!({ "prowess_session": 1, "skills": [reference, reference] }).to_string();
    let Imported { session, left_out } =
        import(&json, ImportRequest::default()).expect("it is an export");
    assert_eq!((active(&session).as_str(), ids(&left_out)), ("a", vec!["a"]));
}
