//! A directory handle that no read, listing or walk can leave.
//!
//! ```
//! # let place = tempfile::tempdir()?;
//! # std::fs::write(place.path().join("notes.md"), "Notes")?;
//! use prowess_dir::{Dir, ErrorKind, Links};
//!
//! let directory = Dir::open(place.path())?;
//! assert_eq!(directory.read("notes.md", 1024)?, b"Notes");
//!
//! let refused = directory.read("../secret", 1024).unwrap_err();
//! assert_eq!(refused.kind(), ErrorKind::Escape);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Looking at a path and then opening it is not a boundary: between the two, somebody swaps a
//! directory for a link. So a path is resolved and confined in one step, by the kernel
//! (`openat2`, without links or with `RESOLVE_BENEATH`), and what was opened is looked at before it
//! is read. Where there is no `openat2` (an old kernel, a container that filters it, another Unix),
//! the path is opened part by part, each relative to the handle before it and none through a link;
//! see [`Dir::open_by_hand`].
//!
//! Two guards stand one behind the other: a path with `..`, a first slash or a NUL is refused by its
//! text, and what a link or a race makes of a harmless path is refused by its resolution.
//!
//! Everything is opened without blocking and without becoming a controlling terminal, and only
//! regular files are read, so a FIFO or a device costs an error and no wait.
//!
//! This crate does not know what a skill is. It works on Unix; elsewhere it does not build.
#![forbid(unsafe_code)]

mod access;
mod batch;
mod dir;
mod entries;
mod epoch;
mod error;
mod file;
mod identity;
mod open;
mod path;
mod refusals;
mod replace;
mod resolve;
mod stat;
mod unchecked;
mod walk;

pub use access::Links;
pub use batch::{BatchedPath, PathBatch};
pub use dir::Dir;
pub use entries::{Entries, Entry, EntryBuffer};
pub use epoch::Epoch;
pub use error::{Error, ErrorKind, is_loop};
pub use file::{File, Head};
pub use identity::Identity;

pub use path::RelativePath;
pub use refusals::Refusals;
pub use stat::{FileTime, Kind, Stat};
pub use unchecked::UncheckedFile;
pub use walk::{Walk, WalkBounds, Walked};

/// What this crate's calls give.
pub type Result<T, E = Error> = std::result::Result<T, E>;
