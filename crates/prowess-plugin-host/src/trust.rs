//! The plugins and keys that the operator trusts.
//!
//! Nothing is trusted by default. A **pin** says that one file with these very bytes may run; a
//! **key** says that what its owner signs may. Both are kept in one file that only its owner may
//! change.

mod file;
mod key;
mod time;

use std::path::Path;

use prowess_core::{Digest, Timestamp};
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::policy::version;
use crate::{Inspection, PluginError, PluginErrorKind};

pub use file::TrustError;
pub(crate) use key::SignatureFile;
pub use key::{Key, KeyError};

/// The trusted plugins and keys. By default none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustStore {
    /// The files, by their bytes.
    pub pins: Vec<Pin>,
    /// The keys.
    pub keys: Vec<Key>,
    /// The plugins for which no signature counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revoked_names: Vec<RevokedName>,
}

/// A plugin whose signed builds may not run, by any key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevokedName {
    /// The plugin's name.
    pub name: String,
    /// Since when.
    #[serde(with = "time")]
    pub revoked_at: Timestamp,
}

/// A build that was trusted, and what that means for other builds of the plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pinned {
    /// The new pin.
    pub pin: Pin,
    /// The builds that were trusted at the same path before, and are no longer.
    pub replaced: Vec<Pin>,
    /// The other builds of the plugin that stay trusted.
    pub others: Vec<Pin>,
    /// Whether signed builds of the plugin, which were revoked by its name, may run again.
    pub restores_signed: bool,
}

/// A file that may run because of its very bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The plugin's name.
    pub name: String,
    /// Its version.
    pub version: Version,
    /// Its target.
    pub target: String,
    /// The digest of its bytes.
    pub digest: Digest,
    /// Where it was when it was trusted, for people.
    pub file: String,
    /// The user that trusted it.
    pub pinned_by: String,
    /// When.
    #[serde(with = "time")]
    pub pinned_at: Timestamp,
    /// Since when it is no longer trusted.
    #[serde(with = "time::option", default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
}

/// Whether a version before the one that is trusted may be trusted in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Older {
    /// It is refused: an old version may have a fault that the new one has not.
    Refuse,
    /// The operator asks for it.
    Allow,
}

/// The user that signs an entry off, and the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedOffBy {
    /// The operator's name.
    pub who: String,
    /// The time of day.
    pub when: Timestamp,
}

/// An entry that was revoked.
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
        /// Its number.
        id: String,
    },
    /// The builds of a plugin that trusted keys have signed.
    Signed {
        /// The plugin's name.
        name: String,
    },
}

impl TrustStore {
    /// Trusts a file with this digest and this manifest.
    ///
    /// The build that was trusted at the same path before is forgotten, since the file is another
    /// one now. Builds at other paths stay trusted. If signed builds of the plugin were revoked by
    /// its name, they may run again, unless they are older than this one.
    ///
    /// # Errors
    ///
    /// It is older than what is pinned, or its version is not a semantic version.
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
            let help = "trust the newer one, or say that the older one is meant: `--allow-older`";
            return Err(rollback(file, &own, newer, help));
        }
        let path = file.display().to_string();
        let is_same = |pin: &Pin| pin.name == manifest.name && pin.target == manifest.target;
        self.pins.retain(|pin| pin.digest != digest);
        let is_replaced =
            |pin: &mut Pin| pin.revoked_at.is_none() && is_same(pin) && pin.file == path;
        let replaced = self.pins.extract_if(.., is_replaced).collect();
        let others = self.holding(&manifest.name).filter(|pin| is_same(pin)).cloned().collect();
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

    /// Trusts what the owner of a key signs; false if that was so before. A key that was revoked is
    /// trusted again.
    pub fn trust_key(&mut self, key: Key) -> bool {
        let is_new = self.key(&key.id).is_none_or(|known| known.revoked_at.is_some());
        if is_new {
            self.keys.retain(|known| known.id != key.id);
            self.keys.push(key);
        }
        is_new
    }

    /// Revokes every pin of this name or digest, every key of this number, and for a name every
    /// build that a trusted key has signed. Revocations are kept: a signature does not undo one.
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

    /// Stops the signed builds of a plugin. A name that was never pinned counts where a key is
    /// trusted: any plugin may be signed by it.
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

    /// Whether signed builds of this name were revoked.
    pub(crate) fn is_name_revoked(&self, name: &str) -> bool {
        self.revoked_names.iter().any(|revoked| revoked.name == name)
    }

    /// The pin of these bytes, whether or not it was revoked.
    pub fn pin_of(&self, digest: Digest) -> Option<&Pin> {
        self.pins.iter().find(|pin| pin.digest == digest)
    }

    /// The key of this number, whether or not it was revoked.
    pub fn key(&self, id: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.id == id)
    }

    /// The pins that hold for this name.
    pub(crate) fn holding<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Pin> {
        let holds = move |pin: &&Pin| pin.revoked_at.is_none() && pin.name == name;
        self.pins.iter().filter(holds)
    }

    /// The newest pin of this name that is newer than `own`.
    pub(crate) fn newer(&self, name: &str, own: &Version) -> Option<&Pin> {
        self.holding(name).filter(|pin| pin.version > *own).max_by_key(|pin| &pin.version)
    }
}

/// A file that is older than one that is trusted.
pub(crate) fn rollback(file: &Path, own: &Version, newer: &Pin, help: &str) -> PluginError {
    let name = &newer.name;
    let version = &newer.version;
    let reason = format!("is version {own} of `{name}`, and {version} is trusted");
    PluginError::refused(PluginErrorKind::Rollback, file, reason, help)
}
