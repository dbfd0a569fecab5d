//! Tests of the disciplines: each case is a series of operations with the outcome of each.

use std::sync::Arc;

use prowess_core::{BodyDelivery, LoadMode, LoadRequest, SessionError, Unload};
use prowess_session::{Discipline, OnLimit, OnReload, SessionHandle, SessionPolicy};

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

/// Runs `operations`, each with the active skills or the error after it: in a session that follows
/// the policy, and in one whose discipline is its own.
fn check(policy: &SessionPolicy, operations: &[(&str, &str)]) {
    check_in(&Host::new(policy.clone()).open(), policy, operations);
    let discipline = match policy.discipline {
        Discipline::Stack => Discipline::Set,
        _ => Discipline::Stack,
    };
    let other = Host::new(SessionPolicy { discipline, ..policy.clone() });
    let session = other.sessions.open_with_discipline(policy.discipline, None);
    check_in(&session.expect("memory takes a session"), policy, operations);
}

fn check_in(session: &SessionHandle, policy: &SessionPolicy, operations: &[(&str, &str)]) {
    for (operation, expected) in operations {
        let before = active(session);
        let result = match run(session, operation) {
            Ok(()) => active(session),
            Err(error) => {
                assert_eq!(active(session), before, "`{operation}` fails and changes nothing");
                error.to_string()
            }
        };
        assert_eq!(result, *expected, "`{operation}` with [{before}] under {policy:?}");
    }
}

fn with(discipline: Discipline) -> SessionPolicy {
    SessionPolicy { discipline, ..SessionPolicy::default() }
}

#[test]
fn stack_activates_and_deactivates_at_the_top() {
    check(
        &with(Discipline::Stack),
        &[
            ("=a", "a"),
            ("=b", "a b"),
            ("-a", "skill `b` must be deactivated first"),
            ("-b", "a"),
            ("-a", ""),
            ("-a", "No active skills to deactivate"),
            ("+a b c", "a b c"),
            ("-a b", "skill `c` must be deactivated first"),
            ("-c b", "a"),
            ("-x", "a"),
            ("-*", ""),
            ("-*", ""),
        ],
    );
}

#[test]
fn stack_refuses_an_active_skill() {
    let stack = with(Discipline::Stack);
    check(&stack, &[("+a b", "a b"), ("+a", "skill `a` is already active"), ("+c", "a b c")]);
    let keep = SessionPolicy { on_reload: OnReload::Keep, ..stack.clone() };
    check(&keep, &[("+a b", "a b"), ("=a", "a b"), ("+a c", "a b c")]);
    let refresh = SessionPolicy { on_reload: OnReload::Refresh, ..stack };
    check(&refresh, &[("+a b", "a b"), ("+a", "a b")]);
}

#[test]
fn limit_of_one_is_a_single_active_skill() {
    let one = SessionPolicy { max_active: 1, ..with(Discipline::Stack) };
    let limit = "2 skills would be active and at most 1 may be; load fewer, or unload some first";
    check(&one, &[("+a", "a"), ("+b", limit), ("-a", ""), ("+b", "b")]);
    let set = SessionPolicy { max_active: 1, ..with(Discipline::Set) };
    check(&set, &[("=a", "a"), ("=b", "b"), ("+a", limit)]);
}

#[test]
fn set_loads_and_unloads_any_skill() {
    assert_eq!(LoadMode::default(), LoadMode::Replace);
    let loads = [
        ("=a", "a"),
        ("=a a b", "a b"),
        ("=b", "b"),
        ("=a", "a"),
        ("+a b b", "a b"),
        ("+c", "a b c"),
        ("=a b", "a b"),
        ("+a", "b a"),
        ("=a b c", "a b c"),
        ("+b a", "c b a"),
    ];
    check(&SessionPolicy::default(), &loads);
    let unloads = [("-b", "c a"), ("-x", "c a"), ("-x a", "c"), ("-*", ""), ("-a", ""), ("-*", "")];
    check(&with(Discipline::Set), &[&[("+c b a", "c b a")], &unloads[..]].concat());
}

#[test]
fn stateless_session_stays_empty() {
    let policy = SessionPolicy { max_active: 2, ..with(Discipline::Stateless) };
    let limit = "3 skills would be active and at most 2 may be; load fewer, or unload some first";
    check(&policy, &[("=a b", ""), ("+a", ""), ("+a b c", limit), ("-a", ""), ("-*", "")]);
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

const TOO_MANY: &str =
    "4 skills would be active and at most 3 may be; load fewer, or unload some first";

#[test]
fn limit_unloads_the_oldest() {
    let policy =
        SessionPolicy { max_active: 3, on_limit: OnLimit::UnloadOldest, ..with(Discipline::Set) };
    check(
        &policy,
        &[
            ("+a b", "a b"),
            ("+c d", "b c d"),
            ("+b", "c d b"),
            ("+a b", "d a b"),
            (
                "+e f g h",
                "7 skills would be active and at most 3 may be; load fewer, or unload some first",
            ),
            ("=e f g h", TOO_MANY),
            ("+e f g", "e f g"),
        ],
    );
    let keep = SessionPolicy { on_reload: OnReload::Keep, ..policy.clone() };
    check(&keep, &[("+a b c", "a b c"), ("+a d e", "a d e")]);
    let stack =
        SessionPolicy { discipline: Discipline::Stack, on_reload: OnReload::Keep, ..policy };
    check(&stack, &[("+a b c", "a b c"), ("+d", TOO_MANY)]);
}
