//! The skills that were parsed before.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use prowess_core::{ActiveSkill, Catalog, Record, RecordIndex, ToolContext};

use super::package::{active_skill, read_skill_md};
use crate::gate::Refusal;

/// The maximum number of remembered skills. All are forgotten if there is no room for one more.
const MOST_SKILLS: usize = 64;

/// The maximum size of a remembered file, in bytes.
const MOST_BYTES: usize = 64 << 10;

/// Remembers the skills of a catalog with the bytes that they were parsed from. Each use reads the
/// file, and parses and hashes it only if a byte differs.
///
/// What a file means depends on the rules and the records of a catalog, so those of another one are
/// forgotten.
#[derive(Default)]
pub(crate) struct KnownSkills(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// While this exists, no other catalog has its address.
    catalog: Weak<Catalog>,
    skills: HashMap<RecordIndex, (Vec<u8>, Arc<ActiveSkill>)>,
}

impl KnownSkills {
    /// Reads a skill's `SKILL.md` and returns the active skill.
    pub(crate) fn activate(
        &self,
        context: &ToolContext<'_>,
        record: Record<'_>,
    ) -> Result<ActiveSkill, Refusal> {
        let catalog = context.catalog;
        let now = context.clock.now();
        let bytes = read_skill_md(catalog, record)?;
        if let Some(known) = self.find(catalog, record, &bytes) {
            return Ok(ActiveSkill { loaded_at: now, activated_at: now, ..(*known).clone() });
        }
        let skill = active_skill(record, &bytes, now)?;
        self.remember(catalog, record, bytes, &skill);
        Ok(skill)
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
            *known = Known { catalog: Arc::downgrade(catalog), ..Known::default() };
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
        self.skills.insert(index, (bytes, Arc::new(skill.clone())));
    }
}

#[cfg(test)]
mod tests {
    use prowess_core::{AllowedTools, Digest, Timestamp};

    use super::*;

    fn skill() -> ActiveSkill {
        ActiveSkill {
            id: "pdf".to_owned(),
            name: "pdf".to_owned(),
            location: "/skills/pdf/SKILL.md".to_owned(),
            root_dir: "/skills/pdf".to_owned(),
            layer: "user".to_owned(),
            version: None,
            digest: Digest::of(b"pdf"),
            properties: serde_json::json!({ "name": "pdf" }),
            allowed_tools: AllowedTools::default(),
            body: "Fill the form.".into(),
            loaded_at: Timestamp(1),
            activated_at: Timestamp(1),
        }
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
