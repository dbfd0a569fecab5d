//! Small files that decide what may run: only their owner may change them, and they change whole.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::regular_file::{LastLink, flags, open_any};

/// The most bytes that such a file may have.
const MAX_BYTES: u64 = 16 << 20;

/// Reads such a file; `None` if there is none.
///
/// # Errors
///
/// It cannot be read, is not a regular file, or other users may write to it.
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

/// Writes such a file in one step: a reader sees the old text or the new one, also after the
/// power failed.
///
/// # Errors
///
/// The file system refuses.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    let directory = directory_of(path)?;
    // A temporary file of this crate has the mode 0600.
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    File::open(directory)?.sync_all()
}

/// Keeps others from changing the file until the lock is dropped.
///
/// # Errors
///
/// The file system refuses.
pub(crate) fn lock(path: &Path) -> io::Result<File> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".lock");
    let directory = directory_of(path)?;
    std::fs::create_dir_all(directory)?;
    let lock = directory.join(PathBuf::from(name));
    let mut options = OpenOptions::new();
    options.create(true).append(true).mode(0o600).custom_flags(flags(LastLink::Refuse));
    let file = options.open(lock)?;
    file.lock()?;
    Ok(file)
}

fn directory_of(path: &Path) -> io::Result<&Path> {
    path.parent().ok_or_else(|| io::Error::other("it has no directory"))
}
