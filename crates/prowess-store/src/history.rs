//! The earlier versions of each skill of a lock file, to which it can return.

use std::collections::BTreeMap;

use prowess_dir::{Dir, ErrorKind, Links, Permissions};
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::ledger::MAX_VERSIONS;
use crate::lock::Lock;
use crate::lock_file::LockFile;
use crate::locked_skill::LockedSkill;
use crate::placement::Placed;
use crate::store::{Change, Store};

const HISTORY: &str = "history";
const TEMPORARY: &str = ".history.tmp";

/// The maximum size of a history, in bytes.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// The versions of the skills of a lock file, the newest last.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct History {
    #[serde(default)]
    entry: Vec<Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    id: String,
    skill: LockedSkill,
}

impl History {
    fn parse(text: &str) -> Result<Self, String> {
        if let Ok(lock) = Lock::parse(text) {
            // The format of the first versions, which kept one version of each skill.
            let entries = lock.skills.into_iter().map(|(id, skill)| Entry { id, skill });
            return Ok(Self { entry: entries.collect() });
        }
        let history = toml::from_str(text);
        history.map_err(|error| error.message().to_owned())
    }

    /// Returns whether a version has this package.
    pub(crate) fn names(&self, tree: &prowess_core::Digest) -> bool {
        self.entry.iter().any(|entry| entry.skill.tree == *tree)
    }

    /// Returns the newest version of each skill.
    pub(crate) fn newest(self) -> BTreeMap<String, LockedSkill> {
        self.entry.into_iter().map(|entry| (entry.id, entry.skill)).collect()
    }

    /// Returns the versions of a skill, the newest first.
    pub(crate) fn of<'h>(&'h self, id: &'h str) -> impl Iterator<Item = &'h LockedSkill> {
        self.entry.iter().rev().filter(move |entry| entry.id == id).map(|entry| &entry.skill)
    }

    /// Adds a version as the newest of its skill.
    fn add(&mut self, id: String, skill: LockedSkill) {
        self.entry.retain(|it| it.id != id || it.skill.tree != skill.tree);
        if self.of(&id).count() == MAX_VERSIONS {
            let oldest = self.entry.iter().position(|it| it.id == id);
            oldest.map(|at| self.entry.remove(at));
        }
        self.entry.push(Entry { id, skill });
    }
}

impl Change {
    /// Replaces the lock, and remembers the previous version of each skill that has another
    /// package now or was removed. Returns the places, as [`Self::restore_places`] does.
    ///
    /// # Errors
    ///
    /// The disk is full or fails. The lock file is then unchanged.
    pub fn save(&self, file: &LockFile, lock: &Lock) -> Result<Vec<Placed>, StoreError> {
        self.save_as(file, lock, false)
    }

    fn save_as(
        &self,
        file: &LockFile,
        lock: &Lock,
        is_return: bool,
    ) -> Result<Vec<Placed>, StoreError> {
        let before = file.load()?;
        let changed = |lock: &Lock, other: &Lock| -> Vec<_> {
            let of_other = |id: &String| other.skills.get(id).map(|skill| skill.tree);
            let skills = lock.skills.iter().filter(|(id, it)| of_other(id) != Some(it.tree));
            skills.map(|(id, skill)| (id.clone(), skill.clone())).collect()
        };
        self.remember(file, changed(&before, lock))?;
        // Before the lock, so that no change is missing: one that is not made after all is made by
        // the next attempt, and recorded once.
        self.record_lock(file, &before, lock, is_return)?;
        file.save(lock)?;
        // Others may replace the lock, and then nothing else has what it named.
        self.remember(file, changed(lock, &before))?;
        self.complete()?;
        self.follow(file, &before, lock)
    }

    /// Adds versions to those to which a lock file can return.
    pub(crate) fn remember(
        &self,
        file: &LockFile,
        versions: Vec<(String, LockedSkill)>,
    ) -> Result<(), StoreError> {
        if versions.is_empty() {
            return Ok(());
        }
        let mut history = self.history(file)?;
        versions.into_iter().for_each(|(id, skill)| history.add(id, skill));
        let directory = self.root.open_or_create_dir(HISTORY)?;
        let text =
            toml::to_string(&history).map_err(|error| StoreError::Unusable(error.to_string()))?;
        Ok(directory.put_file(&file.key(), TEMPORARY, text.as_bytes(), Permissions::Private)?)
    }

    /// Returns a skill to its previous version, which becomes the version before this one. So a
    /// second call reverts the first.
    ///
    /// With `to`, returns it to the version whose revision or package begins with that text.
    ///
    /// # Errors
    ///
    /// There is no such version, there are several, or the disk fails.
    pub fn roll_back(
        &self,
        file: &LockFile,
        id: &str,
        to: Option<&str>,
    ) -> Result<LockedSkill, StoreError> {
        let mut lock = file.load()?;
        let installed = lock.skills.get(id);
        let history = self.history(file)?;
        let earlier =
            |skill: &&LockedSkill| installed.is_none_or(|installed| installed.tree != skill.tree);
        let is_meant = |skill: &&LockedSkill| to.is_none_or(|to| skill.is_version(to));
        let mut found = history.of(id).filter(earlier).filter(is_meant);
        let previous = found.next().cloned();
        let none = || StoreError::NoEarlierVersion(id.to_owned(), to.map(str::to_owned));
        let previous = previous.ok_or_else(none)?;
        if to.is_some() && found.next().is_some() {
            return Err(StoreError::SeveralVersions(id.to_owned()));
        }
        let previous = match installed {
            Some(installed) => previous.replacing(installed),
            None => previous,
        };
        lock.skills.insert(id.to_owned(), previous.clone());
        self.save_as(file, &lock, true)?;
        Ok(previous)
    }

    /// Returns the earlier versions of a skill to which it can return, the newest first.
    ///
    /// # Errors
    ///
    /// The lock or the history cannot be read.
    pub fn versions(&self, file: &LockFile, id: &str) -> Result<Vec<LockedSkill>, StoreError> {
        let lock = file.load()?;
        let installed = lock.skills.get(id).map(|skill| skill.tree);
        let history = self.history(file)?;
        let earlier = history.of(id).filter(|skill| Some(skill.tree) != installed);
        Ok(earlier.cloned().collect())
    }

    pub(crate) fn history(&self, file: &LockFile) -> Result<History, StoreError> {
        history(&self.root, file)
    }
}

impl Store {
    pub(crate) fn history(&self, file: &LockFile) -> Result<History, StoreError> {
        history(&Dir::open(self.root())?, file)
    }
}

fn history(root: &Dir, file: &LockFile) -> Result<History, StoreError> {
    let directory = root.open_dir(HISTORY, Links::Refuse);
    match directory.and_then(|directory| directory.read(&file.key(), MAX_BYTES)) {
        Ok(bytes) => History::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| {
            let place = format!("`{HISTORY}/{}` in it is damaged", file.key());
            let next = "move it away, and earlier versions are no longer known";
            StoreError::Unusable(format!("{place} ({error}); {next}"))
        }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(History::default()),
        Err(error) => Err(error.into()),
    }
}
