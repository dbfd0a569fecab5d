//! Checks the text of paths. This is the first guard.

use std::borrow::Cow;
use std::ffi::CStr;

use rustix::io::Errno;
use rustix::path::Arg;

use crate::{Error, ErrorKind, Result};

/// A path relative to a directory: either text, which is checked when it is used, or a path of a
/// [`PathBatch`](crate::PathBatch), which needs no check.
#[derive(Clone, Copy, Debug)]
pub struct RelativePath<'p>(Form<'p>);

#[derive(Clone, Copy, Debug)]
enum Form<'p> {
    Text(&'p str),
    Listed(&'p CStr),
}

impl<'p> From<&'p str> for RelativePath<'p> {
    fn from(text: &'p str) -> Self {
        Self(Form::Text(text))
    }
}

impl<'p> RelativePath<'p> {
    /// Creates a path from a listing, which the kernel takes as it is.
    pub(crate) fn listed(path: &'p CStr) -> Self {
        Self(Form::Listed(path))
    }

    /// Returns the path for display.
    pub(crate) fn text(self) -> Cow<'p, str> {
        match self.0 {
            Form::Text(text) => Cow::Borrowed(text),
            Form::Listed(path) => path.to_string_lossy(),
        }
    }

    /// Rejects a path that is not relative or has a `..`, before any system call.
    pub(crate) fn check(self) -> Result<()> {
        match self.0 {
            Form::Text(text) => check(text),
            Form::Listed(_) => Ok(()),
        }
    }

    /// Makes a system call with the path in the kernel's form: the directory itself is `.`.
    pub(crate) fn call<T>(
        self,
        call: impl FnOnce(&CStr) -> std::result::Result<T, Errno>,
    ) -> Result<T> {
        let answer = match self.0 {
            Form::Text("") => call(c"."),
            Form::Text(text) => text.into_with_c_str(call),
            Form::Listed(path) => call(path),
        };
        answer.map_err(|cause| Error::of(cause, self.text()))
    }
}

/// Rejects a text that is not a relative path or has a `..`.
pub(crate) fn check(path: &str) -> Result<()> {
    // Called for every path that is opened: only a path with a NUL or two dots in a row is split.
    // The loop has no early exit, so that it is vectorised.
    let bytes = path.as_bytes();
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let has_odd_pair = pairs.fold(false, |any, (byte, next)| {
        any | matches!(byte, 0) | ((*byte == b'.') & (*next == b'.'))
    });
    if has_odd_pair || path.ends_with('\0') {
        if bytes.contains(&0) {
            return Err(Error::new(ErrorKind::Malformed, path));
        }
        if path.split('/').any(|part| part == "..") {
            return Err(Error::new(ErrorKind::Escape, path));
        }
    }
    if bytes.first() == Some(&b'/') {
        return Err(Error::new(ErrorKind::Escape, path));
    }
    Ok(())
}
