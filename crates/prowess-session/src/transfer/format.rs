//! The format of an exported session.

use std::collections::BTreeSet;

use prowess_core::{BodyPlace, Digest};
use serde::{Deserialize, Serialize};

pub(crate) const VERSION: u32 = 1;

/// The maximum size of an import in bytes.
pub(crate) const MAX_BYTES: usize = 256 * 1024;

/// The maximum length of an id in an import in bytes.
pub(crate) const MAX_ID_BYTES: usize = 1024;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Export {
    pub(super) prowess_session: u32,
    pub(super) skills: Vec<ExportedSkill>,
    #[serde(default)]
    pub(super) deliveries: u32,
    /// The ids of the skills that may be loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) allowed: Option<BTreeSet<String>>,
    /// The skills that limit a fork. Without one of them, it is not imported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) limits: Vec<ExportedSkill>,
}

/// A loaded skill in an export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportedSkill {
    /// The id.
    pub id: String,
    /// The digest of the whole `SKILL.md`.
    pub digest: Digest,
    /// The generation of the exporting host's catalog.
    pub generation: u64,
    /// The place of its body.
    pub body: BodyPlace,
}
