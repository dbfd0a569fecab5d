//! The index of the skills of a site: the file `/.well-known/agent-skills/index.json` of the Agent
//! Skills Discovery draft, version 0.2.0.
//!
//! This is the format alone: fetching the artifacts, comparing digests and unpacking archives is
//! the task of the caller.
//!
//! ```
//! use prowess_format::index::{ArtifactKind, SkillIndex};
//!
//! let text = r#"{
//!   "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
//!   "skills": [{
//!     "name": "pdf", "type": "archive", "description": "Fills forms.", "url": "pdf.tar.gz",
//!     "digest": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
//!   }]
//! }"#;
//! let read = SkillIndex::read(text.as_bytes())?;
//! assert_eq!(read.index.skills[0].kind, ArtifactKind::Archive);
//! assert!(read.left_out.is_empty());
//! # Ok::<(), prowess_format::index::IndexError>(())
//! ```

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use crate::error::IndexError;
pub use crate::index_limits::{MAX_INDEX_BYTES, SCHEMA};

use crate::{Limits, NameRule, SkillName};

/// Where a site has its index, from its root.
pub const WELL_KNOWN_PATH: &str = "/.well-known/agent-skills/index.json";

/// Which skills a site has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillIndex {
    /// Each with its own name, in the order of the file.
    pub skills: Vec<IndexEntry>,
}

/// One skill of an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexEntry {
    /// Its name, which its `SKILL.md` has too.
    pub name: String,
    /// The kind of artifact at the URL.
    #[serde(rename = "type")]
    pub kind: ArtifactKind,
    /// The description of what the skill does and when to use it.
    pub description: String,
    /// Where it is, absolute or relative to the index (RFC 3986).
    pub url: String,
    /// Of what is at the URL: `sha256:` and 64 hexadecimal digits in lower case.
    pub digest: String,
    /// Where a detached minisign signature of what is at the URL is, absolute or relative to the
    /// index. The draft does not name this key; readers that do not know it pass over it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// The kind of artifact of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArtifactKind {
    /// A `SKILL.md` that is the whole skill.
    SkillMd,
    /// A package, as `.tar.gz` or `.zip`.
    Archive,
}

/// An index that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadIndex {
    /// The skills that can be used.
    pub index: SkillIndex,
    /// The others. One bad entry takes no good one along.
    pub left_out: Vec<LeftOut>,
}

/// An entry that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its position in the list, from 0.
    pub at: usize,
    /// The reason, in a sentence that names the field.
    pub reason: String,
}

/// An index as it stands in a file; what an entry says is looked at one by one.
#[derive(Deserialize)]
struct Written {
    #[serde(rename = "$schema")]
    schema: String,
    skills: Vec<WrittenEntry>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenEntry {
    Read(IndexEntry),
    /// A field is missing, wrong or there twice: of two digests, another reader may take the other.
    Other(Value),
}

impl SkillIndex {
    /// Reads an index. Keys that the draft does not name are passed over.
    ///
    /// # Errors
    ///
    /// It is too large, no index, or one of another version.
    pub fn read(bytes: &[u8]) -> Result<ReadIndex, IndexError> {
        if bytes.len() > MAX_INDEX_BYTES {
            return Err(IndexError::TooLarge);
        }
        let Written { schema, skills } = serde_json::from_slice(bytes)
            .map_err(|error| IndexError::Invalid(error.to_string()))?;
        if schema != SCHEMA {
            return Err(IndexError::UnknownVersion(schema));
        }
        let mut read = ReadIndex::default();
        let mut names = HashSet::new();
        for (at, written) in skills.into_iter().enumerate() {
            match entry(written) {
                Ok(entry) if !names.insert(entry.name.clone()) => {
                    let reason = format!("`name`: there is a skill `{}` before it", entry.name);
                    read.left_out.push(LeftOut { at, reason });
                }
                Ok(entry) => read.index.skills.push(entry),
                Err(reason) => read.left_out.push(LeftOut { at, reason }),
            }
        }
        Ok(read)
    }

    /// The index as a file, with a line break at its end.
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Writing<'i> {
            #[serde(rename = "$schema")]
            schema: &'static str,
            skills: &'i [IndexEntry],
        }

        let writing = Writing { schema: SCHEMA, skills: &self.skills };
        let text = serde_json::to_string_pretty(&writing);
        text.expect("texts and lists are always JSON") + "\n"
    }
}

fn entry(written: WrittenEntry) -> Result<IndexEntry, String> {
    let entry = match written {
        WrittenEntry::Read(entry) => entry,
        WrittenEntry::Other(value) => {
            let read: Result<IndexEntry, _> = serde_json::from_value(value);
            return Err(read.err().map_or("a field is there twice".into(), |it| it.to_string()));
        }
    };
    let name = SkillName::with_rule(&entry.name, NameRule::AgentSkills);
    name.map_err(|error| format!("`name`: {error}"))?;
    let most = Limits::default().description_characters.max;
    if entry.description.trim().is_empty() || entry.description.chars().count() > most {
        return Err(format!("`description`: it has to have 1 to {most} characters"));
    }
    let is_bad = |c: char| c.is_control() || c.is_whitespace();
    if entry.url.is_empty() || entry.url.contains(is_bad) {
        return Err("`url`: it has to be a URL without blanks".to_owned());
    }
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let digest = entry.digest.strip_prefix("sha256:");
    let is_digest = digest.is_some_and(|hex| hex.len() == 64 && hex.bytes().all(is_digit));
    if !is_digest {
        let form = "`sha256:` and 64 hexadecimal digits in lower case";
        return Err(format!("`digest`: it has to be {form}"));
    }
    Ok(entry)
}
