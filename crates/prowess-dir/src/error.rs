//! The error type.

use std::fmt;

use rustix::io::Errno;

use crate::Links;

/// The error of an operation on a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    path: Box<str>,
    cause: Option<Errno>,
}

/// The kind of an [`Error`], for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The path does not exist.
    NotFound,
    /// The path, or a link on it, leads out of the directory.
    Escape,
    /// The path contains a NUL character, so no file can have that name.
    Malformed,
    /// The path is a link, or is behind one, and links are refused.
    Link,
    /// It is a directory, a FIFO, a socket or a device, where a regular file is required.
    NotRegular,
    /// It is not a directory, where a directory is required.
    NotADirectory,
    /// The links form a loop.
    Loop,
    /// It is larger than the limit.
    TooLarge,
    /// The content is not the one that the caller read.
    Changed,
    /// The file has several hard links, and its directory refuses such files.
    MultipleLinks,
    /// It is on another mount than its directory, which refuses that.
    OtherMount,
    /// The file was written to while it was read.
    Changing,
    /// It is another directory than the expected one.
    Replaced,
    /// The operating system denied access.
    Denied,
    /// It could not be reached or read.
    Unavailable,
    /// An entry has the name of what was to be created.
    AlreadyExists,
    /// Its new content could not be written.
    Unwritable,
    /// What replaces it could not have its owner, its group or its attributes.
    Owner,
}

impl Error {
    /// Creates an error that this crate detected itself.
    pub(crate) fn new(kind: ErrorKind, path: impl Into<Box<str>>) -> Self {
        Self { kind, path: path.into(), cause: None }
    }

    /// Creates an error about a path of the host's that cannot be used.
    pub fn malformed(path: &str) -> Self {
        Self::new(ErrorKind::Malformed, path)
    }

    /// Creates an error about a path of the host's that leads out of its place.
    pub fn escape(path: &str) -> Self {
        Self::new(ErrorKind::Escape, path)
    }

    /// Creates an error that the kernel reported.
    pub(crate) fn of(cause: Errno, path: impl Into<Box<str>>) -> Self {
        Self { kind: ErrorKind::of(cause), path: path.into(), cause: Some(cause) }
    }

    /// Creates an error that the kernel reported for a write.
    pub(crate) fn unwritable(cause: Errno, path: impl Into<Box<str>>) -> Self {
        let kind = match cause {
            Errno::EXIST => ErrorKind::AlreadyExists,
            _ => ErrorKind::Unwritable,
        };
        Self { kind, path: path.into(), cause: Some(cause) }
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the path as the caller gave it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the same error for a call with this policy: where links are refused, `ELOOP` means a
    /// link and not a loop.
    pub(crate) fn behind(mut self, links: Links) -> Self {
        if self.kind == ErrorKind::Loop && links == Links::Refuse {
            self.kind = ErrorKind::Link;
        }
        self
    }
}

impl ErrorKind {
    fn of(cause: Errno) -> Self {
        match cause {
            // No file can have a name that is too long.
            Errno::NOENT | Errno::NAMETOOLONG => Self::NotFound,
            Errno::NOTDIR => Self::NotADirectory,
            Errno::XDEV => Self::Escape,
            Errno::LOOP => Self::Loop,
            // A socket cannot be opened, a directory cannot be read, a FIFO or a terminal has no
            // first bytes.
            Errno::NXIO | Errno::ISDIR | Errno::SPIPE => Self::NotRegular,
            Errno::ACCESS | Errno::PERM => Self::Denied,
            _ => Self::Unavailable,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match self.kind {
            ErrorKind::NotFound => write!(formatter, "there is no `{path}`"),
            ErrorKind::Escape => write!(formatter, "`{path}` leads out of its directory"),
            ErrorKind::Malformed => write!(formatter, "{path:?} holds a NUL character"),
            ErrorKind::Link => write!(formatter, "`{path}` is a symbolic link or lies behind one"),
            ErrorKind::NotRegular => write!(formatter, "`{path}` is not a regular file"),
            ErrorKind::NotADirectory => write!(formatter, "`{path}` is not a directory"),
            ErrorKind::Loop => write!(formatter, "the links of `{path}` form a loop"),
            ErrorKind::TooLarge => write!(formatter, "`{path}` is larger than the limit"),
            ErrorKind::Changed => write!(formatter, "`{path}` has changed since it was read"),
            ErrorKind::MultipleLinks => {
                write!(formatter, "`{path}` has more than one name (hard links)")
            }
            ErrorKind::OtherMount => write!(formatter, "`{path}` is on another mount"),
            ErrorKind::Changing => write!(formatter, "`{path}` was written to while it was read"),
            ErrorKind::Replaced => write!(formatter, "`{path}` was replaced by another directory"),
            ErrorKind::Denied => write!(formatter, "no right to read `{path}`"),
            ErrorKind::Unavailable => match self.cause {
                Some(cause) => write!(formatter, "`{path}` cannot be read: {cause}"),
                None => write!(formatter, "`{path}` cannot be read"),
            },
            ErrorKind::AlreadyExists => write!(formatter, "`{path}` exists already"),
            ErrorKind::Unwritable => match self.cause {
                Some(cause) => write!(formatter, "`{path}` cannot be written: {cause}"),
                None => write!(formatter, "`{path}` cannot be written"),
            },
            ErrorKind::Owner => {
                let path = if path.is_empty() { "." } else { path };
                write!(formatter, "`{path}` would not keep its owner or its group")
            }
        }
    }
}

impl std::error::Error for Error {}

/// Returns whether the error reports a loop of links.
pub fn is_loop(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(Errno::LOOP.raw_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Root is denied nothing, so a file cannot show it.
    #[test]
    fn denied_access_has_its_own_kind() {
        for cause in [Errno::ACCESS, Errno::PERM] {
            assert_eq!(Error::of(cause, "x").kind(), ErrorKind::Denied);
        }
        assert_eq!(Error::of(Errno::IO, "x").kind(), ErrorKind::Unavailable);
    }
}
