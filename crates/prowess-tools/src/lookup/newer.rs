//! Loaded skills that have changed since.

use std::sync::Arc;

use prowess_core::{ActiveSkill, Caller, Catalog, Digest, Record, Timestamp};

use super::package::{active_skill, announced, read_skill_md};

/// Returns the new versions of loaded skills whose `SKILL.md` has changed, under the ids by which
/// they were loaded. Reads each skill.
///
/// A skill is left out if it is missing, broken, no longer visible, or declares another name.
pub fn changed_active_skills(
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
    let mut newer = active_skill(record, &bytes, now).ok()?;
    newer.body = announced(record, &newer.body).into();
    // With another name, a different skill has replaced it.
    (newer.name == skill.name).then(|| ActiveSkill { id: skill.id.clone(), ..newer })
}

/// Returns the record at the location of a loaded skill. A different skill may have its id now.
fn record_of<'c>(catalog: &'c Catalog, skill: &ActiveSkill) -> Option<Record<'c>> {
    let by_id = visible(catalog, &skill.id).filter(|record| record.is_at(&skill.location));
    by_id.or_else(|| visible(catalog, &skill.location))
}

/// Finds a skill that the model or the user may load. A session does not record which of the two
/// loaded a skill, and some skills are visible to one of them only.
fn visible<'c>(catalog: &'c Catalog, reference: &str) -> Option<Record<'c>> {
    let for_model = catalog.find(reference, Caller::Model).found();
    for_model.or_else(|| catalog.find(reference, Caller::User).found())
}
