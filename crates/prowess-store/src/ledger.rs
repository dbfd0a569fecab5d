//! The versions of each skill that this program writes, each with its author and the reason. The
//! files of each are in the store.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use prowess_archive::{Archive, File};
use prowess_core::{Digest, Timestamp};
use prowess_dir::{Dir, ErrorKind, Links, Permissions, WalkBounds};
use serde::{Deserialize, Serialize};

use crate::author::Author;
use crate::error::StoreError;
use crate::lock::Lock;
use crate::lock_file::LockFile;
use crate::locked_skill::LockedSkill;
use crate::store::{Change, Store, hex};
use crate::tree::{stored_contents, stored_files};

const LEDGER: &str = "ledger";
const TEMPORARY: &str = ".ledger.tmp";

/// The maximum size of the list of one skill, in bytes: that of some ten thousand versions. Of
/// more, the oldest are forgotten.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The maximum number of versions of one skill that a lock file can return to.
pub(crate) const MAX_VERSIONS: usize = 100;

/// One version of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// The digest of the files; of a removed skill, that of the last ones.
    pub package: Digest,
    /// The change as one word: `found`, `created`, `installed`, `updated`, `removed`, `returned`,
    /// `accepted`, `fixed` or `restored`.
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

impl Version {
    fn of(skill: &LockedSkill, action: &str, Author { by, at }: &Author) -> Self {
        Self {
            package: skill.tree,
            action: action.to_owned(),
            by: by.clone(),
            at: *at,
            reason: Some(format!("{} {}", skill.source, skill.revision)),
            proposal: None,
        }
    }

    /// Returns whether it is the same change of the same files.
    fn is_same(&self, other: &Self) -> bool {
        (self.package, &self.action, &self.proposal)
            == (other.package, &other.action, &other.proposal)
    }

    /// Returns whether a lock file has led to it: the others are the work of a person.
    fn is_of_lock(&self) -> bool {
        matches!(&*self.action, "installed" | "updated" | "removed" | "returned")
    }
}

/// Returns whether these files are the work of a person: the last change that led to them is of
/// one, and the lock file did not name them then.
pub(crate) fn is_of_person(versions: &[Version], tree: &Digest) -> bool {
    let (mut locked, mut is_own) = (None, false);
    for version in versions {
        let is_meant = version.package == *tree;
        if version.is_of_lock() {
            locked = Some(version.package).filter(|_| version.action != "removed");
            is_own &= !is_meant;
        } else if is_meant {
            is_own = locked != Some(*tree);
        }
    }
    is_own
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
            opened => Ok(read(&opened?, &file(skill))?.version),
        }
    }

    /// Returns all skills with their versions, by the names that they have in [`Self::ledger`].
    ///
    /// # Errors
    ///
    /// A list cannot be read.
    pub fn ledgers(&self) -> Result<BTreeMap<String, Vec<Version>>, StoreError> {
        let ledgers = match Dir::open(self.root().join(LEDGER)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            opened => all(&opened?)?,
        };
        Ok(ledgers.into_iter().map(|it| (it.skill, it.version)).collect())
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
            if !versions.last().is_some_and(|last| last.is_same(&version)) {
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
        let mut ledger = read(&directory, &file(skill))?;
        skill.clone_into(&mut ledger.skill);
        edit(&mut ledger.version);
        let text = |ledger: &Ledger| {
            toml::to_string(ledger).map_err(|error| StoreError::Unusable(error.to_string()))
        };
        let mut whole = text(&ledger)?;
        while whole.len() > MAX_BYTES {
            ledger.version.drain(..ledger.version.len().div_ceil(8));
            whole = text(&ledger)?;
        }
        Ok(directory.put_file(&file(skill), TEMPORARY, whole.as_bytes(), Permissions::Private)?)
    }

    /// Removes the list that a killed process was writing.
    pub(crate) fn remove_lost_ledger(&self) -> Result<(), StoreError> {
        match self.root.open_dir(LEDGER, Links::Refuse) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            opened => Ok(opened?.remove_tree(TEMPORARY)?),
        }
    }

    /// Returns whether a version of a skill has this package. Of a list that cannot be read it is
    /// not known, so it may.
    pub(crate) fn is_recorded(&self, tree: &Digest) -> bool {
        self.ledgers(|ledger| ledger.version.iter().any(|it| it.package == *tree)).unwrap_or(true)
    }

    /// Returns whether these files are the work of a person in some skill.
    pub(crate) fn has_person(&self, tree: &Digest) -> Result<bool, StoreError> {
        self.ledgers(|ledger| is_of_person(&ledger.version, tree))
    }

    fn ledgers(&self, is_meant: impl Fn(&Ledger) -> bool) -> Result<bool, StoreError> {
        match self.root.open_dir(LEDGER, Links::Refuse) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            opened => Ok(all(&opened?)?.iter().any(is_meant)),
        }
    }

    /// Returns the versions of a skill, as [`Store::ledger`] does.
    pub(crate) fn ledger(&self, skill: &str) -> Result<Vec<Version>, StoreError> {
        match self.root.open_dir(LEDGER, Links::Refuse) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            opened => Ok(read(&opened?, &file(skill))?.version),
        }
    }

    /// Records what a new lock file does with each skill.
    pub(crate) fn record_lock(
        &self,
        file: &LockFile,
        before: &Lock,
        lock: &Lock,
        is_return: bool,
    ) -> Result<(), StoreError> {
        let Some(author) = &self.author else { return Ok(()) };
        let ids: BTreeSet<_> = before.skills.keys().chain(lock.skills.keys()).collect();
        for id in ids {
            let [old, new] = [before, lock].map(|lock| lock.skills.get(id));
            let (action, skill) = match (old, new) {
                (Some(old), Some(new)) if old.tree == new.tree => continue,
                (_, Some(new)) if is_return => ("returned", new),
                (None, Some(new)) => ("installed", new),
                (Some(_), Some(new)) => ("updated", new),
                (Some(old), None) => ("removed", old),
                (None, None) => continue,
            };
            let version = Version::of(skill, action, author);
            let version = Version { reason: self.reason.clone().or(version.reason), ..version };
            let name = file.ledger_name(id);
            // Else it was recorded by a program that was killed then.
            if !self.ledger(&name)?.last().is_some_and(|last| last.is_same(&version)) {
                self.record_locked(file, id, old)?;
                self.record(&name, version)?;
            }
        }
        Ok(())
    }

    /// Records what the lock names, if another program has written that: the lock of a project
    /// comes with a clone, too.
    pub(crate) fn record_locked(
        &self,
        file: &LockFile,
        id: &str,
        skill: Option<&LockedSkill>,
    ) -> Result<(), StoreError> {
        let skill = skill.filter(|skill| self.has(&skill.tree));
        let Some((author, skill)) = self.author.as_ref().zip(skill) else { return Ok(()) };
        let name = file.ledger_name(id);
        let versions = self.ledger(&name)?;
        let last = versions.iter().rfind(|version| version.is_of_lock());
        let action = match last.filter(|last| last.action != "removed") {
            Some(last) if last.package == skill.tree => return Ok(()),
            Some(_) => "updated",
            None => "installed",
        };
        self.remember(file, vec![(id.to_owned(), skill.clone())])?;
        self.record(&name, Version::of(skill, action, author))
    }

    /// Records what the lock no longer names, if another program has removed it from there.
    pub(crate) fn record_removed(&self, file: &LockFile, lock: &Lock) -> Result<(), StoreError> {
        let Some(author) = &self.author else { return Ok(()) };
        let gone = self.history(file)?.newest().into_iter();
        for (id, skill) in gone.filter(|(id, _)| !lock.skills.contains_key(id)) {
            let name = file.ledger_name(&id);
            let last = self.ledger(&name)?.into_iter().rfind(Version::is_of_lock);
            if last.is_some_and(|it| it.action != "removed" && it.package == skill.tree) {
                self.record(&name, Version::of(&skill, "removed", author))?;
            }
        }
        Ok(())
    }
}

/// Reads all lists.
fn all(directory: &Dir) -> Result<Vec<Ledger>, StoreError> {
    let walk = directory.walk(WalkBounds::default(), |_| false)?;
    let files = walk.found.into_iter().filter(|it| it.path.ends_with(".toml"));
    files.map(|file| read(directory, &file.path)).collect()
}

fn read(directory: &Dir, file: &str) -> Result<Ledger, StoreError> {
    match directory.read(file, MAX_BYTES) {
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
