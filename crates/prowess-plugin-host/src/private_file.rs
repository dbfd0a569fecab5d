//! Small files that only their owner may change, and that are replaced atomically.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use crate::regular_file::{LastLink, open_any};

/// The maximum size of such a file.
const MAX_BYTES: u64 = 16 << 20;

/// Reads a file; `None` if it does not exist. Returns an error if the file cannot be read, is not a
/// regular file, or other users may write to it.
pub(crate) fn read(path: &Path) -> io::Result<Option<String>> {
    let (file, stat) = match open_any(path, LastLink::Refuse) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !stat.is_file() || stat.len() > MAX_BYTES {
        return Err(io::Error::other("it is not a regular file of at most 16 MiB"));
    }
    prowess_dir::check_owner(&stat)?;
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text)?;
    Ok(Some(text))
}

/// Replaces a file atomically: a reader sees the old or the new text, also after a power failure.
/// Returns an error if the file cannot be written.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    let directory = directory_of(path)?;
    // `tempfile` creates files with the mode 0600.
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    File::open(directory)?.sync_all()
}

/// Locks a file against changes by other processes until the result is dropped. Returns an error if
/// the lock file cannot be created or locked.
pub(crate) fn lock(path: &Path) -> io::Result<File> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".lock");
    let directory = directory_of(path)?;
    std::fs::create_dir_all(directory)?;
    prowess_dir::locked_file(&directory.join(name))
}

fn directory_of(path: &Path) -> io::Result<&Path> {
    path.parent().ok_or_else(|| io::Error::other("it has no directory"))
}
