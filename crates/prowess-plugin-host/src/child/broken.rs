//! Why a call of a plugin's process has no answer.

use prowess_core::{SourceError, SourceErrorKind};

use crate::PluginError;

/// Why a call has no answer.
#[derive(Debug)]
pub(super) enum Broken {
    /// The plugin, or who asked, says so.
    Told(SourceError),
    /// The process failed.
    Process(PluginError),
}

impl From<Broken> for SourceError {
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::Told(error) => error,
            Broken::Process(error) => unavailable(&error),
        }
    }
}

/// What a call that is no longer wanted gives.
pub(super) fn cancelled() -> SourceError {
    SourceError::new(SourceErrorKind::Cancelled, "the call was cancelled")
}

/// What an answer that is none gives.
pub(super) fn nonsense() -> SourceError {
    let message = "[plugin-protocol-broken] the plugin answered what no plugin may answer";
    SourceError::new(SourceErrorKind::Unavailable, message)
}

pub(super) fn unavailable(error: &PluginError) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, format!("[{}] {error}", error.kind.as_str()))
}
