//! The checks of the file and its directory before SQLite opens it by its path.

use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use prowess_dir::{check_owner, check_private, sync_name};

use crate::file;

/// The suffixes of the files that SQLite puts next to a database.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// The size of the smallest page of a database.
const SMALLEST: u64 = 512;

/// Creates the file if it does not exist, checks that only the user can change it, and returns its
/// path without links.
///
/// An existing file is never opened here: closing it would release the locks that another
/// connection of this process has on it.
///
/// # Errors
///
/// Returns an error if the file or one next to it is a link or not regular, or other users can
/// change it, or it cannot be created.
pub(super) fn prepare(path: &Path) -> Result<PathBuf> {
    let directory = file::directory_of(path)?.canonicalize()?;
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    let real = directory.join(name);
    check_owner(&directory.symlink_metadata()?)?;
    if matches!(real.symlink_metadata(), Err(error) if error.kind() == ErrorKind::NotFound) {
        create(&real)?;
    }
    check(&real)?;
    check_size(&real)?;
    for suffix in COMPANIONS {
        match check(&companion(&real, suffix)) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            result => result?,
        }
    }
    Ok(real)
}

/// Returns the device and the inode of the file at a path; `None` if there is none.
pub(super) fn identity(path: &Path) -> Option<(u64, u64)> {
    path.symlink_metadata().ok().map(|it| (it.dev(), it.ino()))
}

fn check(path: &Path) -> Result<()> {
    let metadata = path.symlink_metadata()?;
    if metadata.is_symlink() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is a link"));
    }
    if metadata.is_file() && metadata.nlink() > 1 {
        return Err(Error::new(ErrorKind::InvalidInput, "it has more than one name"));
    }
    check_private(&metadata)
}

/// Refuses a file that is too small for a header: SQLite would take it for an empty database and
/// write over it.
fn check_size(path: &Path) -> Result<()> {
    let size = path.symlink_metadata()?.len();
    // The first page of a database can be written in part, and is restored from the journal.
    if (1..SMALLEST).contains(&size) && !companion(path, "-journal").exists() {
        return Err(Error::new(ErrorKind::InvalidData, "it is damaged, or no database"));
    }
    Ok(())
}

fn companion(path: &Path, suffix: &str) -> PathBuf {
    let mut companion = path.to_owned().into_os_string();
    companion.push(suffix);
    companion.into()
}

/// Creates an empty file, which SQLite takes for a new database. It is closed before it gets its
/// name, so that no lock on it is released.
fn create(path: &Path) -> Result<()> {
    let lock = file::lock(path)?;
    // Those of a file that was moved away: programs that have it open still use them.
    for suffix in COMPANIONS.iter().filter(|_| identity(path).is_none()) {
        match std::fs::remove_file(companion(path, suffix)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    // Leftovers of a killed program are no reason to fail.
    let _ = file::remove_leftovers(path);
    let temporary = file::beside(path, b"")?.into_temp_path();
    match temporary.persist_noclobber(path) {
        Err(failed) if failed.error.kind() != ErrorKind::AlreadyExists => return Err(failed.error),
        _ => {}
    }
    sync_name(path)?;
    drop(lock);
    Ok(())
}
