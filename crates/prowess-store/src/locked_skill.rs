//! One skill of a lock.

use std::collections::{BTreeMap, BTreeSet};

use prowess_core::Digest;
use serde::{Deserialize, Serialize};
use toml::Value;

/// The signer of an artifact without a signature.
pub const UNSIGNED: &str = "unsigned";

/// The exact version of an installed skill, and where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LockedSkill {
    /// The source, without any credentials: a URL, a path, or `owner/repo`.
    pub source: String,
    /// The branch, tag or version that the user asked for.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The directory of the package inside the artifact; `None` for the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The immutable version that the reference meant: a commit, or a digest.
    pub revision: String,
    /// The digest of the bytes as they were served.
    pub artifact: Digest,
    /// The digest of the installed files, by [`PackageDigest`](prowess_core::PackageDigest).
    pub tree: Digest,
    /// The key that signed the artifact, or [`UNSIGNED`].
    pub signer: String,
    /// The capabilities of the package: scripts, hosts and other facts, as `kind:value`.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub surface: BTreeSet<String>,
    /// Keys of a later version of this program, which are kept.
    #[serde(flatten)]
    pub(crate) other: BTreeMap<String, Value>,
}

impl LockedSkill {
    /// Creates the entry of an unsigned skill without a reference and with an empty surface.
    pub fn new(source: &str, revision: &str, artifact: Digest, tree: Digest) -> Self {
        Self {
            source: source.to_owned(),
            reference: None,
            path: None,
            revision: revision.to_owned(),
            artifact,
            tree,
            signer: UNSIGNED.to_owned(),
            surface: BTreeSet::new(),
            other: BTreeMap::new(),
        }
    }
}
