//! Artifacts that are not the locked ones, kept apart until the user decides.

use std::collections::BTreeSet;

use prowess_core::Digest;
use prowess_dir::{Dir, ErrorKind, Kind, Permissions, WalkBounds};
use serde::{Deserialize, Serialize};

use crate::error::{LockError, StoreError};
use crate::store::{Change, Store, hex};

const QUARANTINE: &str = "quarantine";
const TEMPORARY: &str = ".quarantine.tmp";
const NOTE: &str = ".toml";
const ARTIFACT: &str = ".artifact";

/// The maximum size of an artifact, in bytes: that of an archive that is read.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// An artifact that was served under a locked revision, with another digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quarantined {
    /// The id of the skill.
    pub id: String,
    /// The source, without any credentials.
    pub source: String,
    /// The locked revision.
    pub revision: String,
    /// The digest in the lock.
    pub expected: Digest,
    /// The digest of these bytes.
    pub artifact: Digest,
}

impl Store {
    /// Returns the artifacts in quarantine, sorted by digest.
    ///
    /// # Errors
    ///
    /// The quarantine cannot be read.
    pub fn quarantined(&self) -> Result<Vec<Quarantined>, StoreError> {
        let Ok(root) = Dir::open(self.root()) else { return Ok(Vec::new()) };
        let directory = match root.open_dir(QUARANTINE, prowess_dir::Links::Refuse) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            opened => opened?,
        };
        let walk = directory.walk(WalkBounds::default(), |_| false)?;
        let notes = walk.found.iter().filter(|it| it.kind == Kind::File && it.path.ends_with(NOTE));
        notes.map(|note| read_note(&directory, &note.path)).collect()
    }
}

impl Change {
    /// Puts an artifact into quarantine.
    ///
    /// # Errors
    ///
    /// The disk is full or fails.
    pub fn quarantine(&self, note: &Quarantined, bytes: &[u8]) -> Result<(), StoreError> {
        let directory = self.root.open_or_create_dir(QUARANTINE)?;
        let name = hex(&note.artifact);
        let text = toml::to_string(note).expect("texts can be written");
        let put = |end: &str, bytes: &[u8]| {
            directory.put_file(&format!("{name}{end}"), TEMPORARY, bytes, Permissions::Private)
        };
        put(ARTIFACT, bytes)?;
        Ok(put(NOTE, text.as_bytes())?)
    }

    /// Removes artifacts without a note, which killed processes leave behind.
    pub(crate) fn remove_lost_artifacts(&self) -> Result<(), StoreError> {
        let directory = match self.root.open_dir(QUARANTINE, prowess_dir::Links::Refuse) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            opened => opened?,
        };
        let walk = directory.walk(WalkBounds::default(), |_| false)?;
        let names: BTreeSet<_> = walk.found.iter().map(|found| found.path.as_str()).collect();
        let artifacts = names.iter().filter_map(|name| name.strip_suffix(ARTIFACT));
        for name in artifacts.filter(|name| !names.contains(&*format!("{name}{NOTE}"))) {
            directory.remove_tree(&format!("{name}{ARTIFACT}"))?;
        }
        Ok(directory.remove_tree(TEMPORARY)?)
    }

    /// Takes an artifact out of quarantine, and returns it.
    ///
    /// # Errors
    ///
    /// It is not in quarantine, or its bytes were changed there.
    pub fn release(&self, artifact: &Digest) -> Result<(Quarantined, Vec<u8>), StoreError> {
        let directory = self.root.open_or_create_dir(QUARANTINE)?;
        let name = hex(artifact);
        let note = format!("{name}{NOTE}");
        let file = format!("{name}{ARTIFACT}");
        let released = match directory.read(&file, MAX_BYTES) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(StoreError::NotInQuarantine(*artifact));
            }
            bytes => (read_note(&directory, &note)?, bytes?),
        };
        if Digest::of(&released.1) != *artifact {
            return Err(StoreError::Changed(*artifact, Vec::new()));
        }
        directory.remove_tree(&note)?;
        directory.remove_tree(&file)?;
        Ok(released)
    }
}

fn read_note(directory: &Dir, name: &str) -> Result<Quarantined, StoreError> {
    let bytes = directory.read(name, MAX_BYTES)?;
    let note = toml::from_str(&String::from_utf8_lossy(&bytes));
    note.map_err(|error| LockError::Invalid(error.to_string()).into())
}
