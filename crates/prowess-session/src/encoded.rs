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

#[cfg(test)]
mod tests {
    use prowess_core::AllowedTools;

    use super::*;

    fn skill(name: &str, body: &str) -> Arc<ActiveSkill> {
        Arc::new(ActiveSkill {
            id: name.to_owned(),
            name: name.to_owned(),
            location: format!("/skills/{name}/SKILL.md"),
            root_dir: format!("/skills/{name}"),
            layer: "user".to_owned(),
            version: None,
            digest: Digest::of(body.as_bytes()),
            properties: serde_json::json!({ "name": name }),
            allowed_tools: AllowedTools::default(),
            body: body.into(),
            loaded_at: Timestamp(1),
            activated_at: Timestamp(1),
        })
    }

    #[test]
    fn known_skill_has_its_content_at_any_time() {
        let encoded = EncodedSkills::default();
        let first = skill("pdf", "Fill the form.");
        let content = encoded.content(&first).unwrap();
        let later = ActiveSkill { loaded_at: Timestamp(9), ..(*first).clone() };
        let again = encoded.content(&Arc::new(later)).unwrap();
        assert!(Arc::ptr_eq(content.text(), again.text()), "it is encoded once");
    }

    #[test]
    fn copies_of_one_file_have_their_own_contents() {
        let encoded = EncodedSkills::default();
        let one = skill("pdf", "Fill the form.");
        encoded.content(&one).unwrap();
        let changes: [fn(&mut ActiveSkill); 10] = [
            |skill| skill.id.push('2'),
            |skill| skill.name.push('2'),
            |skill| skill.location.push('2'),
            |skill| skill.root_dir.push('2'),
            |skill| skill.layer.push('2'),
            |skill| skill.version = Some("2".to_owned()),
            |skill| skill.digest = Digest::of(b"2"),
            |skill| skill.properties["license"] = "MIT".into(),
            |skill| skill.allowed_tools = AllowedTools::Empty,
            |skill| skill.body = "Something else.".into(),
        ];
        for change in changes {
            let mut other = (*one).clone();
            change(&mut other);
            let other = Arc::new(other);
            let content = encoded.content(&other).unwrap();
            assert_eq!(content, encode(&other).unwrap(), "a content is that of its own skill");
            assert_eq!(encoded.content(&one).unwrap(), encode(&one).unwrap());
        }
    }

    #[test]
    fn remembered_contents_are_limited() {
        let encoded = EncodedSkills::default();
        let body = "x".repeat(MOST_BYTES / 3);
        for number in 0..10 {
            let body = format!("{number}{body}");
            encoded.content(&skill("pdf", &body)).unwrap();
            let Encoded { skills, bytes } = &*encoded.0.lock().unwrap();
            let held: usize = skills.values().map(|(_, content)| content.text().len()).sum();
            assert_eq!(held, *bytes, "the sum is that of the remembered contents");
            assert!(*bytes <= MOST_BYTES, "{bytes} bytes are remembered");
        }
    }

    /// Returns a skill whose content has this size.
    fn skill_of(bytes: usize, start: char) -> Arc<ActiveSkill> {
        let without_body = encode(&skill("pdf", "")).unwrap().text().len();
        let rest = "x".repeat(bytes - without_body - start.len_utf8());
        skill("pdf", &format!("{start}{rest}"))
    }

    /// Returns the number of the remembered contents and their size.
    fn remembered(encoded: &EncodedSkills) -> (usize, usize) {
        let Encoded { skills, bytes } = &*encoded.0.lock().unwrap();
        (skills.len(), *bytes)
    }

    #[test]
    fn contents_up_to_the_limit_are_remembered() {
        let encoded = EncodedSkills::default();
        let half = MOST_BYTES / 2;
        let (whole, larger) = (MOST_BYTES, MOST_BYTES + 1);
        for (size, expected, rule) in [
            (half, (1, half), "a content is remembered"),
            (half, (2, whole), "the limit itself is allowed"),
            (larger, (2, whole), "a content beyond the limit replaces nothing"),
            (whole, (1, whole), "a content of the whole limit replaces the others"),
        ] {
            let start = char::from(b'a' + u8::try_from(remembered(&encoded).0).unwrap());
            encoded.content(&skill_of(size, start)).unwrap();
            assert_eq!(remembered(&encoded), expected, "{rule}");
        }
    }

    #[test]
    fn copy_replaces_the_content_of_its_file() {
        let encoded = EncodedSkills::default();
        for name in ["pdf", "forms", "notes"] {
            let copy = skill(name, "Fill the form.");
            let size = encoded.content(&copy).unwrap().text().len();
            assert_eq!(remembered(&encoded), (1, size), "only {name} is remembered");
        }
    }
}
