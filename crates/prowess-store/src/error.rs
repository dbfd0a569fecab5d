//! The errors of this crate.

use std::path::PathBuf;

use prowess_core::{Code, Digest};

use crate::codes;

/// The error of a lock file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// The text is not a lock file.
    #[error("the lock file is invalid: {0}")]
    Invalid(String),
    /// The text has conflict markers of a merge.
    #[error("the lock file has conflict markers; run `prowess lock merge`")]
    Conflicted,
    /// The version is not supported.
    #[error("the lock file has version {0}, and this program supports version 1")]
    UnknownVersion(i64),
}

impl LockError {
    /// Returns the code for a diagnostic.
    pub fn code(&self) -> Code {
        match self {
            Self::Invalid(_) => codes::LOCK_INVALID,
            Self::Conflicted => codes::LOCK_CONFLICTED,
            Self::UnknownVersion(_) => codes::LOCK_VERSION,
        }
    }
}

/// The error of an operation on the store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The lock file cannot be used.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The package is not in the store.
    #[error("the package {0} is not in the store")]
    Missing(Digest),
    /// The files of the package are not those that were installed.
    #[error("the files of the package {0} were changed after it was installed")]
    Changed(Digest),
    /// A file or directory cannot be read or written.
    #[error("the store cannot be used: {0}")]
    Unusable(String),
    /// There is no earlier version of the skill.
    #[error("there is no earlier version of `{0}`")]
    NoEarlierVersion(String),
    /// Something that was not placed by this program has the name of a skill.
    #[error("`{}` exists and is not from here", .0.display())]
    PlaceOccupied(PathBuf),
    /// The skill is not installed, or its id is a path.
    #[error("`{0}` cannot be placed in a directory")]
    NotPlaceable(String),
    /// Nothing with this digest is in quarantine.
    #[error("{0} is not in quarantine")]
    NotInQuarantine(Digest),
}

impl StoreError {
    /// Returns the code for a diagnostic.
    pub fn code(&self) -> Code {
        match self {
            Self::Lock(error) => error.code(),
            Self::Missing(_) => codes::PACKAGE_MISSING,
            Self::Changed(_) => codes::PACKAGE_CHANGED,
            Self::Unusable(_) => codes::STORE_UNWRITABLE,
            Self::NoEarlierVersion(_) => codes::NO_EARLIER_VERSION,
            Self::PlaceOccupied(_) => codes::PLACE_OCCUPIED,
            Self::NotPlaceable(_) => codes::NOT_PLACEABLE,
            Self::NotInQuarantine(_) => codes::NOT_IN_QUARANTINE,
        }
    }
}

impl From<prowess_dir::Error> for StoreError {
    fn from(error: prowess_dir::Error) -> Self {
        Self::Unusable(error.to_string())
    }
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        Self::Unusable(error.to_string())
    }
}
