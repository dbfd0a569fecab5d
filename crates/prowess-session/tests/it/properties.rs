//! Properties that hold after any series of operations.

use std::sync::Arc;

use proptest::prelude::*;
use prowess_core::{ActiveSkill, LoadMode, Session, SessionError, Unload};
use prowess_session::{OnReload, SessionPolicy, operations};

use crate::fixture::{Host, skill};

/// An operation on skills of a small alphabet, so that they meet each other.
#[derive(Clone, Debug)]
enum Operation {
    Load(Vec<&'static str>, LoadMode),
    Unload(Vec<&'static str>),
    UnloadAll,
}

fn ids() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d", "e", "f"]), 0..6)
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        (ids(), any::<bool>()).prop_map(|(ids, is_add)| {
            Operation::Load(ids, if is_add { LoadMode::Add } else { LoadMode::Replace })
        }),
        ids().prop_map(Operation::Unload),
        Just(Operation::UnloadAll),
    ]
}

fn policy() -> impl Strategy<Value = SessionPolicy> {
    let on_reload = prop::sample::select(vec![
        OnReload::MoveToEnd,
        OnReload::Keep,
        OnReload::Error,
        OnReload::Refresh,
    ]);
    (0_usize..6, on_reload).prop_map(|(max_active, on_reload)| SessionPolicy {
        max_active,
        on_reload,
        ..SessionPolicy::default()
    })
}

fn apply(session: &dyn Session, operation: &Operation) -> Result<(), SessionError> {
    let owned = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect();
    let receipt = match operation {
        Operation::Load(ids, mode) => {
            session.load(&ids.iter().map(|id| skill(id)).collect::<Vec<_>>(), *mode)
        }
        Operation::Unload(ids) => session.unload(&Unload::These(owned(ids))),
        Operation::UnloadAll => session.unload(&Unload::All),
    };
    receipt.map(drop)
}

fn ids_of(active: &[Arc<ActiveSkill>]) -> Vec<&str> {
    active.iter().map(|skill| skill.id.as_str()).collect()
}

proptest! {
    #[test]
    fn any_series_keeps_the_invariants(
        policy in policy(),
        operations in prop::collection::vec(operation(), 0..20),
    ) {
        let session = Host::new(policy.clone()).open();
        for operation in &operations {
            let before = session.state().expect("the session is open");
            let result = apply(&session, operation);
            let after = session.state().expect("the session is open");
            let mut unique = ids_of(&after.active);
            unique.sort_unstable();
            unique.dedup();
            prop_assert_eq!(unique.len(), after.active.len(), "each id is there once");
            prop_assert!(after.active.len() <= policy.max_active, "the cap holds");
            if result.is_err() {
                prop_assert_eq!(&after, &before, "a failure changes nothing");
            }
            let grown = u64::from(after.active != before.active);
            prop_assert_eq!(after.version, before.version + grown, "a version for each change");
        }
    }

    #[test]
    fn skills_that_stay_keep_their_order(before in ids(), added in ids(), on_reload in 0..2) {
        let on_reload = [OnReload::Keep, OnReload::MoveToEnd][on_reload as usize];
        let policy = SessionPolicy { max_active: 12, on_reload, ..SessionPolicy::default() };
        let load = |active: &[Arc<ActiveSkill>], ids: &[&str], mode| {
            let skills: Vec<_> = ids.iter().map(|id| skill(id)).collect();
            operations::load(active, &skills, mode, &policy).expect("all fit under the cap")
        };
        let before = load(&[], &before, LoadMode::Replace);
        let after = load(&before, &added, LoadMode::Add);
        let moves = on_reload == OnReload::MoveToEnd;
        let stays = |id: &&str| !moves || !added.contains(id);
        let expected: Vec<_> = ids_of(&before).into_iter().filter(stays).collect();
        prop_assert_eq!(&ids_of(&after)[..expected.len()], &expected[..], "who stays comes first");
        let mut newcomers: Vec<&str> = Vec::new();
        for id in &added {
            let is_new = moves || !ids_of(&before).contains(id);
            if is_new && !newcomers.contains(id) {
                newcomers.push(id);
            }
        }
        prop_assert_eq!(&ids_of(&after)[expected.len()..], &newcomers[..], "newcomers follow");
    }
}
