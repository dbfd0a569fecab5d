//! From the `SKILL.md` of a record to a skill that a conversation can load.

use std::borrow::Cow;

use prowess_format::{Diagnostic, Directory, parse_in};

use crate::{ActiveSkill, Digest, Record, Timestamp};

/// Why a `SKILL.md` is not the one of its record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ActivationError {
    /// It breaks the rules of the catalog.
    #[error("its `SKILL.md` breaks the rules of this host")]
    Broken(Vec<Diagnostic>),
    /// Its name is another one than when the catalog was made.
    #[error("it has changed its name")]
    Renamed,
}

impl ActiveSkill {
    /// Makes of a record's `SKILL.md` what a conversation keeps of the skill.
    ///
    /// # Errors
    ///
    /// The file is broken, or has become another skill's since the catalog was made.
    pub fn of(
        record: Record<'_>,
        skill_md: &[u8],
        now: Timestamp,
    ) -> Result<Self, ActivationError> {
        // A record without a declared name has that of its directory.
        let directory = Directory { name: record.name(), is_compared: false };
        let parsed = parse_in(skill_md, Some(directory), record.rules());
        let Some(document) = parsed.document else {
            return Err(ActivationError::Broken(parsed.diagnostics));
        };
        if document.frontmatter.name != record.name() {
            return Err(ActivationError::Renamed);
        }
        let version = document.frontmatter.version().map(Cow::into_owned);
        Ok(Self {
            // Two loaded skills must not share an id, and a shadowed one has that of another.
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
