//! The operations on a list of loaded skills, as pure functions.
//!
//! Each takes and returns a list with unique ids, the most recently loaded skill last.

use std::sync::Arc;

use prowess_core::{ActiveSkill, Discipline, LoadMode, SessionError, SessionState, Unload};

use crate::{OnLimit, OnReload, ReplacedSkill, SessionPolicy};

/// Returns the list after loading `skills`. A skill that is named several times counts once, at its
/// first position.
///
/// # Errors
///
/// The list would be longer than the policy's cap, or a skill is active and the policy refuses to
/// load it again.
pub fn load(
    active: &[Arc<ActiveSkill>],
    skills: &[Arc<ActiveSkill>],
    mode: LoadMode,
    policy: &SessionPolicy,
) -> Result<Vec<Arc<ActiveSkill>>, SessionError> {
    let next = loaded(active, skills, mode, policy)?;
    within_limit(next, skills, |_| false, policy)
}

/// Returns the list after loading `skills`, whatever its length.
pub(crate) fn loaded(
    active: &[Arc<ActiveSkill>],
    skills: &[Arc<ActiveSkill>],
    mode: LoadMode,
    policy: &SessionPolicy,
) -> Result<Vec<Arc<ActiveSkill>>, SessionError> {
    let wanted = without_duplicates(skills);
    match (policy.discipline, mode) {
        (Discipline::Stateless, _) | (Discipline::Set, LoadMode::Replace) => Ok(wanted),
        (Discipline::Set, LoadMode::Add) => add(active, wanted, policy.on_reload),
        (Discipline::Stack, _) if refuses_again(policy) => add(active, wanted, OnReload::Error),
        (Discipline::Stack, _) => add(active, wanted, policy.on_reload),
    }
}

/// Returns a list that has just been loaded within the policy's cap: where the policy says so, the
/// oldest skills are unloaded for it, but not those that were just loaded, nor bound ones.
pub(crate) fn within_limit(
    mut next: Vec<Arc<ActiveSkill>>,
    loaded: &[Arc<ActiveSkill>],
    is_bound: impl Fn(&str) -> bool,
    policy: &SessionPolicy,
) -> Result<Vec<Arc<ActiveSkill>>, SessionError> {
    let is_cut = policy.on_limit == OnLimit::UnloadOldest && policy.discipline == Discipline::Set;
    if is_cut && without_duplicates(loaded).len() <= policy.max_active {
        let mut surplus = next.len().saturating_sub(policy.max_active);
        next.retain(|skill| {
            let is_kept = position(loaded, &skill.id).is_some() || is_bound(&skill.id);
            let is_removed = surplus > 0 && !is_kept;
            surplus -= usize::from(is_removed);
            !is_removed
        });
    }
    if next.len() > policy.max_active {
        return Err(SessionError::TooManySkills { wanted: next.len(), cap: policy.max_active });
    }
    Ok(next)
}

/// Returns whether a skill that is active cannot be loaded again: it must not leave its position in
/// a stack.
pub(crate) fn refuses_again(policy: &SessionPolicy) -> bool {
    let moves = policy.discipline == Discipline::Stack && policy.on_reload == OnReload::MoveToEnd;
    moves || policy.on_reload == OnReload::Error
}

/// Returns the list after unloading. Ignores a skill that is not loaded.
///
/// # Errors
///
/// The session is a stack, and a skill lies below one that stays, or skills are named while none is
/// loaded.
pub fn unload(
    active: &[Arc<ActiveSkill>],
    which: &Unload,
    discipline: Discipline,
) -> Result<Vec<Arc<ActiveSkill>>, SessionError> {
    let Unload::These(ids) = which else { return Ok(Vec::new()) };
    let is_kept = |skill: &&Arc<ActiveSkill>| !ids.contains(&skill.id);
    let kept: Vec<_> = active.iter().filter(is_kept).cloned().collect();
    if discipline == Discipline::Stack {
        if active.is_empty() {
            return Err(SessionError::NothingActive);
        }
        if kept != active[..kept.len()] {
            let top = active.iter().rfind(is_kept).map(|skill| skill.id.clone());
            return Err(SessionError::NotOnTop(top.unwrap_or_default()));
        }
    }
    Ok(kept)
}

/// Returns the list with each skill replaced by the one of `newer` that has its id and location.
/// Its `allowed-tools` stay those that it was loaded with.
pub fn refresh(active: &[Arc<ActiveSkill>], newer: &[Arc<ActiveSkill>]) -> Vec<Arc<ActiveSkill>> {
    active.iter().map(|skill| newest(skill, newer)).collect()
}

/// Returns the newer version of a skill, or the skill itself. A file that changes while it is
/// loaded neither widens nor narrows what was approved with the load.
fn newest(skill: &Arc<ActiveSkill>, newer: &[Arc<ActiveSkill>]) -> Arc<ActiveSkill> {
    let mut same = newer.iter().filter(|newer| newer.id == skill.id);
    let Some(newer) = same.find(|newer| newer.location == skill.location) else {
        return Arc::clone(skill);
    };
    let mut newer = Arc::clone(newer);
    if newer.allowed_tools != skill.allowed_tools {
        Arc::make_mut(&mut newer).allowed_tools = skill.allowed_tools.clone();
    }
    newer
}

/// Returns the skills of `after` whose content or rules differ from those in `before`.
pub fn replaced(before: &[Arc<ActiveSkill>], after: &[Arc<ActiveSkill>]) -> Vec<ReplacedSkill> {
    let replacement = |after: &Arc<ActiveSkill>| {
        let before = before.iter().find(|before| before.id == after.id)?;
        let has_other_rules = before.allowed_tools != after.allowed_tools;
        let is_replaced = before.digest != after.digest || has_other_rules;
        is_replaced.then(|| ReplacedSkill {
            id: after.id.clone(),
            before: before.digest,
            after: after.digest,
        })
    };
    after.iter().filter_map(replacement).collect()
}

/// Returns those of `ids` that are loaded now with the same content as in `before`.
pub fn unchanged_since(before: &SessionState, now: &SessionState, ids: &[String]) -> Vec<String> {
    let digest = |state: &SessionState, id: &str| state.find(id).map(|skill| skill.digest);
    ids.iter()
        .filter(|id| digest(now, id).is_some() && digest(now, id) == digest(before, id))
        .cloned()
        .collect()
}

fn add(
    active: &[Arc<ActiveSkill>],
    wanted: Vec<Arc<ActiveSkill>>,
    on_reload: OnReload,
) -> Result<Vec<Arc<ActiveSkill>>, SessionError> {
    let mut next = active.to_vec();
    for skill in wanted {
        let Some(index) = position(&next, &skill.id) else {
            next.push(skill);
            continue;
        };
        match on_reload {
            OnReload::MoveToEnd => {
                next.remove(index);
                next.push(skill);
            }
            OnReload::Keep => {}
            OnReload::Error => return Err(SessionError::AlreadyActive(skill.id.clone())),
            OnReload::Refresh => next[index] = skill,
        }
    }
    Ok(next)
}

pub(crate) fn without_duplicates(skills: &[Arc<ActiveSkill>]) -> Vec<Arc<ActiveSkill>> {
    let mut kept: Vec<Arc<ActiveSkill>> = Vec::with_capacity(skills.len());
    for skill in skills {
        if position(&kept, &skill.id).is_none() {
            kept.push(skill.clone());
        }
    }
    kept
}

fn position(skills: &[Arc<ActiveSkill>], id: &str) -> Option<usize> {
    skills.iter().position(|skill| skill.id == id)
}
