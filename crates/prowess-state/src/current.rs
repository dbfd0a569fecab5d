//! The folders that the user trusts now, for long-running programs.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use prowess_core::{CheckedFolder, Diagnostic, Digest, FolderAnswer, FolderTrust};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::{TrustFile, TrustedFolders, file};

/// The folders that the user trusts, read again whenever the trust file changes, so that a running
/// program sees changes by another one.
#[derive(Debug)]
pub struct CurrentTrust {
    file: TrustFile,
    read: Mutex<Read>,
}

/// The parsed file, and the version that it was read from.
#[derive(Debug)]
struct Read {
    version: u64,
    folders: Arc<TrustedFolders>,
}

impl CurrentTrust {
    /// Creates the current trust of this file.
    pub fn new(file: TrustFile) -> Self {
        let read = Mutex::new(Read::of(&file));
        Self { file, read }
    }

    fn folders(&self) -> Arc<TrustedFolders> {
        // The value is replaced as a whole, so a poisoned lock holds a valid one.
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        // A file that could not be read may be readable now.
        if read.version != file::version(self.file.path()) || read.folders.finding().is_some() {
            *read = Read::of(&self.file);
        }
        Arc::clone(&read.folders)
    }
}

impl Read {
    fn of(file: &TrustFile) -> Self {
        // Taken before reading: a change in between causes another read.
        let version = file::version(file.path());
        Self { version, folders: Arc::new(file.load()) }
    }
}

impl FolderTrust for CurrentTrust {
    fn answer(&self, folder: &Path) -> FolderAnswer {
        self.folders().answer(folder)
    }

    fn check(&self, folder: &Path) -> CheckedFolder {
        self.folders().check(folder)
    }

    fn has_reviewed(&self, skill: &str, files: &Digest) -> bool {
        self.folders().has_reviewed(skill, files)
    }

    /// Covers the file and the folders at its paths: a folder that replaces a trusted one is not
    /// trusted.
    fn version(&self) -> u64 {
        let folders = self.folders();
        let states = folders.folders().iter().map(|folder| folder.state() as u8);
        let states: Vec<_> = states.collect();
        let of_file = file::version(self.file.path());
        if states.is_empty() { of_file } else { xxh3_64_with_seed(&states, of_file) }
    }

    fn finding(&self) -> Option<Diagnostic> {
        self.folders().finding().cloned()
    }
}
