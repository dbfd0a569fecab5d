//! Merges of locks.

use std::collections::{BTreeMap, BTreeSet};

use crate::lock::Lock;
use crate::locked_skill::LockedSkill;

/// The result of a merge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merge {
    /// The merged lock, which has our version of each skill with a conflict.
    pub lock: Lock,
    /// The skills that both sides changed differently, by id.
    pub conflicts: BTreeMap<String, Conflict>,
}

/// The versions of one skill that both sides changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conflict {
    /// The common version; `None` if there was no such skill, or no common lock.
    pub base: Option<LockedSkill>,
    /// Our version; `None` if we removed the skill.
    pub ours: Option<LockedSkill>,
    /// Their version; `None` if they removed the skill.
    pub theirs: Option<LockedSkill>,
}

/// Merges two locks by the id of each skill. There is a conflict only if both sides changed one
/// skill differently.
///
/// Without a common `base`, a skill that only one side has is kept.
pub fn merge(base: Option<&Lock>, ours: &Lock, theirs: &Lock) -> Merge {
    let (skills, ids) = merge_maps(base.map(|base| &base.skills), &ours.skills, &theirs.skills);
    // Keys that this program does not know: ours, if both sides changed one.
    let (other, _) = merge_maps(base.map(|base| &base.other), &ours.other, &theirs.other);
    let conflict = |id: String| {
        let of = |lock: &Lock| lock.skills.get(&id).cloned();
        let conflict = Conflict { base: base.and_then(of), ours: of(ours), theirs: of(theirs) };
        (id, conflict)
    };
    Merge { lock: Lock { skills, other }, conflicts: ids.into_iter().map(conflict).collect() }
}

/// Merges two maps by key, and returns the keys with a conflict.
fn merge_maps<V: Clone + PartialEq>(
    base: Option<&BTreeMap<String, V>>,
    ours: &BTreeMap<String, V>,
    theirs: &BTreeMap<String, V>,
) -> (BTreeMap<String, V>, Vec<String>) {
    let mut merged = BTreeMap::new();
    let mut conflicts = Vec::new();
    for key in ours.keys().chain(theirs.keys()).collect::<BTreeSet<_>>() {
        let (our, their) = (ours.get(key), theirs.get(key));
        let value = match base.map(|base| base.get(key)) {
            _ if our == their => our,
            Some(before) if our == before => their,
            Some(before) if their == before => our,
            None if our.is_none() => their,
            None if their.is_none() => our,
            _ => {
                conflicts.push(key.clone());
                our
            }
        };
        if let Some(value) = value {
            merged.insert(key.clone(), value.clone());
        }
    }
    (merged, conflicts)
}
