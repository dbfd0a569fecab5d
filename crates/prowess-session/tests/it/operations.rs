//! Tests of loading and unloading.

use std::sync::Arc;

use prowess_core::{ActiveSkill, BodyDelivery, LoadMode, Receipt, Unload};
use prowess_session::{OnChange, ReplacedSkill, SessionPolicy, operations};

use crate::fixture::{Host, edition, load, skill};

use LoadMode::Add;

fn unloading(ids: &str) -> Unload {
    Unload::These(ids.split_whitespace().map(str::to_owned).collect())
}

#[test]
fn refresh_keeps_positions() {
    let moved = ActiveSkill {
        location: "memory://notes/moved/SKILL.md".to_owned(),
        ..(*edition("b", 3)).clone()
    };
    let cases = [
        (
            "a b c",
            vec![edition("b", 2)],
            "Body of a, edition 1 / Body of b, edition 2 / Body of c, edition 1",
        ),
        ("a b", vec![edition("x", 2)], "Body of a, edition 1 / Body of b, edition 1"),
        ("a b", vec![Arc::new(moved)], "Body of a, edition 1 / Body of b, edition 1"),
        ("", vec![edition("a", 2)], ""),
    ];
    for (start, newer, end) in cases {
        let session = Host::new(SessionPolicy::default()).open();
        session.load(&crate::fixture::skills(start), Add).expect("there is room");
        session.refresh(&newer).expect("the session is open");
        let state = session.state().expect("the session is open");
        let bodies: Vec<_> = state.active.iter().map(|skill| &*skill.body).collect();
        assert_eq!(bodies.join(" / "), end, "{start} with {newer:?}");
    }
}

#[test]
fn refresh_reports_replaced_content() {
    let session = Host::new(SessionPolicy::default()).open();
    session.load(&crate::fixture::skills("a b c"), Add).expect("there is room");
    let newer = [edition("b", 2), edition("c", 1), edition("x", 2)];
    let refreshed = session.refresh(&newer).expect("the session is open");
    let expected = ReplacedSkill {
        id: "b".to_owned(),
        before: edition("b", 1).digest,
        after: edition("b", 2).digest,
    };
    assert_eq!(refreshed.replaced, [expected], "`c` has the content that it had");
}

#[test]
fn unchanged_skills_are_loaded_with_the_same_content() {
    let session = Host::new(SessionPolicy::default()).open();
    session.load(&crate::fixture::skills("a b c"), Add).expect("there is room");
    let before = session.state().expect("the session is open");
    session.unload(&unloading("a")).expect("the session is open");
    session.refresh(&[edition("b", 2)]).expect("the session is open");
    load(&session, Add, "d").expect("there is room");
    let now = session.state().expect("the session is open");
    let ids = ["a", "b", "c", "d", "x"].map(str::to_owned);
    let unchanged = operations::unchanged_since(&before, &now, &ids);
    assert_eq!(unchanged, ["c"], "`a` is unloaded, `b` is newer, `d` is new, `x` was never loaded");
}

#[test]
fn tool_results_cannot_be_refreshed() {
    use BodyDelivery::{Instructions, ToolResult};
    use OnChange::{Keep, Notify, RefreshNextTurn};
    let cases = [
        (Keep, Instructions, Keep),
        (Keep, ToolResult, Keep),
        (RefreshNextTurn, Instructions, RefreshNextTurn),
        (RefreshNextTurn, ToolResult, Notify),
        (Notify, Instructions, Notify),
        (Notify, ToolResult, Notify),
    ];
    for (policy, delivery, expected) in cases {
        assert_eq!(policy.for_delivery(delivery), expected, "{policy:?} with {delivery:?}");
    }
}

#[test]
fn receipt_has_no_body() {
    let session = Host::new(SessionPolicy::default()).open();
    let receipt = load(&session, Add, "a b").expect("two skills are within the cap");
    let state = session.state().expect("the session is open");
    assert_eq!(state.active, crate::fixture::skills("a b"), "nothing of a skill is lost");
    assert_eq!(state.current().map(|skill| skill.id.as_str()), Some("b"));
    assert_eq!(receipt, Receipt::from(&state), "the receipt is of the stored state");
    let written = serde_json::to_string(&receipt).expect("a receipt is plain data");
    assert!(!written.contains("Body of"), "a receipt has no body: {written}");
    let digest = skill("a").digest.to_string();
    assert!(written.contains(&digest), "a receipt has the digest: {written}");
}

#[test]
fn only_a_change_makes_a_new_version() {
    let session = Host::new(SessionPolicy::default()).open();
    let version = || session.state().expect("the session is open").version;
    assert_eq!(version(), 0, "a new session has version 0");
    load(&session, Add, "a").expect("one skill is within the cap");
    assert_eq!(version(), 1, "a change makes a version");
    session.unload(&unloading("x")).expect("an absent skill is no error");
    assert_eq!(version(), 1, "without a change there is no new version");
}
