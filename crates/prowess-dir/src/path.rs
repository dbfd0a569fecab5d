//! The first guard: what a path's text alone forbids.

use std::borrow::Cow;
use std::ffi::CStr;

use rustix::io::Errno;
use rustix::path::Arg;

use crate::{Error, ErrorKind, Result};

/// A path below a directory: a text, which is checked when it is used, or a path of a
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
    /// A path that a listing made, and that the kernel takes as it is.
    pub(crate) fn listed(path: &'p CStr) -> Self {
        Self(Form::Listed(path))
    }

    /// The path, to be shown.
    pub(crate) fn text(self) -> Cow<'p, str> {
        match self.0 {
            Form::Text(text) => Cow::Borrowed(text),
            Form::Listed(path) => path.to_string_lossy(),
        }
    }

    /// Refuses a path that is not relative or has a `..`, before any system call.
    pub(crate) fn check(self) -> Result<()> {
        match self.0 {
            Form::Text(text) => check(text),
            Form::Listed(_) => Ok(()),
        }
    }

    /// Makes a system call with the path as the kernel wants it: the directory itself is a dot there.
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

/// Refuses a text that is no relative path or has a `..`.
pub(crate) fn check(path: &str) -> Result<()> {
    // Asked of each path that is opened: only what has a NUL or two dots in a row is taken apart. Without
    // an early end the loop becomes vector instructions.
    let bytes = path.as_bytes();
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let has_odd_pair = pairs
        .fold(false, |any, (byte, next)| any | (*byte == 0) | ((*byte == b'.') & (*next == b'.')));
    if has_odd_pair || bytes.last() == Some(&0) {
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
