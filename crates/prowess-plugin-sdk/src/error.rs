//! Why an instance cannot be made.

use std::fmt;

use prowess_plugin_abi::{AbiError, codes};

/// Why [`Plugin::init`](crate::Plugin::init) failed. Any error of the standard kind becomes one
/// with `?`; for that, this is no error of the standard kind itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of error.
    pub kind: ErrorKind,
    /// A sentence that names the thing.
    pub message: String,
}

/// The kinds of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The configuration is wrong: trying again does not help.
    Config,
    /// Something that is needed cannot be reached: trying later may help.
    Unavailable,
    /// Anything else.
    Internal,
}

impl Error {
    /// The configuration is wrong; the message names the field.
    pub fn config(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Config, message: message.into() }
    }

    /// Something that is needed cannot be reached.
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

/// The chain of causes becomes one sentence.
impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            // Many errors repeat their cause in their own sentence.
            let text = error.to_string();
            if !message.ends_with(&text) {
                message = format!("{message}: {text}");
            }
            cause = error.source();
        }
        Self { kind: ErrorKind::Internal, message }
    }
}
