//! One skill of a lock.

use std::collections::{BTreeMap, BTreeSet};

use prowess_core::Digest;
use serde::{Deserialize, Serialize};
use toml::Value;

use crate::placed::LockedPlace;

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
    /// Whether the reference was a tag, and not a branch, if the source has both.
    #[serde(rename = "ref-is-tag", default, skip_serializing_if = "Option::is_none")]
    pub reference_is_tag: Option<bool>,
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
    /// The version that its author states, which another machine compares with the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The capabilities of the package: scripts, hosts and other facts, as `kind:value`.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub surface: BTreeSet<String>,
    /// The hosts that the user allowed for the source though they are in a private network or are
    /// reached by plain `http`.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub hosts: BTreeSet<String>,
    /// The directories of other clients in which the skill is placed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub places: BTreeSet<LockedPlace>,
    /// Keys of a later version of this program, which are kept.
    #[serde(flatten)]
    pub(crate) other: BTreeMap<String, Value>,
}

impl LockedSkill {
    /// Returns whether a text is the beginning of this version's revision or package.
    pub(crate) fn is_version(&self, text: &str) -> bool {
        let tree = self.tree.to_string();
        let names = [&*self.revision, &*tree, tree.trim_start_matches("sha256:")];
        !text.is_empty() && names.iter().any(|name| name.starts_with(text))
    }

    /// Returns this version with what the user has decided about the installed one: its places, its
    /// hosts, and what a later version of this program has noted.
    pub(crate) fn replacing(mut self, installed: &Self) -> Self {
        self.places.clone_from(&installed.places);
        self.hosts.extend(installed.hosts.iter().cloned());
        self.other.clone_from(&installed.other);
        self
    }

    /// Creates the entry of an unsigned skill without a reference and with an empty surface.
    pub fn new(source: &str, revision: &str, artifact: Digest, tree: Digest) -> Self {
        Self {
            source: source.to_owned(),
            reference: None,
            reference_is_tag: None,
            path: None,
            revision: revision.to_owned(),
            artifact,
            tree,
            signer: UNSIGNED.to_owned(),
            version: None,
            surface: BTreeSet::new(),
            hosts: BTreeSet::new(),
            places: BTreeSet::new(),
            other: BTreeMap::new(),
        }
    }
}
