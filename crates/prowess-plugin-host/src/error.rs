//! Why a plugin was not used.

use std::fmt;
use std::path::{Path, PathBuf};

use prowess_core::{Code, Diagnostic, Severity};
use serde::Serialize;

/// A plugin that was refused or failed: one line that says what, why, and whether code of the
/// plugin ran; `help` is the next step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PluginError {
    /// The kind of error.
    pub kind: PluginErrorKind,
    /// The plugin's file, as it was named.
    pub file: PathBuf,
    /// Why, without the file and without a full stop.
    pub reason: String,
    /// The next step.
    pub help: String,
    /// Whether code of the plugin may have run.
    pub was_executed: bool,
}

/// The kinds of [`PluginError`], in the order in which a file meets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(into = "&'static str")]
#[non_exhaustive]
pub enum PluginErrorKind {
    /// There is no such file, or it cannot be read.
    Unreadable,
    /// It lies where no plugin is taken from, or where others may write.
    Place,
    /// It is larger than the policy allows.
    TooLarge,
    /// It is not a dynamic library, or a damaged one.
    NotALibrary,
    /// It is for another system, processor or byte order.
    WrongTarget,
    /// It is a library, but no plugin.
    NotAPlugin,
    /// Its manifest cannot be read.
    Manifest,
    /// It was built for a boundary that this host does not speak.
    Abi,
    /// It is not trusted.
    NotTrusted,
    /// It was trusted with other bytes.
    DigestMismatch,
    /// Its signature does not hold.
    Signature,
    /// It is older than one that was trusted, or than the policy allows.
    Rollback,
    /// It needs libraries that the policy does not allow, or asks the loader for what it may not.
    Linkage,
    /// It would end the process where it should report an error.
    PanicStrategy,
    /// Another file is the plugin of this name already.
    NameTaken,
    /// Its bytes could not be put where they can be opened.
    Staging,
    /// Its process cannot be confined as the policy demands.
    Sandbox,
    /// The system's loader could not open it.
    Open,
    /// It refused to begin, or did not begin in time.
    Init,
    /// It panicked, now or earlier.
    Panicked,
    /// Its process died.
    Crashed,
    /// It did not answer in time.
    Deadline,
    /// It failed too often to be tried again.
    Quarantined,
    /// It answered what no plugin may answer.
    Protocol,
    /// It was replaced too often: the code of each generation stays in memory.
    Generations,
}

impl PluginErrorKind {
    /// Every kind, in that order.
    pub const ALL: [Self; 25] = [
        Self::Unreadable,
        Self::Place,
        Self::TooLarge,
        Self::NotALibrary,
        Self::WrongTarget,
        Self::NotAPlugin,
        Self::Manifest,
        Self::Abi,
        Self::NotTrusted,
        Self::DigestMismatch,
        Self::Signature,
        Self::Rollback,
        Self::Linkage,
        Self::PanicStrategy,
        Self::NameTaken,
        Self::Staging,
        Self::Sandbox,
        Self::Open,
        Self::Init,
        Self::Panicked,
        Self::Crashed,
        Self::Deadline,
        Self::Quarantined,
        Self::Protocol,
        Self::Generations,
    ];

    /// The kind with this code; `None` if there is none.
    pub(crate) fn of_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == code)
    }

    /// The code that a failure or a diagnostic carries.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unreadable => "plugin-unreadable",
            Self::Place => "plugin-place-refused",
            Self::TooLarge => "plugin-too-large",
            Self::NotALibrary => "plugin-not-a-library",
            Self::WrongTarget => "plugin-wrong-target",
            Self::NotAPlugin => "plugin-not-a-plugin",
            Self::Manifest => "plugin-manifest-invalid",
            Self::Abi => "plugin-abi-mismatch",
            Self::NotTrusted => "plugin-not-trusted",
            Self::DigestMismatch => "plugin-digest-mismatch",
            Self::Signature => "plugin-signature-invalid",
            Self::Rollback => "plugin-rollback",
            Self::Linkage => "plugin-linkage-refused",
            Self::PanicStrategy => "plugin-panic-aborts",
            Self::NameTaken => "plugin-name-taken",
            Self::Staging => "plugin-staging-failed",
            Self::Sandbox => "sandbox-unavailable",
            Self::Open => "plugin-open-failed",
            Self::Init => "plugin-init-failed",
            Self::Panicked => "plugin-panicked",
            Self::Crashed => "plugin-crashed",
            Self::Deadline => "plugin-deadline",
            Self::Quarantined => "plugin-quarantined",
            Self::Protocol => "plugin-protocol-broken",
            Self::Generations => "plugin-generations-exhausted",
        }
    }
}

impl From<PluginErrorKind> for &'static str {
    fn from(kind: PluginErrorKind) -> Self {
        kind.as_str()
    }
}

impl PluginError {
    /// A refusal before any code of the plugin ran.
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

    /// A failure after code of the plugin may have run.
    pub fn failed(
        kind: PluginErrorKind,
        file: &Path,
        reason: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { was_executed: true, ..Self::refused(kind, file, reason, help) }
    }

    /// Converts the error into a diagnostic of its file, for a host that goes on without the
    /// plugin.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let code = Code::new(self.kind.as_str());
        let diagnostic = Diagnostic::new(code, Severity::Error, self.to_string(), &*self.help);
        Diagnostic { path: Some(self.file.display().to_string().into()), ..diagnostic }
    }
}

impl fmt::Display for PluginError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}` {}", self.file.display(), self.reason)?;
        match self.was_executed {
            true => Ok(()),
            false => formatter.write_str("; nothing was executed"),
        }
    }
}

impl std::error::Error for PluginError {}
