//! Directories of a running program, which a later one removes if that was killed.
//!
//! Each is locked as long as it is in use, and the kernel ends the lock of a process however that
//! ends.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The number of letters behind the prefix of a name.
const LETTERS: usize = 16;

/// How often a name is chosen that another program has.
const ATTEMPTS: usize = 10;

/// A private directory in a directory for temporary files. It is removed when this is dropped.
#[derive(Debug)]
pub struct ScratchDir {
    path: PathBuf,
    _lock: File,
}

impl ScratchDir {
    /// Creates a directory whose name starts with `prefix`. The first one of a process also removes
    /// those that killed processes have left: see [`sweep`].
    ///
    /// # Errors
    ///
    /// Returns an error that names `parent` if that does not exist or cannot be written.
    pub fn create(parent: &Path, prefix: &'static str) -> io::Result<Self> {
        Self::try_create(parent, prefix).map_err(|error| {
            let place = std::path::absolute(parent).unwrap_or_else(|_| parent.to_owned());
            let message = format!(
                "no directory can be created in `{}` ({}); check that it exists and can be written",
                place.display(),
                error.kind()
            );
            io::Error::new(error.kind(), message)
        })
    }

    fn try_create(parent: &Path, prefix: &'static str) -> io::Result<Self> {
        static SWEPT: Mutex<BTreeSet<(PathBuf, &str)>> = Mutex::new(BTreeSet::new());
        let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if swept.insert((parent.to_owned(), prefix)) {
            sweep(parent, prefix);
        }
        drop(swept);
        for _ in 0..ATTEMPTS {
            let random = RandomState::new().build_hasher().finish();
            let path = parent.join(format!("{prefix}{random:0LETTERS$x}"));
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                created => created?,
            }
            let Ok(lock) = File::open(&path) else { continue };
            // Without a lock, no sweep gets one either.
            let _ = lock.lock();
            // A sweep may have taken it for one that was left.
            if is_at(&lock, &path) {
                return Ok(Self { path, _lock: lock });
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes the directories of [`ScratchDir`] with this prefix that this user's processes have left
/// without removing them: those that nothing has locked.
pub fn sweep(parent: &Path, prefix: &str) {
    let own = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(prefix));
        let is_name = |it: &str| it.len() == LETTERS && it.bytes().all(|it| it.is_ascii_hexdigit());
        // Such a directory has the files of all programs.
        if !random.is_some_and(is_name) {
            continue;
        }
        let path = entry.path();
        let is_own = |found: fs::Metadata| found.is_dir() && found.uid() == own;
        if path.symlink_metadata().is_ok_and(is_own)
            && let Ok(lock) = File::open(&path)
            && lock.try_lock().is_ok()
            && is_at(&lock, &path)
        {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// Returns whether a path still leads to this directory.
fn is_at(directory: &File, path: &Path) -> bool {
    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    let open = directory.metadata().map(identity).ok();
    open.is_some() && open == path.symlink_metadata().map(identity).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_of_ended_processes_are_removed() {
        let place = tempfile::tempdir().expect("there is room");
        let used = ScratchDir::create(place.path(), "scratch-").expect("there is room");
        fs::write(used.path().join("file"), "x").expect("there is room");
        let other = |name: &str| {
            let path = place.path().join(name);
            fs::create_dir_all(path.join("inside")).expect("there is room");
            path
        };
        // As a killed process leaves it.
        let left = other("scratch-0123456789abcdef");
        let foreign = ["scratch-notes", "scratch-", "other-0123456789abcdef"].map(other);
        let link = place.path().join("scratch-fedcba9876543210");
        std::os::unix::fs::symlink(&foreign[0], &link).expect("there is room");
        sweep(place.path(), "scratch-");
        assert!(!left.exists(), "nothing uses it");
        assert!(used.path().join("file").exists(), "it is in use");
        assert!(foreign.iter().all(|path| path.join("inside").exists()), "they are not from here");
        assert!(link.exists(), "it is no directory");
        let path = used.path().to_owned();
        drop(used);
        assert!(!path.exists(), "its end removes it");
        let missing = ScratchDir::create(&path, "scratch-").expect_err("it has no parent");
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        assert!(missing.to_string().contains(&path.display().to_string()), "{missing}");
    }
}
