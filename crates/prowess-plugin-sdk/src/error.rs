//! The error of [`Plugin::init`](crate::Plugin::init).

use std::fmt;

use prowess_plugin_abi::{AbiError, codes};

/// The error of [`Plugin::init`](crate::Plugin::init). Any [`std::error::Error`] converts to it
/// with `?`, so this type does not implement that trait itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of error.
    pub kind: ErrorKind,
    /// A message that names the affected object.
    pub message: String,
}

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The configuration is invalid. A retry does not help.
    Config,
    /// A resource is unavailable. A later retry may succeed.
    Unavailable,
    /// Anything else.
    Internal,
}

impl Error {
    /// Creates the error of an invalid configuration. The message should name the field.
    pub fn config(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Config, message: message.into() }
    }

    /// Creates the error of an unavailable resource.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Unavailable, message: message.into() }
    }

    pub(crate) fn to_abi(&self) -> AbiError {
        let code = match self.kind {
            ErrorKind::Config => codes::INVALID_ARGUMENT,
            ErrorKind::Unavailable => codes::UNAVAILABLE,
            ErrorKind::Internal => codes::INTERNAL,
        };
        AbiError::new(code, &*self.message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

/// Joins the messages of the error and its causes.
impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            // Many errors include the message of their cause.
            let text = error.to_string();
            if !message.ends_with(&text) {
                message = format!("{message}: {text}");
            }
            cause = error.source();
        }
        Self { kind: ErrorKind::Internal, message }
    }
}
