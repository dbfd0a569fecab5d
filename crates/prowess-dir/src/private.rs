//! The check of the user's own files, such as stored state and logs.

use std::fs::Metadata;
use std::io::{self, Error, ErrorKind};
use std::os::unix::fs::MetadataExt;

/// Checks the metadata of an opened file: that it is a regular file that only the user or root can
/// change.
///
/// # Errors
///
/// Returns an error if the file is not regular, belongs to another user, or is writable by other
/// users.
pub fn check_private(metadata: &Metadata) -> io::Result<()> {
    if !metadata.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no regular file"));
    }
    check_owner(metadata)
}

/// Checks that only the user or root can change a file or directory.
///
/// # Errors
///
/// Returns an error if the file belongs to another user or is writable by other users.
pub fn check_owner(metadata: &Metadata) -> io::Result<()> {
    if !is_user_or_root(metadata.uid()) {
        return Err(Error::new(ErrorKind::PermissionDenied, "it belongs to another user"));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(Error::new(ErrorKind::PermissionDenied, "others may write to it"));
    }
    Ok(())
}

/// Returns whether this is the id of the user who runs the program, or of root.
pub fn is_user_or_root(user: u32) -> bool {
    user == 0 || user == rustix::process::geteuid().as_raw()
}
