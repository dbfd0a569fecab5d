//! The first guard: what a path's text alone forbids.

use crate::{Error, ErrorKind, Result};

/// Refuses a path that is not relative or has a `..`, before any system call.
pub(crate) fn check(path: &str) -> Result<()> {
    if path.contains('\0') {
        return Err(Error::new(ErrorKind::Malformed, path));
    }
    if path.starts_with('/') || path.split('/').any(|part| part == "..") {
        return Err(Error::new(ErrorKind::Escape, path));
    }
    Ok(())
}

/// The path as the kernel wants it: the directory itself is a dot there.
pub(crate) fn or_dot(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}
