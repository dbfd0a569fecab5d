//! Converts the `SKILL.md` of a record into a skill that a session can load.

use std::borrow::Cow;

use prowess_format::{Diagnostic, Directory, parse_in};

use crate::{ActiveSkill, Digest, Record, Timestamp};

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
