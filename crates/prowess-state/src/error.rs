//! The error of a change of the trust file.

use std::io;
use std::path::PathBuf;

use prowess_core::Diagnostic;

/// The error of trusting a folder or revoking trust.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The folder does not exist.
    #[error("there is no folder `{}`", .0.display())]
    NoFolder(PathBuf),
    /// The path is not UTF-8 and cannot be stored.
    #[error("the path {0:?} is not UTF-8")]
    NotUtf8(PathBuf),
    /// The folder is the root of the file system.
    #[error("`/` holds every folder of the machine")]
    TooWide,
    /// The folder is trusted only as a part of the second folder.
    #[error("`{}` is trusted as a part of `{}`", .0.display(), .1.display())]
    PartOf(PathBuf, PathBuf),
    /// The folder is not trusted.
    #[error("`{}` is not trusted", .0.display())]
    NotTrusted(PathBuf),
    /// The file is unusable, and is left unchanged.
    #[error("{}", .0.message)]
    Invalid(Box<Diagnostic>),
    /// The file cannot be written.
    #[error("`{}` cannot be written: {cause}", .path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
}
