//! The errors of catalog files.

use std::io;

use prowess_core::{RemoteError, RemoteErrorKind, SourceError, SourceErrorKind};

/// The error of a catalog file, of its pointer or of where they are.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogFileError {
    /// The file is not what its digest says, or contradicts itself.
    #[error("the catalog file is damaged: {0}")]
    Damaged(&'static str),
    /// The file or the pointer has another format.
    #[error("the catalog has the format {0}, and this program reads 1; update it")]
    Format(u32),
    /// The pointer cannot be used.
    #[error("`catalog.json` {0}")]
    Pointer(String),
    /// No trusted key has signed the pointer.
    #[error("`catalog.json` {0}")]
    Unsigned(&'static str),
    /// The catalog file is larger than any that is fetched from a server.
    #[error("the catalog file has {bytes} bytes, and at most {most} are fetched")]
    TooLarge {
        /// Its size in bytes.
        bytes: u64,
        /// The maximum.
        most: u64,
    },
    /// The catalog would be empty.
    #[error("there is no skill to publish")]
    Empty,
    /// The server has failed a moment ago, with this error, and is not asked again yet.
    #[error("{0}")]
    Again(SourceError),
    /// There is no such file.
    #[error("there is no `{0}`")]
    NotFound(String),
    /// A file cannot be read or written.
    #[error("the catalog cannot be accessed: {0}")]
    Access(#[from] io::Error),
    /// A server cannot be reached, or refuses.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// A skill cannot be written to a catalog file.
    #[error("`{id}` cannot be published: {reason}")]
    Skill {
        /// The id of the skill.
        id: String,
        /// The reason.
        reason: String,
    },
    /// The call was cancelled.
    #[error("the call was cancelled")]
    Cancelled,
}

impl CatalogFileError {
    /// Returns whether a server has failed or sent something wrong, besides its pointer.
    pub(crate) fn is_of_the_server(&self) -> bool {
        !matches!(self, Self::Pointer(_) | Self::Unsigned(_) | Self::Format(_) | Self::Cancelled)
    }

    pub(crate) fn skill(id: &str, reason: &dyn ToString) -> Self {
        Self::Skill { id: id.to_owned(), reason: reason.to_string() }
    }
}

impl From<CatalogFileError> for SourceError {
    fn from(error: CatalogFileError) -> Self {
        if let CatalogFileError::Again(error) = error {
            return error;
        }
        let kind = match &error {
            CatalogFileError::Cancelled => SourceErrorKind::Cancelled,
            CatalogFileError::NotFound(_) => SourceErrorKind::NotFound,
            CatalogFileError::Damaged(_) => SourceErrorKind::Changed,
            CatalogFileError::Unsigned(_) => SourceErrorKind::Denied,
            CatalogFileError::TooLarge { .. } => SourceErrorKind::TooLarge,
            CatalogFileError::Remote(remote) if remote.kind == RemoteErrorKind::Cancelled => {
                SourceErrorKind::Cancelled
            }
            _ => SourceErrorKind::Unavailable,
        };
        Self::new(kind, error.to_string())
    }
}

/// The reason for [`CatalogFileError::Damaged`] that bytes end too early or are no text.
pub(crate) const SHORT: CatalogFileError = CatalogFileError::Damaged("a part of it is cut off");

/// The reasons for bytes that are not those of a digest.
pub(crate) const OTHER_FILE: CatalogFileError =
    CatalogFileError::Damaged("it is not the one that the pointer names");
pub(crate) const OTHER_CONTENT: CatalogFileError =
    CatalogFileError::Damaged("the file of a skill is not what its digest says");
