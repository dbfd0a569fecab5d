//! Loaded skills that have changed since.

use std::sync::Arc;

use prowess_core::{ActiveSkill, Caller, Catalog, Digest, Record, Timestamp};

use super::package::{active_skill, read_skill_md};

/// Those of the loaded skills whose `SKILL.md` has changed since, as they are now, under the ids that they
/// were loaded by. Each is read. One that is gone, that nobody may load any more, that is broken by now or
/// has another name is left out.
pub fn newer_versions(
    catalog: &Catalog,
    active: &[Arc<ActiveSkill>],
    now: Timestamp,
) -> Vec<Arc<ActiveSkill>> {
    active.iter().filter_map(|skill| newer_version(catalog, skill, now).map(Arc::new)).collect()
}

fn newer_version(catalog: &Catalog, skill: &ActiveSkill, now: Timestamp) -> Option<ActiveSkill> {
    let record = record_of(catalog, skill)?;
    let bytes = read_skill_md(catalog, record).ok()?;
    if Digest::of(&bytes) == skill.digest {
        return None;
    }
    let newer = active_skill(record, &bytes, now).ok()?;
    // What has come to stand in its place is another skill.
    let is_it = newer.name == skill.name;
    is_it.then(|| ActiveSkill { id: skill.id.clone(), ..newer })
}

/// The record at the place that the skill was loaded from: another skill may have its id by now.
fn record_of<'c>(catalog: &'c Catalog, skill: &ActiveSkill) -> Option<Record<'c>> {
    // Who loaded it is not kept, and there are skills for each of the two alone.
    let find = |typed: &str| {
        let callers = [Caller::Model, Caller::User];
        callers.into_iter().find_map(|caller| catalog.find(typed, caller).found())
    };
    let by_id = find(&skill.id).filter(|record| record.is_at(&skill.location));
    by_id.or_else(|| find(&skill.location))
}
