//! The files of a log: the current one, the full ones, and the lock.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use prowess_dir::{check_private, create_directories};
use rustix::fs::{Mode, OFlags};
use rustix::io::retry_on_intr;

/// The number of digits in the name of a full file, so that names sort like numbers.
const DIGITS: usize = 20;

/// Opens a file of the log for writing, and creates it if there is none.
///
/// # Errors
///
/// Returns an error if the path is a link, the file is not regular or is writable by other users,
/// or it cannot be opened.
pub(super) fn open(path: &Path) -> io::Result<File> {
    // A link could lead to another file of the user, and a FIFO would block.
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC;
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    // A signal may interrupt it where the file is on a network, which loses nothing.
    let file = retry_on_intr(|| rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR))?;
    let file = File::from(file);
    check_private(&file.metadata()?)?;
    Ok(file)
}

/// Locks a log until the returned file is closed; `None` if another writer has locked it. Creates
/// the log's directory if necessary.
pub(super) fn lock(path: &Path) -> io::Result<Option<File>> {
    if let Some(directory) = path.parent().filter(|path| !path.as_os_str().is_empty()) {
        create_directories(directory, 0o700)?;
    }
    let file = open(&with_suffix(path, "lock"))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Returns the name of a full file, from its last entry.
pub(super) fn full(path: &Path, last: u64) -> PathBuf {
    with_suffix(path, &format!("{last:0DIGITS$}"))
}

/// Returns the full files of a log, the oldest first.
pub(super) fn all_full(path: &Path) -> io::Result<Vec<PathBuf>> {
    let prefix = with_suffix(Path::new(path.file_name().unwrap_or_default()), "");
    let prefix = prefix.as_os_str().as_encoded_bytes();
    let is_full = |name: &OsString| {
        let number = name.as_encoded_bytes().strip_prefix(prefix);
        number.is_some_and(|it| it.len() == DIGITS && it.iter().all(u8::is_ascii_digit))
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(directory(path))? {
        let name = entry?.file_name();
        if is_full(&name) {
            found.push(path.with_file_name(name));
        }
    }
    found.sort();
    Ok(found)
}

/// Returns all files of a log, the oldest first.
///
/// # Errors
///
/// Returns an error if there is no log, or the directory cannot be read.
pub(crate) fn all(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = all_full(path)?;
    if path.try_exists()? {
        files.push(path.to_owned());
    }
    if files.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(files) }
}

fn directory(path: &Path) -> &Path {
    let parent = path.parent().filter(|path| !path.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}
