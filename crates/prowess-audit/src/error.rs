//! The errors of this crate. The one of a text that is not a [`Head`] is next to that type.

use std::io;
use std::path::PathBuf;

use crate::Head;

/// The error of a log whose chain is broken, or that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A file cannot be read.
    #[error("`{path}` cannot be read: {1}", path = .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    /// An entry is not the original one.
    #[error("line {line} of `{}` {problem}", .file.display())]
    Broken {
        /// The file.
        file: PathBuf,
        /// The line of the first broken entry, from 1.
        line: usize,
        /// The difference.
        problem: Problem,
    },
    /// The log does not contain the entry that was kept elsewhere.
    #[error(
        "the log does not contain the entry {0}, which it had: its entries were replaced or cut off"
    )]
    HeadMissing(Head),
}

/// The difference between an entry and the original one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Its hash does not match its bytes, or it is not a valid entry.
    #[error("is not as it was written: its hash does not match")]
    Changed,
    /// Its number does not follow that of the previous entry.
    #[error("has number {found} and not {expected}: entries were removed, inserted or moved")]
    Order {
        /// The number that would follow.
        expected: u64,
        /// The number of the entry.
        found: u64,
    },
    /// Its hash of the previous entry does not match that entry.
    #[error("does not follow the line before it: entries were replaced")]
    Replaced,
}

/// The error of opening a log.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The last line is complete, but not a valid entry.
    #[error("the last line of the audit log `{}` was changed; end the programs that write it and move it away to start a new one", .0.display())]
    Damaged(PathBuf),
    /// The file cannot be opened, or is not private.
    #[error("the audit log `{path}` cannot be opened: {1}", path = .0.display())]
    Io(PathBuf, #[source] io::Error),
}
