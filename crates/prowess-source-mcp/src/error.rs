//! The errors of options and of servers.

use prowess_core::{RemoteError, RemoteErrorKind, SourceError, SourceErrorKind};
use serde_json::Value;

/// The error of options that no source can follow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The label is not one.
    #[error("{0} is not a label; write 1 to 32 lower-case letters, digits and hyphens")]
    Label(String),
    /// The URL may not be requested.
    #[error("the URL cannot be used: {0}")]
    Url(RemoteError),
    /// The URI is not one of a skill.
    #[error("{0} is not the URI of a skill; write one that ends in `/SKILL.md`")]
    SkillUri(String),
}

/// The error of a call of a server.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum CallError {
    /// The server has answered with an error.
    #[error("it answers with error {code}: {message}")]
    Refused { code: i64, message: String, data: Value },
    /// The server breaks the protocol.
    #[error("{0}")]
    Invalid(String),
    /// The message is larger than what is read.
    #[error("{0}")]
    TooLarge(String),
    /// The file that the server sent cannot be used.
    #[error("{0}")]
    BadFile(String),
    /// The file is larger than the limit.
    #[error("{0}")]
    FileTooLarge(String),
    #[error("{0}")]
    Denied(String),
    /// The server cannot be reached, is too slow or has ended.
    #[error("{0}")]
    Unavailable(String),
    #[error("the call was cancelled")]
    Cancelled,
}

/// The code of an unknown resource before revision 2026-07-28.
const RESOURCE_NOT_FOUND: i64 = -32002;

/// The code of parameters that the server does not accept.
pub(crate) const INVALID_PARAMS: i64 = -32602;

impl CallError {
    /// Returns the error of a source for a failed read or listing.
    pub(crate) fn into_source_error(self) -> SourceError {
        let kind = match &self {
            Self::Refused { code: INVALID_PARAMS | RESOURCE_NOT_FOUND, .. } => {
                SourceErrorKind::NotFound
            }
            Self::TooLarge(_) | Self::FileTooLarge(_) => SourceErrorKind::TooLarge,
            Self::Denied(_) => SourceErrorKind::Denied,
            Self::Cancelled => SourceErrorKind::Cancelled,
            Self::Refused { .. } | Self::BadFile(_) | Self::Invalid(_) | Self::Unavailable(_) => {
                SourceErrorKind::Unavailable
            }
        };
        SourceError::new(kind, self.to_string())
    }

    /// Returns whether the connection can be used after the error.
    pub(crate) fn keeps_connection(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::BadFile(_) | Self::FileTooLarge(_))
    }
}

impl From<RemoteError> for CallError {
    fn from(error: RemoteError) -> Self {
        match error.kind {
            RemoteErrorKind::Cancelled => Self::Cancelled,
            RemoteErrorKind::TooLarge => Self::TooLarge(error.message),
            RemoteErrorKind::Denied | RemoteErrorKind::Unsupported => Self::Denied(error.message),
            _ => Self::Unavailable(error.message),
        }
    }
}
