//! What can go wrong, by kind and in a sentence.

use std::fmt;

use rustix::io::Errno;

/// Why a path could not be opened, read or listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    path: Box<str>,
    cause: Option<Errno>,
}

/// What to branch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is nothing at that path.
    NotFound,
    /// The path, or a link on it, leads out of the directory.
    Escape,
    /// It holds a NUL character, so that no file can have that name.
    Malformed,
    /// It is a link, or lies behind one, and links were not to be followed.
    Link,
    /// It is a directory, a FIFO, a socket or a device, and a regular file was asked for.
    NotRegular,
    /// It is no directory, and a directory was asked for.
    NotADirectory,
    /// Its links lead round in a circle.
    Loop,
    /// It is larger than the limit.
    TooLarge,
    /// It has other content than the caller read.
    Changed,
    /// It has several names, and its directory refuses such files.
    MultipleLinks,
    /// It is on another mount than its directory, which refuses that.
    OtherMount,
    /// It was written to while it was read.
    Changing,
    /// It is another directory than the one that was expected there.
    Replaced,
    /// The operating system refuses.
    Denied,
    /// It could not be reached or read.
    Unavailable,
    /// Its new content could not be written.
    Unwritable,
}

impl Error {
    /// An error that this crate found itself.
    pub(crate) fn new(kind: ErrorKind, path: impl Into<Box<str>>) -> Self {
        Self { kind, path: path.into(), cause: None }
    }

    /// An error about a path of the host's that cannot be used.
    pub fn malformed(path: &str) -> Self {
        Self::new(ErrorKind::Malformed, path)
    }

    /// An error that the kernel gave.
    pub(crate) fn of(cause: Errno, path: impl Into<Box<str>>) -> Self {
        Self { kind: ErrorKind::of(cause), path: path.into(), cause: Some(cause) }
    }

    /// An error of the kernel's while new content was written.
    pub(crate) fn unwritable(cause: Errno, path: impl Into<Box<str>>) -> Self {
        Self { kind: ErrorKind::Unwritable, path: path.into(), cause: Some(cause) }
    }

    /// What to branch on.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The path as it was asked for.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The same error, where `ELOOP` says that a link was met and not that links go round.
    pub(crate) fn without_links(mut self) -> Self {
        if self.kind == ErrorKind::Loop {
            self.kind = ErrorKind::Link;
        }
        self
    }
}

impl ErrorKind {
    fn of(cause: Errno) -> Self {
        match cause {
            // No file has a name that is too long to be one.
            Errno::NOENT | Errno::NAMETOOLONG => Self::NotFound,
            Errno::NOTDIR => Self::NotADirectory,
            Errno::XDEV => Self::Escape,
            Errno::LOOP => Self::Loop,
            // A socket cannot be opened, a directory cannot be read.
            // A FIFO or a terminal has no first bytes.
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
            ErrorKind::Loop => write!(formatter, "the links of `{path}` lead round in a circle"),
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
            ErrorKind::Unwritable => match self.cause {
                Some(cause) => write!(formatter, "`{path}` cannot be written: {cause}"),
                None => write!(formatter, "`{path}` cannot be written"),
            },
        }
    }
}

impl std::error::Error for Error {}

/// Whether the system says that links lead round in a circle.
pub fn is_loop(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(Errno::LOOP.raw_os_error())
}
