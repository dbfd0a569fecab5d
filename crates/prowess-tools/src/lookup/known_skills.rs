//! The skills that were parsed before.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use prowess_core::{ActivationError, ActiveSkill, Catalog, Record, RecordIndex, ToolContext};

use super::package::{announced, not_activated, read_skill_md};
use crate::gate::Refusal;

/// The maximum number of remembered skills. All are forgotten if there is no room for one more.
const MOST_SKILLS: usize = 64;

/// The maximum size of a remembered file, in bytes.
const MOST_BYTES: usize = 64 << 10;

/// The code of the finding about such a file, which a registry reports.
const SKILL_KEPT: &str = "skill-kept";

/// Remembers the skills of a catalog with the bytes that they were parsed from. Each use reads the
/// file, and parses and hashes it only if a byte differs.
///
/// What a file means depends on the rules and the records of a catalog, so those of another one are
/// forgotten. Only where a file is broken now and the catalog still offers its last good version,
/// that version is loaded, if it was loaded before: a scan reads the first bytes of a file, and
/// the text of a skill that nothing loaded was never read.
#[derive(Default)]
pub(crate) struct KnownSkills(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// While this exists, no other catalog has its address.
    catalog: Weak<Catalog>,
    skills: HashMap<RecordIndex, (Vec<u8>, Arc<ActiveSkill>)>,
    /// The last good version of each file, by its location.
    good: HashMap<String, Arc<ActiveSkill>>,
}

impl KnownSkills {
    /// Reads a skill's `SKILL.md` and returns the active skill. That its files are not those that
    /// were installed is a note of its body, since any file may have changed.
    pub(crate) fn activate(
        &self,
        context: &ToolContext<'_>,
        record: Record<'_>,
    ) -> Result<ActiveSkill, Refusal> {
        let mut skill = self.read(context, record)?;
        if let Cow::Owned(body) = announced(record, &skill.body) {
            skill.body = body.into();
        }
        Ok(skill)
    }

    fn read(&self, context: &ToolContext<'_>, record: Record<'_>) -> Result<ActiveSkill, Refusal> {
        let catalog = context.catalog;
        let now = context.clock.now();
        let bytes = read_skill_md(catalog, record)?;
        if let Some(known) = self.find(catalog, record, &bytes) {
            return Ok(ActiveSkill { loaded_at: now, activated_at: now, ..(*known).clone() });
        }
        match ActiveSkill::of(record, &bytes, now) {
            Ok(skill) => {
                self.remember(catalog, record, bytes, &skill);
                Ok(skill)
            }
            Err(error) => {
                let is_kept =
                    matches!(error, ActivationError::Broken(_)) && is_kept(record, catalog);
                let good = is_kept.then(|| self.last_good(record)).flatten();
                let good = good.ok_or_else(|| not_activated(record, &error))?;
                Ok(ActiveSkill { loaded_at: now, activated_at: now, ..(*good).clone() })
            }
        }
    }

    /// Returns the last good version of a file, if it is the one of this record.
    fn last_good(&self, record: Record<'_>) -> Option<Arc<ActiveSkill>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let good = known.good.get(&record.location())?;
        let described = good.properties["description"].as_str().map(str::trim);
        let is_it = (&*good.id, &*good.name) == (record.id(), record.name())
            && described == Some(record.description())
            && good.layer == *record.layer().name
            && good.version.as_deref() == record.version();
        is_it.then(|| Arc::clone(good))
    }

    fn find(
        &self,
        catalog: &Arc<Catalog>,
        record: Record<'_>,
        bytes: &[u8],
    ) -> Option<Arc<ActiveSkill>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same_catalog = known.catalog.as_ptr() == Arc::as_ptr(catalog);
        let (parsed, skill) = known.skills.get(&record.index()).filter(|_| is_same_catalog)?;
        (parsed == bytes).then(|| Arc::clone(skill))
    }

    fn remember(
        &self,
        catalog: &Arc<Catalog>,
        record: Record<'_>,
        bytes: Vec<u8>,
        skill: &ActiveSkill,
    ) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.catalog.as_ptr() != Arc::as_ptr(catalog) {
            known.skills.clear();
            known.catalog = Arc::downgrade(catalog);
        }
        known.insert(record.index(), bytes, skill);
    }
}

impl Known {
    fn insert(&mut self, index: RecordIndex, bytes: Vec<u8>, skill: &ActiveSkill) {
        if bytes.len() > MOST_BYTES {
            return;
        }
        if self.skills.len() >= MOST_SKILLS && !self.skills.contains_key(&index) {
            self.skills.clear();
        }
        if self.good.len() >= MOST_SKILLS && !self.good.contains_key(&skill.location) {
            self.good.clear();
        }
        let skill = Arc::new(skill.clone());
        self.good.insert(skill.location.clone(), Arc::clone(&skill));
        self.skills.insert(index, (bytes, skill));
    }
}

/// Returns whether a catalog offers the last good version of a file that is broken now.
fn is_kept(record: Record<'_>, catalog: &Catalog) -> bool {
    let location = record.location();
    let mut kept = catalog.diagnostics().filter(|found| found.code.as_str() == SKILL_KEPT);
    kept.any(|found| found.path.as_deref() == Some(&*location))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill() -> ActiveSkill {
        prowess_testkit::active_skill("/skills", "pdf", "Fill the form.")
    }

    #[test]
    fn remembered_files_are_limited() {
        let mut known = Known::default();
        for number in 0..MOST_SKILLS {
            known.insert(RecordIndex::new(0, number), vec![b'x'; MOST_BYTES], &skill());
        }
        known.insert(RecordIndex::new(0, 0), Vec::new(), &skill());
        known.insert(RecordIndex::new(0, MOST_SKILLS), vec![b'x'; MOST_BYTES + 1], &skill());
        assert_eq!(known.skills.len(), MOST_SKILLS, "a large file takes no other's place");
        known.insert(RecordIndex::new(0, MOST_SKILLS), Vec::new(), &skill());
        assert_eq!(known.skills.len(), 1, "there was no room");
    }
}
