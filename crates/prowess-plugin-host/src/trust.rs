//! What the operator has said may run.
//!
//! Nothing is trusted by default. A **pin** says that one file with these very bytes may run; a **key**
//! says that what its owner signs may. Both are kept in one file that only its owner may change.

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

/// What may run. By default nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustStore {
    /// The files, by their bytes.
    pub pins: Vec<Pin>,
    /// The keys.
    pub keys: Vec<Key>,
}

/// A file that may run because of its very bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The plugin's name.
    pub name: String,
    /// Its version.
    pub version: Version,
    /// What it was built for.
    pub target: String,
    /// What its bytes are.
    pub digest: Digest,
    /// Where it was when it was trusted, for people.
    pub file: String,
    /// Who trusted it.
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

/// Who says so, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The operator's name.
    pub who: String,
    /// The time of day.
    pub when: Timestamp,
}

/// What was taken back.
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
}

impl TrustStore {
    /// Trusts a file with this digest that says this of itself. What was pinned for the same name and
    /// target before is forgotten.
    ///
    /// # Errors
    ///
    /// It is older than what is pinned, or its version is none.
    pub fn pin(
        &mut self,
        file: &Path,
        digest: Digest,
        inspection: &Inspection,
        witness: &Witness,
        older: Older,
    ) -> Result<Pin, PluginError> {
        let manifest = &inspection.manifest;
        let own = version(file, inspection)?;
        if let (Some(newer), Older::Refuse) = (self.newer(&manifest.name, &own), older) {
            let help = "trust the newer one, or say that the older one is meant: `--allow-older`";
            return Err(rollback(file, &own, newer, help));
        }
        let is_same = |pin: &Pin| pin.name == manifest.name && pin.target == manifest.target;
        self.pins.retain(|pin| pin.digest != digest && (pin.revoked_at.is_some() || !is_same(pin)));
        let pin = Pin {
            name: manifest.name.clone(),
            version: own,
            target: manifest.target.clone(),
            digest,
            file: file.display().to_string(),
            pinned_by: witness.who.clone(),
            pinned_at: witness.when,
            revoked_at: None,
        };
        self.pins.push(pin.clone());
        Ok(pin)
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

    /// Takes back every pin of this name or digest, and every key of this number. What was taken back is
    /// remembered: a signature does not bring it back.
    pub fn revoke(&mut self, what: &str, when: Timestamp) -> Vec<Revoked> {
        let mut revoked = Vec::new();
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
        revoked
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
    let (name, version) = (&newer.name, &newer.version);
    let reason = format!("is version {own} of `{name}`, and {version} is trusted");
    PluginError::refused(PluginErrorKind::Rollback, file, reason, help)
}
