//! The contents that skills were stored as.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use prowess_core::{ActiveSkill, Digest, StoreError, StoredContent, Timestamp};

use crate::error::damaged;

/// The maximum size of the remembered contents, in bytes of text.
const MOST_BYTES: usize = 4 << 20;

/// Remembers the content of each skill, so that a skill which is loaded again, or in several
/// sessions, is encoded and hashed once.
#[derive(Default)]
pub(crate) struct EncodedSkills(Mutex<Encoded>);

#[derive(Default)]
struct Encoded {
    skills: HashMap<Digest, (Arc<ActiveSkill>, StoredContent)>,
    bytes: usize,
}

impl EncodedSkills {
    /// Returns the content of a skill. The times of the skill are left out: they differ between
    /// sessions.
    pub(crate) fn content(&self, skill: &Arc<ActiveSkill>) -> Result<StoredContent, StoreError> {
        if let Some(known) = self.find(skill) {
            return Ok(known);
        }
        let content = encode(skill)?;
        self.remember(skill, &content);
        Ok(content)
    }

    fn find(&self, skill: &ActiveSkill) -> Option<StoredContent> {
        let encoded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, content) = encoded.skills.get(&skill.digest)?;
        has_same_content(known, skill).then(|| content.clone())
    }

    /// Remembers a content instead of an earlier one of the same file. Forgets all others if there
    /// is no room for it.
    fn remember(&self, skill: &Arc<ActiveSkill>, content: &StoredContent) {
        let size = content.text().len();
        if size > MOST_BYTES {
            return;
        }
        let mut encoded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if encoded.bytes + size > MOST_BYTES {
            *encoded = Encoded::default();
        }
        let entry = (Arc::clone(skill), content.clone());
        let before = encoded.skills.insert(skill.digest, entry);
        encoded.bytes += size;
        encoded.bytes -= before.map_or(0, |(_, content)| content.text().len());
    }
}

/// Returns whether two skills differ in their times alone. Copies of one file have the same digest
/// and are at different locations.
fn has_same_content(one: &ActiveSkill, other: &ActiveSkill) -> bool {
    let ActiveSkill {
        id,
        name,
        location,
        root_dir,
        layer,
        version,
        digest,
        properties,
        allowed_tools,
        body,
        loaded_at: _,
        activated_at: _,
    } = one;
    *id == other.id
        && *name == other.name
        && *location == other.location
        && *root_dir == other.root_dir
        && *layer == other.layer
        && *version == other.version
        && *digest == other.digest
        && *allowed_tools == other.allowed_tools
        && *body == other.body
        && *properties == other.properties
}

fn encode(skill: &ActiveSkill) -> Result<StoredContent, StoreError> {
    let never = Timestamp(0);
    let skill = ActiveSkill { loaded_at: never, activated_at: never, ..skill.clone() };
    let text = serde_json::to_string(&skill).map_err(|error| damaged(&error.to_string()))?;
    Ok(StoredContent::new(text))
}
