//! The store of packages.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use prowess_archive::Archive;
use prowess_core::Digest;
use prowess_dir::{Dir, ErrorKind, Links, Permissions, create_directories, locked_file};

use crate::author::Author;
use crate::error::StoreError;
use crate::tree::{FileStates, digest_of, file_digests, stored_digest, stored_files, tree_digest};

/// The directories of the store.
pub(crate) const PACKAGES: &str = "packages";
const STAGING: &str = "staging";

/// The directory of lists of the files of packages, which name what was changed.
const LISTS: &str = "lists";

/// The maximum size of such a list, in bytes.
const MAX_LIST: usize = 16 * 1024 * 1024;

/// A directory of packages, each under the digest of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    root: PathBuf,
    author: Option<Author>,
}

impl Store {
    /// Creates the value for this directory, which need not exist.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), author: None }
    }

    /// Sets the author of changes: installs, updates and removals are then in the ledger of each
    /// skill. By default, they are not.
    #[must_use]
    pub fn by(self, author: Author) -> Self {
        Self { author: Some(author), ..self }
    }

    /// Returns the directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Begins a change: waits until no other process changes the store, and removes what killed
    /// processes left behind.
    ///
    /// # Errors
    ///
    /// The store cannot be created or locked.
    pub fn begin(&self) -> Result<Change, StoreError> {
        create_directories(&self.root, 0o700)?;
        let lock = locked_file(&self.root.join("lock"))?;
        let root = Dir::open(&self.root)?;
        root.remove_tree(STAGING)?;
        let directory = std::path::absolute(&self.root)?;
        let change =
            Change { root, directory, author: self.author.clone(), reason: None, _lock: lock };
        change.recover()?;
        change.remove_lost_artifacts()?;
        change.remove_lost_ledger()?;
        Ok(change)
    }

    /// Opens the directory of all packages.
    ///
    /// # Errors
    ///
    /// It cannot be read. If it does not exist, each package is missing.
    pub(crate) fn packages(&self) -> Result<Packages, StoreError> {
        let root = Dir::open(&self.root);
        match root.and_then(|root| root.open_dir(PACKAGES, Links::Refuse)) {
            Ok(directory) => Ok(Packages { directory: Some(directory), lists: self.lists() }),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(Packages { directory: None, lists: None })
            }
            Err(error) => Err(error.into()),
        }
    }

    fn lists(&self) -> Option<Dir> {
        Dir::open(&self.root).and_then(|root| root.open_dir(LISTS, Links::Refuse)).ok()
    }

    /// Opens the directory of a package.
    ///
    /// # Errors
    ///
    /// The package is not in the store, or cannot be read.
    pub(crate) fn open(&self, tree: &Digest) -> Result<Dir, StoreError> {
        self.packages()?.open(tree)
    }

    /// Returns the directory of a package, which exists if the package is in the store.
    pub fn package_directory(&self, tree: &Digest) -> PathBuf {
        self.root.join(PACKAGES).join(hex(tree))
    }

    /// Checks that the files of a package are those that were installed.
    ///
    /// # Errors
    ///
    /// The package is not in the store, was changed, or cannot be read.
    pub fn verify(&self, tree: &Digest) -> Result<(), StoreError> {
        self.packages()?.intact(tree).map(drop)
    }
}

impl Store {
    /// Returns whether each file of a package is executable, and its digest, by path.
    pub(crate) fn files(&self, tree: &Digest) -> Result<FileStates, StoreError> {
        stored_files(&self.open(tree)?)?.ok_or_else(|| StoreError::Changed(*tree, Vec::new()))
    }
}

/// The directory of all packages, opened once for many of them.
pub(crate) struct Packages {
    directory: Option<Dir>,
    lists: Option<Dir>,
}

impl Packages {
    /// Opens the directory of a package, as [`Store::open`] does.
    pub(crate) fn open(&self, tree: &Digest) -> Result<Dir, StoreError> {
        let directory = self.directory.as_ref().ok_or(StoreError::Missing(*tree))?;
        directory.open_dir(&hex(tree), Links::Refuse).map_err(|error| match error.kind() {
            ErrorKind::NotFound => StoreError::Missing(*tree),
            _ => error.into(),
        })
    }

    /// Opens the directory of a package if its files are those that were installed, and else names
    /// the others.
    pub(crate) fn intact(&self, tree: &Digest) -> Result<Dir, StoreError> {
        let directory = self.open(tree)?;
        if stored_digest(&directory)? == Some(*tree) {
            return Ok(directory);
        }
        let before = self.list(tree);
        let names = before.zip(stored_files(&directory)?).map(|(before, now)| {
            let paths: BTreeSet<_> = before.keys().chain(now.keys()).collect();
            let is_other = |path: &&&String| before.get(**path) != now.get(**path);
            paths.iter().filter(is_other).map(ToString::to_string).collect()
        });
        Err(StoreError::Changed(*tree, names.unwrap_or_default()))
    }

    /// Returns the files of a package as they were installed; `None` if they are not known.
    pub(crate) fn files(&self, tree: &Digest) -> Option<FileStates> {
        let stored = || stored_files(&self.open(tree).ok()?).ok().flatten();
        self.list(tree).or_else(|| stored().filter(|files| digest_of(files) == *tree))
    }

    fn list(&self, tree: &Digest) -> Option<FileStates> {
        let list = self.lists.as_ref()?.read(&hex(tree), MAX_LIST).ok()?;
        // A list is known by the digest, so that it needs no other guard.
        serde_json::from_slice(&list).ok().filter(|files| digest_of(files) == *tree)
    }
}

/// A change of the store. No other process changes it until this is dropped.
#[derive(Debug)]
pub struct Change {
    pub(crate) root: Dir,
    /// The path of the root.
    pub(crate) directory: PathBuf,
    pub(crate) author: Option<Author>,
    pub(crate) reason: Option<String>,
    _lock: File,
}

impl Change {
    /// Sets why the author changes a lock file. By default, a version has its source instead.
    #[must_use]
    pub fn because(self, reason: Option<String>) -> Self {
        Self { reason, ..self }
    }

    /// Stores packages, and returns the digest of each. A package that is stored already is
    /// checked, and is replaced if its files were changed.
    ///
    /// A package is complete on the disk before it has its name in the store.
    ///
    /// # Errors
    ///
    /// The disk is full or fails. Packages that are stored then remain.
    pub fn insert(&self, packages: &[&Archive]) -> Result<Vec<Digest>, StoreError> {
        let hashed: Vec<_> =
            packages.iter().map(|package| (*package, tree_digest(package))).collect();
        self.insert_hashed(&hashed)?;
        Ok(hashed.into_iter().map(|(_, tree)| tree).collect())
    }

    /// Stores packages with these digests, as [`Self::insert`] does.
    pub(crate) fn insert_hashed(&self, packages: &[(&Archive, Digest)]) -> Result<(), StoreError> {
        let stored = self.root.open_or_create_dir(PACKAGES)?;
        let staging = self.root.open_or_create_dir(STAGING)?;
        let mut staged = BTreeSet::new();
        for (package, tree) in packages {
            let name = hex(tree);
            if staged.contains(&name) || is_intact(&stored, &name, tree) {
                continue;
            }
            write(&staging.create_dir(&name)?, package, None)?;
            staged.insert(name);
        }
        if !staged.is_empty() {
            // Before the packages, so that none is without its list.
            let lists = self.root.open_or_create_dir(LISTS)?;
            for (package, tree) in packages.iter().filter(|(_, tree)| staged.contains(&hex(tree))) {
                let list = serde_json::to_vec(&file_digests(package))
                    .map_err(|error| StoreError::Unusable(error.to_string()))?;
                lists.remove_tree(&hex(tree))?;
                lists.create_file(&hex(tree), &list, Permissions::Readable)?;
            }
            lists.sync()?;
            staging.sync()?;
            for name in &staged {
                stored.remove_tree(name)?;
                staging.move_into(name, &stored, name)?;
            }
            stored.sync()?;
        }
        Ok(self.root.remove_tree(STAGING)?)
    }

    /// Returns whether a package is in the store.
    pub(crate) fn has(&self, tree: &Digest) -> bool {
        self.root.stat(&package_path(tree), Links::Refuse).is_ok()
    }

    /// Removes a package. One that is not stored is no error.
    ///
    /// # Errors
    ///
    /// A file cannot be removed.
    pub fn remove(&self, tree: &Digest) -> Result<(), StoreError> {
        for directory in [PACKAGES, LISTS] {
            self.root.open_or_create_dir(directory)?.remove_tree(&hex(tree))?;
        }
        Ok(())
    }
}

fn is_intact(stored: &Dir, name: &str, tree: &Digest) -> bool {
    let opened = stored.open_dir(name, Links::Refuse).map_err(StoreError::from);
    opened.and_then(|directory| stored_digest(&directory)).is_ok_and(|found| found == Some(*tree))
}

/// Writes the files of a package to an empty directory, which is to replace `model`.
pub(crate) fn write(
    directory: &Dir,
    package: &Archive,
    model: Option<&Dir>,
) -> Result<(), StoreError> {
    let files = package.files().iter();
    let files = files.map(|file| (&*file.path, &*file.content, file.is_executable));
    Ok(directory.write_files(files, model)?)
}

/// Returns the path of a package in the store.
pub(crate) fn package_path(tree: &Digest) -> String {
    format!("{PACKAGES}/{}", hex(tree))
}

/// Returns the name of a package in the store.
pub(crate) fn hex(digest: &Digest) -> String {
    digest.to_string().trim_start_matches("sha256:").to_owned()
}
