//! Tests of a plugin's access to a conversation.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, Availability, Caller, Callers, Catalog, CatalogBuilder, CatalogSource, Layer,
    MemorySource, RecordIndex, RecordSetBuilder, SessionError, SessionId, Timestamp, Trust,
};
use prowess_plugin_abi::conversation::{
    CatalogSnapshot, Question, REFUSALS, SessionRefusal, SkillVersion,
};
use prowess_plugin_abi::{AbiError, codes};
use prowess_testkit::{FixedSession, ManualClock};

use super::{Answer, Conversation};

const NAMES: [&str; 4] = ["free", "manual", "secret", "untrusted"];

fn skill_md(name: &str) -> String {
    format!("---\nname: {name}\ndescription: About {name}.\n---\nThe body of {name}\n")
}

/// Returns a catalog in which `free` is offered, only users may load `manual`, no caller may load
/// `untrusted`, and `secret` is for another audience.
fn catalog() -> Catalog {
    let mut source = MemorySource::builder("memory");
    let mut records = RecordSetBuilder::new();
    for name in NAMES {
        source = source.file(&format!("{name}/SKILL.md"), skill_md(name));
        records.push(&prowess_testkit::record(name, name, "About it."));
    }
    let source = Arc::new(source.build().unwrap());
    let source = CatalogSource { layer: 0, source, records: Arc::new(records.finish()) };
    let mut builder = CatalogBuilder::new(vec![Layer::new("user", Trust::Trusted)], vec![source]);
    let at = |entry| RecordIndex::new(0, entry);
    builder.show(at(0)).unwrap();
    let users = Callers { model: false, user: true };
    builder.exclude_for(at(1), Availability::Hidden, "manual only", users);
    builder.exclude_for(at(2), Availability::OutOfScope, "another audience", Callers::default());
    builder.exclude_for(at(3), Availability::Hidden, "not trusted", Callers::default());
    builder.finish(1)
}

fn active(catalog: &Catalog, id: &str) -> Arc<ActiveSkill> {
    let record = catalog.all_named(id)[0];
    Arc::new(ActiveSkill::of(record, skill_md(id).as_bytes(), Timestamp(0)).unwrap())
}

/// Asks a question, and returns the answer's text or the error's code.
fn ask(caller: Caller, loaded: &[&str], question: &Question) -> Result<String, u32> {
    answer(caller, loaded, question).map_err(|error| error.code)
}

fn answer(caller: Caller, loaded: &[&str], question: &Question) -> Result<String, AbiError> {
    let catalog = catalog();
    let active = loaded.iter().map(|id| active(&catalog, id)).collect();
    let session = FixedSession { active, refusal: None, ..FixedSession::new("talk") };
    answer_in(&session, &catalog, caller, question)
}

fn answer_in(
    session: &FixedSession,
    catalog: &Catalog,
    caller: Caller,
    question: &Question,
) -> Result<String, AbiError> {
    let clock = &ManualClock::default();
    let conversation =
        Conversation { catalog, session: Some(session), caller, clock, max_bytes: 75 };
    let answer = conversation.answer(&serde_json::to_string(question).unwrap());
    answer.map(|bytes| String::from_utf8(bytes).unwrap())
}

fn read(skill: usize, limit: usize) -> Question {
    Question::Read { skill, resource: "SKILL.md".to_owned(), limit }
}

#[test]
fn skills_of_other_audiences_are_omitted() {
    let text = ask(Caller::Model, &[], &Question::Catalog).unwrap();
    assert!(!text.contains("secret") && !text.contains("another audience"), "omitted: {text}");
    let snapshot: CatalogSnapshot = serde_json::from_str(&text).unwrap();
    let skills = snapshot.skills.iter();
    let seen: Vec<_> = skills.map(|skill| (&*skill.id, &*skill.description)).collect();
    let expected = [("free", "About it."), ("manual", "About it."), ("untrusted", "")];
    assert_eq!(seen, expected, "a skill that no caller may load has no description");
}

#[test]
fn caller_reads_only_files_of_its_skills() {
    let [free, manual, untrusted, none] = [0, 1, 2, 3];
    let denied = Err(codes::DENIED);
    let body = |name: &str| Ok(skill_md(name));
    assert_eq!(ask(Caller::Model, &[], &read(free, 99)), body("free"));
    assert_eq!(ask(Caller::Model, &[], &read(manual, 99)), denied, "a model may not load it");
    assert_eq!(ask(Caller::User, &[], &read(manual, 99)), body("manual"), "a user may load it");
    assert_eq!(ask(Caller::User, &[], &read(untrusted, 99)), denied, "no caller may load it");
    assert_eq!(ask(Caller::Model, &[], &Question::List { skill: untrusted, most: 9 }), denied);
    assert_eq!(ask(Caller::Model, &["untrusted"], &read(none, 99)), Err(codes::NOT_FOUND));
    let escape = Question::Read { skill: 0, resource: "../x".into(), limit: 9 };
    assert_eq!(ask(Caller::Model, &[], &escape), Err(codes::ESCAPE));
    let listing = ask(Caller::Model, &["manual"], &Question::List { skill: manual, most: 9 });
    assert!(listing.is_ok(), "the session has loaded it: {listing:?}");
}

#[test]
fn reads_are_limited_by_plugin_and_host() {
    assert_eq!(ask(Caller::Model, &[], &read(0, 10)), Err(codes::TOO_LARGE), "the plugin's limit");
    let long = ask(Caller::Model, &["untrusted"], &read(2, usize::MAX));
    assert_eq!(long, Err(codes::TOO_LARGE), "the host's limit");
}

#[test]
fn load_requires_permission_and_current_digest() {
    let digest = |name| prowess_core::Digest::of(skill_md(name).as_bytes()).to_string();
    let load = |caller, id: &str, digest: String| {
        let skills = vec![SkillVersion { id: id.to_owned(), digest }];
        let answer = answer(
            caller,
            &[],
            &Question::Load { skills, add: false, delivery: None, force: false },
        );
        answer.map_err(|error| match serde_json::from_str(error.ext.as_str()) {
            Ok(SessionRefusal::Refused { code, .. }) => code,
            other => panic!("expected a refusal, got {other:?}"),
        })
    };
    let receipt = load(Caller::Model, "free", digest("free"));
    assert!(receipt.is_ok_and(|receipt| receipt.contains("\"id\":\"free\"")), "a model can load");
    let refused = |code: &str| Err(code.to_owned());
    let [not_found, changed, _] = REFUSALS.map(refused);
    assert_eq!(load(Caller::Model, "free", digest("manual")), changed, "the digest differs");
    assert_eq!(load(Caller::Model, "manual", digest("manual")), not_found);
    assert!(load(Caller::User, "manual", digest("manual")).is_ok(), "the user may load it");
    assert_eq!(load(Caller::User, "secret", digest("secret")), not_found);
}

#[test]
fn invalid_questions_are_errors() {
    let catalog = catalog();
    let clock = ManualClock::default();
    let caller = Caller::Model;
    let conversation =
        Conversation { catalog: &catalog, session: None, caller, clock: &clock, max_bytes: 9 };
    let code = |question: &str| conversation.answer(question).unwrap_err().code;
    assert_eq!(code("{}"), codes::INVALID_ARGUMENT);
    assert_eq!(code("\"state\""), codes::UNSUPPORTED, "a call that describes tools has no session");
}

/// Checks the encoding of a session's refusal.
#[track_caller]
fn check_refusal(error: SessionError, expected: &str) {
    let session = FixedSession { refusal: Some(error), ..FixedSession::new("talk") };
    let unload = Question::Unload { ids: None };
    let refused = answer_in(&session, &catalog(), Caller::Model, &unload).unwrap_err();
    assert_eq!(refused.ext.as_str(), expected);
}

#[test]
fn refusals_keep_their_kind() {
    let talk = || SessionId::new("talk").unwrap();
    let many = SessionError::TooManySkills { wanted: 9, cap: 8 };
    check_refusal(many, r#"{"too-many-skills":{"wanted":9,"cap":8}}"#);
    check_refusal(SessionError::AlreadyActive("a".into()), r#"{"already-active":"a"}"#);
    check_refusal(SessionError::NotOnTop("b".into()), r#"{"not-on-top":"b"}"#);
    check_refusal(SessionError::NothingActive, r#""nothing-active""#);
    check_refusal(SessionError::NotAllowed("a".into()), r#"{"not-allowed":"a"}"#);
    check_refusal(SessionError::NotFound(talk()), r#""not-found""#);
    check_refusal(SessionError::Contended(talk()), r#""contended""#);
}
