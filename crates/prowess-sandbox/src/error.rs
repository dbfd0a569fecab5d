//! Errors of starting a confined process.

use std::io;

use crate::MissingLayer;

/// The kind of a [`SandboxError`], to branch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SandboxErrorKind {
    /// This machine does not offer a layer that the plan demands.
    Unavailable,
    /// The program of the stage cannot be started.
    NotStarted,
    /// The stage ended, or answered nothing in time.
    Failed,
}

impl SandboxErrorKind {
    /// Returns the stable code that users see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unavailable => "sandbox-unavailable",
            Self::NotStarted => "sandbox-not-started",
            Self::Failed => "sandbox-failed",
        }
    }
}

/// A confined process could not be started. Nothing of the program ran.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{reason}; {help}")]
pub struct SandboxError {
    /// The kind of the error.
    pub kind: SandboxErrorKind,
    /// The reason, as a sentence without a full stop.
    pub reason: String,
    /// The next step for the operator.
    pub help: String,
}

impl SandboxError {
    pub(crate) fn unavailable(missing: &MissingLayer) -> Self {
        let MissingLayer { layer, reason } = missing;
        Self {
            kind: SandboxErrorKind::Unavailable,
            reason: format!("this machine does not offer the layer `{layer}`: {reason}"),
            help: help_for(layer).into(),
        }
    }

    pub(crate) fn not_started(program: &std::path::Path, error: &io::Error) -> Self {
        Self {
            kind: SandboxErrorKind::NotStarted,
            reason: format!("`{}` cannot be started: {error}", program.display()),
            help: "install the program, or name another one".into(),
        }
    }

    pub(crate) fn failed(reason: String) -> Self {
        let help = "check that the program is the one that was installed with this host".into();
        Self { kind: SandboxErrorKind::Failed, reason, help }
    }
}

fn help_for(layer: &str) -> &'static str {
    match layer {
        "landlock" => "use Linux 5.13 or later with `landlock` in its list of security modules",
        "seccomp" => "use a kernel with CONFIG_SECCOMP_FILTER",
        "namespaces" => "allow user namespaces for this user, or demand the level `floor`",
        "network" => "demand the level `namespaces` or `best`, or grant no hosts",
        "control-groups" => {
            "run the host where `memory` and `pids` are delegated, as `systemd-run --user --scope` \
             does, or do not demand these limits"
        }
        "operating-system" => "run it on Linux, or turn the sandbox off for code that you trust",
        _ => "demand a lower level, or ask the machine's administrator to allow the layer",
    }
}
