//! What an operation makes of a list of active skills: pure functions of values.
//!
//! A list has each id once, the most recently loaded last. What goes in so comes out so.

use prowess_core::{ActiveSkill, LoadMode, SessionError, Unload};

use crate::{OnReload, SessionPolicy};

/// The list after loading `skills`. One that is named several times counts once, at its first place.
///
/// # Errors
///
/// The list would be longer than the policy's cap, or a skill is active and the policy refuses to load
/// it again.
pub fn load(
    active: &[ActiveSkill],
    skills: Vec<ActiveSkill>,
    mode: LoadMode,
    policy: &SessionPolicy,
) -> Result<Vec<ActiveSkill>, SessionError> {
    let wanted = without_duplicates(skills);
    let next = match mode {
        LoadMode::Replace => wanted,
        LoadMode::Add => add(active, wanted, policy.on_reload)?,
    };
    if next.len() > policy.max_active {
        return Err(SessionError::TooManySkills { wanted: next.len(), cap: policy.max_active });
    }
    Ok(next)
}

/// The list after unloading. A skill that is not active is no error.
pub fn unload(active: &[ActiveSkill], which: &Unload) -> Vec<ActiveSkill> {
    match which {
        Unload::All => Vec::new(),
        Unload::These(ids) => {
            active.iter().filter(|skill| !ids.contains(&skill.id)).cloned().collect()
        }
    }
}

/// The list with newer versions in the places of those that have their ids and locations.
pub fn renew(active: &[ActiveSkill], newer: &[ActiveSkill]) -> Vec<ActiveSkill> {
    let newest = |skill: &ActiveSkill| {
        let is_it = |newer: &&ActiveSkill| newer.id == skill.id && newer.location == skill.location;
        newer.iter().find(is_it).unwrap_or(skill).clone()
    };
    active.iter().map(newest).collect()
}

fn add(
    active: &[ActiveSkill],
    wanted: Vec<ActiveSkill>,
    on_reload: OnReload,
) -> Result<Vec<ActiveSkill>, SessionError> {
    let mut next = active.to_vec();
    for skill in wanted {
        let Some(at) = position(&next, &skill.id) else {
            next.push(skill);
            continue;
        };
        match on_reload {
            OnReload::MoveToEnd => {
                next.remove(at);
                next.push(skill);
            }
            OnReload::Keep => {}
            OnReload::Error => return Err(SessionError::AlreadyActive(skill.id)),
            OnReload::Refresh => next[at] = skill,
        }
    }
    Ok(next)
}

fn without_duplicates(skills: Vec<ActiveSkill>) -> Vec<ActiveSkill> {
    let mut kept: Vec<ActiveSkill> = Vec::with_capacity(skills.len());
    for skill in skills {
        if position(&kept, &skill.id).is_none() {
            kept.push(skill);
        }
    }
    kept
}

fn position(skills: &[ActiveSkill], id: &str) -> Option<usize> {
    skills.iter().position(|skill| skill.id == id)
}
