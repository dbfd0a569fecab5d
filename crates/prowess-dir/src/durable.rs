//! Directories whose names are on the disk, for files that must survive a power failure.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::retry_on_intr;

/// Creates a directory of this mode and those above it, unless they exist, and writes the names of
/// the new ones to the disk: a file that is synced inside is else lost with its directory.
///
/// # Errors
///
/// Returns an error if a directory cannot be created or written to.
pub fn create_directories(path: &Path, mode: u32) -> io::Result<()> {
    let is_new = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let new: Vec<_> = path.ancestors().take_while(is_new).collect();
    DirBuilder::new().recursive(true).mode(mode).create(path)?;
    new.into_iter().rev().try_for_each(sync_name)
}

/// Opens a lock file, and creates it if necessary; waits until no other program holds it, and holds
/// it until the result is dropped.
///
/// # Errors
///
/// Returns an error if the file cannot be created, or is a link or a FIFO, which would block.
pub fn locked_file(path: &Path) -> io::Result<File> {
    let file = lock_file(path)?;
    file.lock()?;
    Ok(file)
}

/// Opens a lock file, and creates it if necessary. Nothing is locked yet.
///
/// # Errors
///
/// Returns an error if the file cannot be created, or is a link or a FIFO, which would block.
pub fn lock_file(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND | OFlags::CLOEXEC;
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let mode = Mode::RUSR | Mode::WUSR;
    Ok(File::from(retry_on_intr(|| rustix::fs::open(path, flags, mode))?))
}

/// Writes the name of a file or directory to the disk.
///
/// # Errors
///
/// Returns an error if its directory cannot be opened, or the disk fails.
pub fn sync_name(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}
