//! The approvals of loads and the hooks that ran, for hooks of later calls in this process.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use prowess_core::{ActiveSkill, Digest, SessionId, Timestamp};

/// The most skills of all sessions. With more, all are forgotten: hooks that need an approval are
/// then refused until their skill is loaded again.
const MOST: usize = 16_384;

/// The approvals of loads, and the hooks that ran once, by session and skill.
#[derive(Default)]
pub(crate) struct HookMemory(Mutex<HashMap<Key, Known>>);

/// A run of a skill in a session.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    session: SessionId,
    location: String,
    activated: Timestamp,
}

#[derive(Default)]
struct Known {
    /// The digest of the package that a person approved with the load.
    approved: Option<Digest>,
    /// The hooks that ran and run once.
    ran: HashSet<usize>,
}

impl Key {
    fn of(session: &SessionId, skill: &ActiveSkill) -> Self {
        let location = skill.location.clone();
        Self { session: session.clone(), location, activated: skill.activated_at }
    }
}

impl HookMemory {
    /// Records what a person approved with the load of a skill.
    pub(super) fn approve(
        &self,
        session: &SessionId,
        skill: &ActiveSkill,
        approved: Option<Digest>,
    ) {
        self.change(session, skill, |known| *known = Known { approved, ran: HashSet::new() });
    }

    /// Returns the digest of the package that a person approved with the load of a skill.
    pub(super) fn approved(&self, session: &SessionId, skill: &ActiveSkill) -> Option<Digest> {
        self.known().get(&Key::of(session, skill))?.approved
    }

    /// Returns whether a hook that runs once has not run yet, and records that it has.
    pub(super) fn is_first(&self, session: &SessionId, skill: &ActiveSkill, hook: usize) -> bool {
        self.change(session, skill, |known| known.ran.insert(hook))
    }

    /// Forgets a skill that was unloaded, and returns what a person approved with its load.
    pub(super) fn forget(&self, session: &SessionId, skill: &ActiveSkill) -> Option<Digest> {
        self.known().remove(&Key::of(session, skill))?.approved
    }

    fn change<T>(
        &self,
        session: &SessionId,
        skill: &ActiveSkill,
        change: impl FnOnce(&mut Known) -> T,
    ) -> T {
        let mut known = self.known();
        if known.len() >= MOST {
            known.clear();
        }
        change(known.entry(Key::of(session, skill)).or_default())
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Key, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
