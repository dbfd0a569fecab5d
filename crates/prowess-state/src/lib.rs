//! What a machine keeps between two starts, in private files of the user's.
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
//! A file is written whole and renamed into its place, and nobody but the user may write to it:
//! otherwise it is not believed. Where the files lie is the host's to say; nothing here reads the
//! environment or the clock.
#![forbid(unsafe_code)]

mod cache;
pub mod codes;
mod current;
mod file;
mod identity;
mod trust;
mod trusted;

pub use cache::RecordCache;
pub use current::CurrentTrust;
pub use trust::{TrustError, TrustFile};
pub use trusted::{TrustedFolder, TrustedFolders, TrustedState};
