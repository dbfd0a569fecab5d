//! The skills that were parsed before.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use prowess_core::{ActiveSkill, Catalog, Record, RecordIndex, ToolContext};

use super::package::{active_skill, read_skill_md};
use crate::gate::Refusal;

/// The maximum size of the remembered files, in bytes.
const MOST_BYTES: usize = 4 << 20;

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
    bytes: usize,
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
    /// Remembers a skill, unless its file alone is too large. Forgets all others if there is no
    /// room for it.
    fn insert(&mut self, index: RecordIndex, bytes: Vec<u8>, skill: &ActiveSkill) {
        let size = bytes.len();
        if size > MOST_BYTES {
            return;
        }
        if self.bytes + size > MOST_BYTES {
            self.skills.clear();
            self.bytes = 0;
        }
        let before = self.skills.insert(index, (bytes, Arc::new(skill.clone())));
        self.bytes += size;
        self.bytes -= before.map_or(0, |(bytes, _)| bytes.len());
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
        for number in 0..10 {
            let index = RecordIndex::new(0, number % 4);
            known.insert(index, vec![b'x'; MOST_BYTES / 3 + number], &skill());
            let held: usize = known.skills.values().map(|(bytes, _)| bytes.len()).sum();
            assert_eq!(held, known.bytes, "the sum is that of the remembered files");
            assert!(known.bytes <= MOST_BYTES, "{} bytes are remembered", known.bytes);
        }
        known.insert(RecordIndex::new(0, 9), vec![b'x'; MOST_BYTES + 1], &skill());
        assert!(known.skills.len() > 1, "a file that is too large takes no other's place");
    }

    #[test]
    fn replaced_file_is_counted_once() {
        let mut known = Known::default();
        for size in [7, 5, MOST_BYTES] {
            known.insert(RecordIndex::new(0, 1), vec![b'x'; size], &skill());
            assert_eq!((known.skills.len(), known.bytes), (1, size));
        }
        let mut known = Known::default();
        for index in [1, 2] {
            known.insert(RecordIndex::new(0, index), vec![b'x'; MOST_BYTES / 2], &skill());
        }
        assert_eq!(known.skills.len(), 2, "both fit exactly");
    }
}
