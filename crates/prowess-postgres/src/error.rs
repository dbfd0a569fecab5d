//! The errors of this crate.

use std::error::Error as _;
use std::time::Duration;

use prowess_core::{ApprovalStoreError, StoreError};
use tokio_postgres::error::SqlState;

/// The time after which an operation on an unavailable database may be repeated.
pub(crate) const RETRY: Duration = Duration::from_secs(1);

/// The reason why a database cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PostgresError {
    /// It does not answer, or refuses work at the moment. A change may be stored nevertheless.
    #[error("the database is unavailable: {reason}; try again in {} s", retry.as_secs())]
    Unavailable {
        /// The reason.
        reason: String,
        /// The time after which the operation may be repeated.
        retry: Duration,
    },
    /// It refuses the operation, and will again.
    #[error("the database refuses: {0}")]
    Refused(String),
    /// It does not let the user in.
    #[error("the database does not let the user in: {0}")]
    Denied(String),
    /// Other hosts changed the same rows. Nothing was changed.
    #[error("other hosts changed the same rows too often; try again")]
    Contended,
    /// The text is not the URL of a database that can be used.
    #[error("{0}")]
    Url(String),
}

impl PostgresError {
    pub(crate) fn unavailable(reason: impl Into<String>) -> Self {
        Self::Unavailable { reason: reason.into(), retry: RETRY }
    }

    /// Classifies an error of the protocol's library.
    pub(crate) fn of(error: &tokio_postgres::Error) -> Self {
        let Some(answer) = error.as_db_error() else {
            // Its text has no reason.
            let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
            if source.ends_with("password missing") {
                return Self::Denied("it asks for a password, and there is none".to_owned());
            }
            return Self::unavailable(format!("{error}{source}"));
        };
        let code = answer.code();
        if CONFLICTS.contains(code) {
            return Self::Contended;
        }
        let reason = answer.message().to_owned();
        if code.code().starts_with("28") {
            return Self::Denied(reason);
        }
        if TEMPORARY.contains(code)
            || TEMPORARY_CLASSES.iter().any(|it| code.code().starts_with(it))
        {
            return Self::unavailable(reason);
        }
        Self::Refused(reason)
    }
}

impl From<PostgresError> for StoreError {
    fn from(error: PostgresError) -> Self {
        let retry_after = match &error {
            PostgresError::Unavailable { retry, .. } => Some(*retry),
            _ => None,
        };
        Self { reason: error.to_string(), retry_after }
    }
}

impl From<PostgresError> for ApprovalStoreError {
    fn from(error: PostgresError) -> Self {
        Self(error.to_string())
    }
}

/// The transaction had no effect, and succeeds when it is repeated.
const CONFLICTS: [SqlState; 3] = [
    SqlState::T_R_DEADLOCK_DETECTED,
    SqlState::T_R_SERIALIZATION_FAILURE,
    // A text was deleted between the check that it is stored and the reference to it.
    SqlState::FOREIGN_KEY_VIOLATION,
];

/// A limit of time, or a standby that is not the primary server yet.
const TEMPORARY: [SqlState; 3] =
    [SqlState::LOCK_NOT_AVAILABLE, SqlState::QUERY_CANCELED, SqlState::READ_ONLY_SQL_TRANSACTION];

/// Connections, resources, and a server that starts or ends.
const TEMPORARY_CLASSES: [&str; 3] = ["08", "53", "57P"];
