//! Tests of the store, its lock and its source.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod codes;
mod foreign;
mod history;
mod install;
mod live;
mod lock;
mod quarantine;
mod signatures;
mod source;
mod store;
mod surface;
mod updates;

use prowess_archive::{Archive, File};
use prowess_core::Digest;
use prowess_store::{LockFile, LockedSkill, Store};
use tempfile::TempDir;

/// A store and a lock file in an empty directory.
struct Place {
    directory: TempDir,
    store: Store,
    lock: LockFile,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path().join("store"));
        let lock = LockFile::new(directory.path().join("project/prowess.lock"));
        Self { directory, store, lock }
    }

    /// Installs a package with this `SKILL.md`, and returns its digest.
    fn install(&self, id: &str, text: &str) -> Digest {
        let package = package(text);
        let change = self.store.begin().unwrap();
        let tree = change.insert(&[&package]).unwrap()[0];
        let mut lock = self.lock.load().unwrap();
        lock.skills.insert(id.to_owned(), locked(text, tree));
        change.save(&self.lock, &lock).unwrap();
        tree
    }
}

fn package(text: &str) -> Archive {
    let script = File::new("scripts/run.sh", "#!/bin/sh\n").executable();
    Archive::new(vec![File::new("SKILL.md", text), script]).unwrap()
}

fn locked(text: &str, tree: Digest) -> LockedSkill {
    LockedSkill::new("https://example.com", text, Digest::of(text.as_bytes()), tree)
}
