//! What the user trusts at the moment, for programs that run for long.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use prowess_core::{CheckedFolder, Diagnostic, FolderAnswer, FolderTrust};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::{TrustFile, TrustedFolders, file};

/// The folders that the user trusts, read again whenever the file is another one: what the user says in
/// one program is heard by another that runs.
#[derive(Debug)]
pub struct CurrentTrust {
    file: TrustFile,
    read: Mutex<Read>,
}

/// What was read, and of which edition of the file.
#[derive(Debug)]
struct Read {
    edition: u64,
    folders: Arc<TrustedFolders>,
}

impl CurrentTrust {
    /// What this file says from now on.
    pub fn new(file: TrustFile) -> Self {
        let read = Mutex::new(Read::of(&file));
        Self { file, read }
    }

    fn folders(&self) -> Arc<TrustedFolders> {
        // What was read is put in whole, so what is there is right.
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        // What could not be read may be readable now.
        if read.edition != file::edition(self.file.path()) || read.folders.finding().is_some() {
            *read = Read::of(&self.file);
        }
        Arc::clone(&read.folders)
    }
}

impl Read {
    fn of(file: &TrustFile) -> Self {
        // Asked for first: a change in between makes the next look read again.
        let edition = file::edition(file.path());
        Self { edition, folders: Arc::new(file.load()) }
    }
}

impl FolderTrust for CurrentTrust {
    fn answer(&self, folder: &Path) -> FolderAnswer {
        self.folders().answer(folder)
    }

    fn check(&self, folder: &Path) -> CheckedFolder {
        self.folders().check(folder)
    }

    /// Of the file, and of what stands at the paths of the folders: another folder that takes the place of a
    /// trusted one is not trusted.
    fn edition(&self) -> u64 {
        let folders = self.folders();
        let states = folders.folders().iter().map(|folder| folder.state() as u8);
        let states: Vec<_> = states.collect();
        let of_file = file::edition(self.file.path());
        if states.is_empty() { of_file } else { xxh3_64_with_seed(&states, of_file) }
    }

    fn finding(&self) -> Option<Diagnostic> {
        self.folders().finding().cloned()
    }
}
