//! Why a call of a plugin's process has no answer.

use prowess_core::{Code, SourceError, SourceErrorKind};

use crate::PluginError;

/// Why a call has no answer.
#[derive(Debug)]
pub(super) enum Broken {
    /// The plugin or the caller reports an error.
    Reported(SourceError),
    /// The process failed.
    Process(PluginError),
}

impl Broken {
    /// Returns the code for the trace.
    pub(super) fn code(&self) -> Code {
        Code::new(match self {
            Self::Reported(error) => error.kind.as_str(),
            Self::Process(error) => error.kind.as_str(),
        })
    }
}

impl From<Broken> for SourceError {
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::Reported(error) => error,
            Broken::Process(error) => unavailable(&error),
        }
    }
}

/// Returns the error of a call that is no longer wanted.
pub(super) fn cancelled() -> SourceError {
    SourceError::new(SourceErrorKind::Cancelled, "the call was cancelled")
}

/// Returns the error of a call that found no free slot.
pub(super) fn busy() -> SourceError {
    let message = "the plugin has too many calls under way; try again";
    SourceError::new(SourceErrorKind::Unavailable, message)
}

/// Returns the error of a malformed answer.
pub(super) fn nonsense() -> SourceError {
    let message = "[plugin-protocol-broken] the plugin answered what no plugin may answer";
    SourceError::new(SourceErrorKind::Unavailable, message)
}

/// Returns the error of a process as one of a source.
pub(super) fn unavailable(error: &PluginError) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, format!("[{}] {error}", error.kind.as_str()))
}
