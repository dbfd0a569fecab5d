//! Tests of the disciplines: each case is a series of operations with the outcome of each.

use std::sync::Arc;

use prowess_core::{BodyDelivery, LoadMode, LoadRequest, SessionError, Unload};
use prowess_session::{Discipline, OnLimit, SessionHandle, SessionPolicy};
use prowess_testkit::rows;

use crate::fixture::{Host, active, edition, load, skills};

/// Runs one operation: `+a b` adds, `=a b` replaces, `-a b` unloads, `-*` unloads all.
fn run(session: &SessionHandle, operation: &str) -> Result<(), SessionError> {
    let (sign, ids) = operation.split_at(1);
    let result = match (sign, ids) {
        ("+", ids) => load(session, LoadMode::Add, ids),
        ("=", ids) => load(session, LoadMode::Replace, ids),
        ("-", "*") => session.unload(&Unload::All),
        (_, ids) => {
            session.unload(&Unload::These(ids.split_whitespace().map(str::to_owned).collect()))
        }
    };
    result.map(drop)
}

/// Each case runs in a session that follows the policy, and in one whose discipline is its own.
#[test]
fn operations_follow_the_discipline() {
    assert_eq!(LoadMode::default(), LoadMode::Replace);
    for [name, policy, steps] in rows(include_str!("../data/disciplines.txt"), "operations") {
        let mut policy: SessionPolicy = serde_json::from_str(&policy).expect("it is a policy");
        if name.starts_with("limit ") {
            policy.on_limit = OnLimit::UnloadOldest;
        }
        check_in(&Host::new(policy.clone()).open(), &name, &steps);
        let discipline = match policy.discipline {
            Discipline::Stack => Discipline::Set,
            _ => Discipline::Stack,
        };
        let other = Host::new(SessionPolicy { discipline, ..policy.clone() });
        let session = other.sessions.open_with_discipline(policy.discipline, None);
        check_in(&session.expect("memory takes a session"), &name, &steps);
    }
}

fn check_in(session: &SessionHandle, name: &str, steps: &str) {
    for step in steps.split(" | ") {
        let (operation, expected) = step.split_once('→').expect("an operation and its outcome");
        let before = active(session);
        let result = match run(session, operation) {
            Ok(()) => active(session),
            Err(error) => {
                assert_eq!(active(session), before, "`{operation}` fails and changes nothing");
                error.to_string()
            }
        };
        assert_eq!(result, expected, "{name}: `{operation}` with [{before}]");
    }
}

fn with(discipline: Discipline) -> SessionPolicy {
    SessionPolicy { discipline, ..SessionPolicy::default() }
}

#[test]
fn stateless_load_always_delivers() {
    let session = Host::new(with(Discipline::Stateless)).open();
    for _ in 0..2 {
        let request = LoadRequest {
            skills: &skills("a b"),
            mode: LoadMode::Add,
            delivery: BodyDelivery::Instructions,
            generation: 1,
            force: false,
        };
        let outcome = session.activate(&request).expect("there is room");
        assert_eq!(outcome.deliver, ["a", "b"], "no instructions could have the bodies");
        assert_eq!(outcome.receipt.active_skills.len(), 2, "the receipt names what was read");
        assert!(outcome.already_loaded.is_empty(), "the session has no memory");
    }
    assert_eq!(session.state().expect("the session is open").version, 0, "nothing was stored");
}

#[test]
fn stack_keeps_the_rules_of_the_lower_skill() {
    let session = Host::new(with(Discipline::Stack)).open();
    load(&session, LoadMode::Add, "a").expect("there is room");
    let before = session.state().expect("the session is open").active;
    load(&session, LoadMode::Add, "b").expect("there is room");
    session.unload(&Unload::These(vec!["b".to_owned()])).expect("`b` is on top");
    let after = session.state().expect("the session is open").active;
    assert_eq!(after, before, "the rules that were in force before `b` are in force again");
}

#[test]
fn revoked_skill_leaves_the_stack_anywhere() {
    let session = Host::new(with(Discipline::Stack)).open();
    load(&session, LoadMode::Add, "a b c").expect("there is room");
    let newer = Arc::clone(&edition("b", 2));
    let is_changed =
        |skill: &prowess_core::ActiveSkill| skill.id == newer.id && skill.digest != newer.digest;
    let revoked = session.revoke(is_changed).expect("the session is open");
    assert_eq!(revoked.len(), 1, "one skill has changed");
    assert_eq!(active(&session), "a c");
    assert!(session.revoke(is_changed).expect("the session is open").is_empty(), "it is gone");
}
