//! The plugins and keys that the operator trusts.
//!
//! Nothing is trusted by default. A **pin** allows one file by its digest; a **key** allows all
//! files that its owner signs. Both are stored in one file that only its owner may change.

mod file;
mod key;
mod time;

use std::path::Path;

use prowess_core::{Digest, Timestamp};
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::policy::version;
use crate::{Inspection, PluginError, PluginErrorKind};

pub use key::Key;

/// The trusted plugins and keys. By default empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustStore {
    /// The trusted files.
    pub pins: Vec<Pin>,
    /// The trusted keys.
    pub keys: Vec<Key>,
    /// The plugins whose signatures are not accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revoked_names: Vec<RevokedName>,
}

/// A plugin whose signed builds may not run, whichever key signed them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevokedName {
    /// The plugin's name.
    pub name: String,
    /// The time of the revocation.
    #[serde(with = "time")]
    pub revoked_at: Timestamp,
}

/// The result of [`TrustStore::pin`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pinned {
    /// The new pin.
    pub pin: Pin,
    /// The former pins of the same path, which were removed.
    pub replaced: Vec<Pin>,
    /// The pins of other builds of the plugin, which stay trusted.
    pub others: Vec<Pin>,
    /// Whether a revocation of the plugin's signed builds was removed.
    pub restores_signed: bool,
}

/// A file that is trusted by its digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The plugin's name.
    pub name: String,
    /// The plugin's version.
    pub version: Version,
    /// The plugin's target.
    pub target: String,
    /// The digest of the file.
    pub digest: Digest,
    /// The path at which it was pinned, for messages.
    pub file: String,
    /// The user that pinned it.
    pub pinned_by: String,
    /// The time at which it was pinned.
    #[serde(with = "time")]
    pub pinned_at: Timestamp,
    /// The time of the revocation, if it was revoked.
    #[serde(with = "time::option", default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
}

/// Whether a version may be pinned that is older than a pinned one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Older {
    /// An older version is refused, since it may have a fixed vulnerability.
    Refuse,
    /// An older version is allowed.
    Allow,
}

/// The user that adds an entry, and the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedOffBy {
    /// The user's name.
    pub who: String,
    /// The time.
    pub when: Timestamp,
}

/// A revoked entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Revoked {
    /// A pin.
    Pin {
        /// The plugin's name.
        name: String,
        /// The digest of its file.
        digest: Digest,
    },
    /// A key.
    Key {
        /// The id of the key.
        id: String,
    },
    /// The signed builds of a plugin.
    Signed {
        /// The plugin's name.
        name: String,
    },
}

impl TrustStore {
    /// Pins a file with this digest and this manifest.
    ///
    /// Pins of other builds of the plugin at the same path are removed, since the file was
    /// replaced. Pins at other paths stay. If the plugin's signed builds were revoked, that
    /// revocation is removed, but builds older than this one may still not run.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is older than a pinned version, or its version is not a
    /// semantic version.
    pub fn pin(
        &mut self,
        file: &Path,
        digest: Digest,
        inspection: &Inspection,
        signed_off_by: &SignedOffBy,
        older: Older,
    ) -> Result<Pinned, PluginError> {
        let manifest = &inspection.manifest;
        let own = version(file, inspection)?;
        if let (Some(newer), Older::Refuse) = (self.newer(&manifest.name, &own), older) {
            let help = "trust the newer one, or allow the older one";
            return Err(rollback(file, &own, newer, help));
        }
        let path = file.display().to_string();
        let is_same = |pin: &Pin| pin.name == manifest.name && pin.target == manifest.target;
        self.pins.retain(|pin| pin.digest != digest);
        let is_replaced =
            |pin: &mut Pin| pin.revoked_at.is_none() && is_same(pin) && pin.file == path;
        let replaced = self.pins.extract_if(.., is_replaced).collect();
        let others = self.active_pins(&manifest.name).filter(|pin| is_same(pin)).cloned().collect();
        let restores_signed = self.is_name_revoked(&manifest.name);
        self.revoked_names.retain(|revoked| revoked.name != manifest.name);
        let pin = Pin {
            name: manifest.name.clone(),
            version: own,
            target: manifest.target.clone(),
            digest,
            file: path,
            pinned_by: signed_off_by.who.clone(),
            pinned_at: signed_off_by.when,
            revoked_at: None,
        };
        self.pins.push(pin.clone());
        Ok(Pinned { pin, replaced, others, restores_signed })
    }

    /// Adds a key, also one that was revoked. Returns `false` if the key was already trusted.
    pub fn trust_key(&mut self, key: Key) -> bool {
        let is_new = self.key(&key.id).is_none_or(|known| known.revoked_at.is_some());
        if is_new {
            self.keys.retain(|known| known.id != key.id);
            self.keys.push(key);
        }
        is_new
    }

    /// Revokes every pin with this name or digest and every key with this id. A name also revokes
    /// the signed builds of the plugin. Revoked entries stay in the store, so that a signature does
    /// not allow them again.
    pub fn revoke(&mut self, what: &str, when: Timestamp) -> Vec<Revoked> {
        let mut revoked = Vec::new();
        let is_pinned_name = self.pins.iter().any(|pin| pin.name == what);
        for pin in self.pins.iter_mut().filter(|pin| pin.revoked_at.is_none()) {
            if pin.name == what || pin.digest.to_string() == what {
                pin.revoked_at = Some(when);
                revoked.push(Revoked::Pin { name: pin.name.clone(), digest: pin.digest });
            }
        }
        for key in self.keys.iter_mut().filter(|key| key.revoked_at.is_none()) {
            if key.id.eq_ignore_ascii_case(what) {
                key.revoked_at = Some(when);
                revoked.push(Revoked::Key { id: key.id.clone() });
            }
        }
        revoked.extend(self.revoke_signed(what, is_pinned_name, when));
        revoked
    }

    /// Revokes the signed builds of a plugin. The name need not be pinned if there is a trusted
    /// key, which may sign any plugin.
    fn revoke_signed(&mut self, name: &str, is_pinned: bool, when: Timestamp) -> Option<Revoked> {
        let is_key = self.keys.iter().any(|key| key.id.eq_ignore_ascii_case(name));
        let is_id = is_key || name.starts_with("sha256:");
        let may_be_signed = self.keys.iter().any(|key| key.revoked_at.is_none());
        if is_id || self.is_name_revoked(name) || !(is_pinned || may_be_signed) {
            return None;
        }
        self.revoked_names.push(RevokedName { name: name.to_owned(), revoked_at: when });
        may_be_signed.then(|| Revoked::Signed { name: name.to_owned() })
    }

    /// Returns whether the signed builds of this plugin were revoked.
    pub(crate) fn is_name_revoked(&self, name: &str) -> bool {
        self.revoked_names.iter().any(|revoked| revoked.name == name)
    }

    /// Returns the pin with this digest, which may be revoked.
    pub fn pin_of(&self, digest: Digest) -> Option<&Pin> {
        self.pins.iter().find(|pin| pin.digest == digest)
    }

    /// Returns the key with this id, which may be revoked.
    pub fn key(&self, id: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.id == id)
    }

    /// Returns the pins of this plugin that were not revoked.
    pub(crate) fn active_pins<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Pin> {
        let is_active = move |pin: &&Pin| pin.revoked_at.is_none() && pin.name == name;
        self.pins.iter().filter(is_active)
    }

    /// Returns the newest pin of this plugin that is newer than `own`.
    pub(crate) fn newer(&self, name: &str, own: &Version) -> Option<&Pin> {
        self.active_pins(name).filter(|pin| pin.version > *own).max_by_key(|pin| &pin.version)
    }
}

/// Returns the error of a file that is older than a trusted one.
pub(crate) fn rollback(file: &Path, own: &Version, newer: &Pin, help: &str) -> PluginError {
    let name = &newer.name;
    let version = &newer.version;
    let reason = format!("is version {own} of `{name}`, but {version} is trusted");
    PluginError::refused(PluginErrorKind::Rollback, file, reason, help)
}
