//! State that is stored on a machine between two starts, in private files of the user.
//!
//! ```
//! # let home = tempfile::tempdir()?;
//! # let folder = tempfile::tempdir()?;
//! use prowess_core::{FolderAnswer, FolderTrust, Timestamp};
//! use prowess_state::TrustFile;
//!
//! let file = TrustFile::new(home.path().join("state/prowess/trust.json"));
//! file.trust(folder.path(), Timestamp(1_767_225_600_000))?;
//!
//! let trusted = file.load();
//! assert_eq!(trusted.answer(folder.path()), FolderAnswer::Trusted);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A file is written as a whole and then renamed, and a file that other users can write to is
//! rejected. With the feature `database`, approvals and sessions are in a SQLite file that several
//! programs use at once. The host chooses the paths; nothing here reads the environment or the
//! clock.
#![forbid(unsafe_code)]

mod cache;
pub mod codes;
mod current;
#[cfg(feature = "database")]
mod database;
mod date;
mod error;
mod file;
mod identity;
mod origins;
mod records;
mod texts;
mod trust;
mod trusted;
mod trusted_origin;
mod worktree;

pub use cache::RecordCache;
pub use current::CurrentTrust;
#[cfg(feature = "database")]
pub use database::{ApprovalDatabase, SessionDatabase};
pub use date::rfc3339;
pub use error::TrustError;
pub use origins::{Origin, TrustedOrigins};
pub use prowess_core;
pub use texts::TextCache;
pub use trust::TrustFile;
pub use trusted::{TrustedFolder, TrustedFolders, TrustedState};
pub use trusted_origin::TrustedOrigin;
