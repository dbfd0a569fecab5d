//! Directories whose names are on the disk, for files that must survive a power failure.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

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

/// Writes the name of a file or directory to the disk.
///
/// # Errors
///
/// Returns an error if its directory cannot be opened, or the disk fails.
pub fn sync_name(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}
