//! The first guard: what a path's text alone forbids.

use memchr::memchr2_iter;

use crate::{Error, ErrorKind, Result};

/// Refuses a path that is not relative or has a `..`, before any system call.
pub(crate) fn check(path: &str) -> Result<()> {
    // Asked of each path that is opened: only what has two dots in a row is taken apart.
    let bytes = path.as_bytes();
    let mut has_dots = false;
    for at in memchr2_iter(b'\0', b'.', bytes) {
        if bytes[at] == 0 {
            return Err(Error::new(ErrorKind::Malformed, path));
        }
        has_dots |= bytes.get(at + 1) == Some(&b'.');
    }
    if bytes.first() == Some(&b'/') || (has_dots && path.split('/').any(|part| part == "..")) {
        return Err(Error::new(ErrorKind::Escape, path));
    }
    Ok(())
}

/// The path as the kernel wants it: the directory itself is a dot there.
pub(crate) fn or_dot(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}
