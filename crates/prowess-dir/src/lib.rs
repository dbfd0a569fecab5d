//! Directory handles that confine every read, listing and walk.
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
//! Checking a path and then opening it is not a boundary: between the two, another process can
//! replace a directory by a link. So a path is resolved and confined in one step, by the kernel
//! (`openat2`, without links or with `RESOLVE_BENEATH`), and the opened file is checked before it
//! is read. Without `openat2` (an old kernel, a container that filters it, another Unix), the path
//! is opened part by part, each relative to the handle before it and none through a link; see
//! [`Dir::open_by_hand`].
//!
//! There are two guards: a path with `..`, a leading slash or a NUL is rejected by its text, and a
//! path that a link or a race leads outside is rejected by its resolution.
//!
//! Files are opened without blocking and without becoming a controlling terminal, and only regular
//! files are read, so a FIFO or a device causes an error instead of a wait.
//!
//! Every path of a package is opened here, for reading and for writing. Three parts write files of
//! packages: `prowess validate --fix` and `prowess-governance` replace files only if their content
//! is still the one that was read, and `prowess-store` writes whole packages, which it never
//! changes. Times of files are compared with the clock that the kernel uses for them, which is read
//! here.
//!
//! This crate is independent of skills. It supports only Unix.

mod access;
mod alike;
mod authors;
mod batch;
mod create;
mod dir;
mod durable;
mod entries;
mod epoch;
mod error;
mod file;
mod identity;
mod open;
mod path;
mod private;
mod refusals;
mod replace;
mod resolve;
mod scratch;
mod spent;
mod stat;
mod stillness;
mod unchecked;
mod walk;

pub use access::Links;
pub use authors::{PACKAGES_OF_OTHERS, REPOSITORY, has_other_authors};
pub use batch::{BatchedPath, PathBatch};
pub use create::Permissions;
pub use dir::Dir;
pub use durable::{create_directories, lock_file, locked_file, sync_name};
pub use entries::{Entries, Entry, EntryBuffer, Listing};
pub use epoch::Epoch;
pub use error::{Error, ErrorKind, is_loop};
pub use file::{File, Head};
pub use identity::Identity;

pub use path::RelativePath;
pub use private::{check_owner, check_private, is_user_or_root};
pub use refusals::Refusals;
pub use scratch::{ScratchDir, sweep};
pub use spent::SpentFiles;
pub use stat::{FileTime, Kind, Stat};
pub use stillness::{Content, Stillness};
pub use unchecked::UncheckedFile;
pub use walk::{Walk, WalkBounds, Walked};

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
