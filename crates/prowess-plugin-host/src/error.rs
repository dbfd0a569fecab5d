//! The errors of this crate.

use std::fmt;
use std::path::{Path, PathBuf};

use prowess_core::{Code, Diagnostic, Severity};
use serde::Serialize;

pub use crate::codes::kinds::PluginErrorKind;

/// A plugin that was refused or failed. It displays as one line: the file, the reason, and whether
/// no code of the plugin ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PluginError {
    /// The kind of error.
    pub kind: PluginErrorKind,
    /// The plugin's file, as the caller named it.
    pub file: PathBuf,
    /// The reason, without the file and without a full stop.
    pub reason: String,
    /// How to fix the problem.
    pub help: String,
    /// Whether code of the plugin may have run.
    pub was_executed: bool,
}

impl From<PluginErrorKind> for &'static str {
    fn from(kind: PluginErrorKind) -> Self {
        kind.as_str()
    }
}

impl PluginError {
    /// Creates the error of a plugin that was refused before any of its code ran.
    pub fn refused(
        kind: PluginErrorKind,
        file: &Path,
        reason: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        let reason = reason.into();
        let help = help.into();
        Self { kind, file: file.to_owned(), reason, help, was_executed: false }
    }

    /// Creates the error of a plugin whose code may have run.
    pub fn failed(
        kind: PluginErrorKind,
        file: &Path,
        reason: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { was_executed: true, ..Self::refused(kind, file, reason, help) }
    }

    /// Converts the error into a diagnostic for the plugin's file, for a host that continues
    /// without the plugin.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let code = Code::new(self.kind.as_str());
        let diagnostic = Diagnostic::new(code, Severity::Error, self.to_string(), &*self.help);
        Diagnostic { path: Some(self.file.display().to_string().into()), ..diagnostic }
    }
}

impl fmt::Display for PluginError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}` {}", self.file.display(), self.reason)?;
        if self.was_executed {
            return Ok(());
        }
        formatter.write_str("; nothing was executed")
    }
}

impl std::error::Error for PluginError {}

/// A public key could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// The text is not a minisign public key.
    #[error("{0}")]
    Invalid(String),
}

/// The trust store cannot be used, so nothing is trusted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The file cannot be read or written, or other users may write to it.
    #[error("the trust store `{}` cannot be used, so no plugin is trusted: {cause}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        cause: std::io::Error,
    },
    /// The content is not a trust store of this version.
    #[error("the trust store `{}` is damaged, so no plugin is trusted: {cause}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The position and the reason.
        cause: String,
    },
    /// A change was refused. The file is unchanged.
    #[error(transparent)]
    Refused(#[from] PluginError),
}
