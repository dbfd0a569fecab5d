//! Packages of a change that is not complete, so that a killed process leaves none behind.

use std::path::PathBuf;

use prowess_archive::Archive;
use prowess_core::Digest;
use prowess_dir::{Dir, ErrorKind, Links, Permissions};
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::lock_file::LockFile;
use crate::store::{Change, PACKAGES, hex};

const PENDING: &str = "pending";
const TEMPORARY: &str = ".pending.tmp";

/// The maximum size of the note, in bytes: some ten thousand packages.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The packages that are stored before a lock file names them.
#[derive(Serialize, Deserialize)]
struct Pending {
    lock: PathBuf,
    trees: Vec<Digest>,
}

impl Change {
    /// Stores packages that the lock file names after [`Change::save`]. If the process is killed
    /// before, the next change removes them.
    ///
    /// # Errors
    ///
    /// As [`Change::insert`].
    pub(crate) fn insert_for(
        &self,
        file: &LockFile,
        packages: &[(&Archive, Digest)],
    ) -> Result<(), StoreError> {
        let stored = self.root.open_or_create_dir(PACKAGES)?;
        let trees = packages.iter().map(|(_, tree)| *tree);
        // Other locks may name what is stored already.
        let trees: Vec<_> =
            trees.filter(|tree| stored.open_dir(&hex(tree), Links::Refuse).is_err()).collect();
        if !trees.is_empty() {
            let pending = Pending { lock: std::path::absolute(file.path())?, trees };
            let text = toml::to_string(&pending)
                .map_err(|error| StoreError::Unusable(error.to_string()))?;
            self.root.put_file(PENDING, TEMPORARY, text.as_bytes(), Permissions::Private)?;
        }
        self.insert_hashed(packages)
    }

    /// Ends the change that [`Self::insert_for`] began.
    pub(crate) fn complete(&self) -> Result<(), StoreError> {
        Ok(self.root.remove_tree(PENDING)?)
    }

    /// Removes the packages of a change that was not completed and that no lock names, and
    /// remembers those that one names.
    pub(crate) fn recover(&self) -> Result<(), StoreError> {
        let Some(Pending { lock, trees }) = read(&self.root)? else { return Ok(()) };
        let file = LockFile::new(lock);
        // The packages of a lock that cannot be read are not known.
        let Ok(lock) = file.load() else { return Ok(()) };
        let history = self.history(&file)?;
        let is_lost =
            |tree: &&Digest| !lock.names(tree) && !history.names(tree) && !self.is_recorded(tree);
        for tree in trees.iter().filter(is_lost) {
            self.remove(tree)?;
        }
        // The change may have ended before the history had what the lock names.
        let versions = lock.skills.into_iter();
        self.remember(&file, versions.collect())?;
        self.complete()
    }
}

fn read(root: &Dir) -> Result<Option<Pending>, StoreError> {
    match root.read(PENDING, MAX_BYTES) {
        // The note is written in one step, so another text is not from here, and names nothing.
        Ok(bytes) => Ok(toml::from_str(&String::from_utf8_lossy(&bytes)).ok()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}
