//! The previous version of each skill of a lock file, to which it can return.

use prowess_dir::{ErrorKind, Permissions};

use crate::error::StoreError;
use crate::lock::Lock;
use crate::lock_file::LockFile;
use crate::locked_skill::LockedSkill;
use crate::store::Change;

const HISTORY: &str = "history";
const TEMPORARY: &str = ".history.tmp";

/// The maximum size of a history, in bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;

impl Change {
    /// Replaces the lock, and remembers the previous version of each skill that has another
    /// package now or was removed.
    ///
    /// # Errors
    ///
    /// The disk is full or fails. The lock file is then unchanged.
    pub fn save(&self, file: &LockFile, lock: &Lock) -> Result<(), StoreError> {
        let before = file.load()?;
        let mut history = self.history(file)?;
        for (id, skill) in before.skills {
            if lock.skills.get(&id).is_none_or(|now| now.tree != skill.tree) {
                history.skills.insert(id, skill);
            }
        }
        let directory = self.root.open_or_create_dir(HISTORY)?;
        let text = history.to_text();
        directory.put_file(&file.key(), TEMPORARY, text.as_bytes(), Permissions::Private)?;
        file.save(lock)?;
        self.complete()?;
        self.follow(file, lock)
    }

    /// Returns a skill to its previous version, which becomes the version before this one. So a
    /// second call reverts the first.
    ///
    /// # Errors
    ///
    /// There is no previous version, its package is not in the store, or the disk fails.
    pub fn roll_back(&self, file: &LockFile, id: &str) -> Result<LockedSkill, StoreError> {
        let previous = self.history(file)?.skills.remove(id);
        let previous = previous.ok_or_else(|| StoreError::NoEarlierVersion(id.to_owned()))?;
        let mut lock = file.load()?;
        lock.skills.insert(id.to_owned(), previous.clone());
        self.save(file, &lock)?;
        Ok(previous)
    }

    pub(crate) fn history(&self, file: &LockFile) -> Result<Lock, StoreError> {
        let directory = self.root.open_or_create_dir(HISTORY)?;
        match directory.read(&file.key(), MAX_BYTES) {
            Ok(bytes) => Ok(Lock::parse(&String::from_utf8_lossy(&bytes))?),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Lock::default()),
            Err(error) => Err(error.into()),
        }
    }
}
