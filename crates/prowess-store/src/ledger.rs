//! The versions of each skill that this program writes, each with its author and the reason. The
//! files of each are in the store.

use std::path::Path;

use prowess_archive::{Archive, File};
use prowess_core::{Digest, Timestamp};
use prowess_dir::{Dir, ErrorKind, Links, Permissions};
use serde::{Deserialize, Serialize};

use crate::author::Author;
use crate::error::StoreError;
use crate::lock::Lock;
use crate::lock_file::LockFile;
use crate::store::{Change, Store, hex};
use crate::tree::{stored_contents, stored_files};

const LEDGER: &str = "ledger";
const TEMPORARY: &str = ".ledger.tmp";

/// The maximum size of the list of one skill, in bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The maximum number of versions of one skill. Of more, the oldest are forgotten.
const MAX_VERSIONS: usize = 1_000;

/// One version of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// The digest of the files; of a removed skill, that of the last ones.
    pub package: Digest,
    /// The change as one word: `found`, `installed`, `updated`, `removed`, `returned`,
    /// `accepted` or `restored`.
    pub action: String,
    /// The author.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// Why, or from where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The name of the proposal that was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<String>,
}

/// The list of one skill, the oldest version first.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Ledger {
    /// The skill: its directory, or its id and lock file.
    #[serde(default)]
    skill: String,
    #[serde(default)]
    version: Vec<Version>,
}

impl LockFile {
    /// Returns the name of an installed skill in [`Store::ledger`].
    pub fn ledger_name(&self, id: &str) -> String {
        format!("{}/{id}", self.key())
    }
}

impl Store {
    /// Returns the versions of a skill, the oldest first. A skill in a directory has the name of
    /// that, and an installed one the name that [`LockFile::ledger_name`] returns.
    ///
    /// # Errors
    ///
    /// The list cannot be read.
    pub fn ledger(&self, skill: &str) -> Result<Vec<Version>, StoreError> {
        match Dir::open(self.root().join(LEDGER)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            opened => Ok(read(&opened?, skill)?.version),
        }
    }

    /// Returns the files of a package.
    ///
    /// # Errors
    ///
    /// The package is not in the store, was changed, or cannot be read.
    pub fn package(&self, tree: &Digest) -> Result<Archive, StoreError> {
        let directory = self.packages()?.intact(tree)?;
        let states = stored_files(&directory)?.unwrap_or_default();
        let files = stored_contents(&directory)?.into_iter().map(|(path, content)| {
            let is_executable = states.get(&path).is_some_and(|(is_executable, _)| *is_executable);
            let file = File::new(path, content);
            if is_executable { file.executable() } else { file }
        });
        Archive::new(files.collect()).map_err(|error| StoreError::Unusable(error.to_string()))
    }
}

impl Change {
    /// Adds a version of a skill, unless the newest one is the same change of the same files. Its
    /// package has to be stored before.
    ///
    /// # Errors
    ///
    /// The disk is full or fails. The list is then unchanged.
    pub fn record(&self, skill: &str, version: Version) -> Result<(), StoreError> {
        self.edit(skill, |versions| {
            let is_known = versions.last().is_some_and(|last| {
                (last.package, &last.action, &last.proposal)
                    == (version.package, &version.action, &version.proposal)
            });
            if !is_known {
                versions.push(version);
            }
        })
    }

    /// Removes the newest version of a skill, if it is this one: it was recorded, and not made.
    ///
    /// # Errors
    ///
    /// As [`Self::record`].
    pub fn retract(&self, skill: &str, version: &Version) -> Result<(), StoreError> {
        self.edit(skill, |versions| {
            if versions.last() == Some(version) {
                versions.pop();
            }
        })
    }

    fn edit(&self, skill: &str, edit: impl FnOnce(&mut Vec<Version>)) -> Result<(), StoreError> {
        let directory = self.root.open_or_create_dir(LEDGER)?;
        let mut ledger = read(&directory, skill)?;
        skill.clone_into(&mut ledger.skill);
        edit(&mut ledger.version);
        let oldest = ledger.version.len().saturating_sub(MAX_VERSIONS);
        ledger.version.drain(..oldest);
        let text =
            toml::to_string(&ledger).map_err(|error| StoreError::Unusable(error.to_string()))?;
        Ok(directory.put_file(&file(skill), TEMPORARY, text.as_bytes(), Permissions::Private)?)
    }

    /// Removes the list that a killed process was writing.
    pub(crate) fn remove_lost_ledger(&self) -> Result<(), StoreError> {
        match self.root.open_dir(LEDGER, Links::Refuse) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            opened => Ok(opened?.remove_tree(TEMPORARY)?),
        }
    }

    /// Returns whether a version of a skill has this package.
    pub(crate) fn is_recorded(&self, tree: &Digest) -> bool {
        let Ok(directory) = self.root.open_dir(LEDGER, Links::Refuse) else { return false };
        let Ok(walk) = directory.walk(prowess_dir::WalkBounds::default(), |_| false) else {
            return true;
        };
        let tree = tree.to_string();
        walk.found.iter().any(|found| {
            let text = directory.read(&found.path, MAX_BYTES);
            text.is_ok_and(|text| String::from_utf8_lossy(&text).contains(&tree))
        })
    }

    /// Records what a new lock file does with each skill.
    pub(crate) fn record_lock(
        &self,
        file: &LockFile,
        before: &Lock,
        lock: &Lock,
        is_return: bool,
    ) -> Result<(), StoreError> {
        let Some(Author { by, at }) = &self.author else { return Ok(()) };
        let ids: std::collections::BTreeSet<_> =
            before.skills.keys().chain(lock.skills.keys()).collect();
        for id in ids {
            let [old, new] = [before, lock].map(|lock| lock.skills.get(id));
            let action = match (old, new) {
                (Some(old), Some(new)) if old.tree == new.tree => continue,
                _ if is_return => "returned",
                (None, _) => "installed",
                (_, None) => "removed",
                _ => "updated",
            };
            let Some(skill) = new.or(old) else { continue };
            let version = Version {
                package: skill.tree,
                action: action.to_owned(),
                by: by.clone(),
                at: *at,
                reason: Some(format!("{} {}", skill.source, skill.revision)),
                proposal: None,
            };
            self.record(&file.ledger_name(id), version)?;
        }
        Ok(())
    }
}

fn read(directory: &Dir, skill: &str) -> Result<Ledger, StoreError> {
    match directory.read(&file(skill), MAX_BYTES) {
        Ok(bytes) => {
            let ledger: Result<Ledger, _> = toml::from_str(&String::from_utf8_lossy(&bytes));
            ledger.map_err(|error| StoreError::Unusable(error.to_string()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Ledger::default()),
        Err(error) => Err(error.into()),
    }
}

/// Returns the name of the file with the list of a skill, whose name may be a path.
fn file(skill: &str) -> String {
    let skill = Path::new(skill).to_string_lossy();
    format!("{}.toml", hex(&Digest::of(skill.as_bytes())))
}
