//! Converts the `SKILL.md` of a record into a skill that a session can load.

use std::borrow::Cow;
use std::sync::Arc;

use prowess_format::{AllowedTools, Diagnostic, Directory, parse_in};
use serde::{Deserialize, Serialize};

use crate::{Digest, Record, Timestamp};

/// The error of a `SKILL.md` that does not match its record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ActivationError {
    /// The file is invalid by the rules of the catalog.
    #[error("its `SKILL.md` breaks the rules of this host")]
    Broken(Vec<Diagnostic>),
    /// The name has changed since the catalog was built.
    #[error("it has changed its name")]
    Renamed,
}

/// A loaded skill, with its content at that time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveSkill {
    /// The id.
    pub id: String,
    /// The declared name.
    pub name: String,
    /// The `SKILL.md` as an absolute path or URL.
    pub location: String,
    /// The package's directory as an absolute path or URL.
    pub root_dir: String,
    /// The name of its layer. Empty in sessions that were stored before layers were recorded.
    #[serde(default)]
    pub layer: String,
    /// The author's version, from `metadata.version`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The digest of the whole `SKILL.md`.
    pub digest: Digest,
    /// The frontmatter as it was written.
    pub properties: serde_json::Value,
    /// The tools under `allowed-tools` at the time of the load. A refresh does not change them,
    /// since new rights need a new load. `Absent` in sessions that were stored before these were
    /// recorded.
    #[serde(default)]
    pub allowed_tools: AllowedTools,
    /// Everything after the frontmatter, trimmed.
    pub body: Arc<str>,
    /// The time at which it was loaded.
    pub loaded_at: Timestamp,
    /// The time at which its run started: a refresh and a repeated load continue it. Zero in
    /// sessions that were stored before it was recorded.
    #[serde(default)]
    pub activated_at: Timestamp,
}

impl ActiveSkill {
    /// Parses a record's `SKILL.md` into a loaded skill.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is invalid, or its name has changed since the catalog was
    /// built.
    pub fn of(
        record: Record<'_>,
        skill_md: &[u8],
        now: Timestamp,
    ) -> Result<Self, ActivationError> {
        // The directory stands in for a missing name, and for one without a word.
        let directory = Directory { name: record.directory(), is_compared: false };
        let parsed = parse_in(skill_md, Some(directory), record.rules());
        let Some(document) = parsed.document else {
            return Err(ActivationError::Broken(parsed.diagnostics));
        };
        if document.frontmatter.name != record.name() {
            return Err(ActivationError::Renamed);
        }
        let version = document.frontmatter.version().map(Cow::into_owned);
        Ok(Self {
            // The ids of loaded skills are unique, so a shadowed skill needs its qualified id.
            id: record.qualified_id().unwrap_or_else(|| record.id().to_owned()),
            name: document.frontmatter.name,
            location: record.location(),
            root_dir: record.root_directory(),
            layer: record.layer().name.to_string(),
            version,
            digest: Digest::of(skill_md),
            allowed_tools: document.frontmatter.allowed_tools,
            properties: document.frontmatter.fields.into(),
            body: document.body.trim().into(),
            loaded_at: now,
            activated_at: now,
        })
    }
}
