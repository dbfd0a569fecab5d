//! The interface for running scripts of packages.

use std::collections::BTreeMap;
use std::time::Duration;

use prowess_format::Code;
use serde::{Deserialize, Serialize};

use crate::{Cancel, Catalog, Digest, Progress, Record, ResourcePath};

/// Runs scripts of packages.
///
/// # Behavior
///
/// - `run` passes `arguments`, `environment`, `working_directory` and `input` to the script
///   unchanged, and never through a shell.
/// - The script that runs has the bytes that `catalog.read` returns for the path.
/// - A script that exits has an outcome, whatever its exit code. A script that is killed at
///   `time_limit` has an outcome with `timed_out` and without an exit code.
/// - With `approved`, every file that the script can use has the content that it has in the package
///   with this digest; otherwise the script is not started. See
///   [`ApprovedPackage`](crate::ApprovedPackage).
/// - An error means that the script was not started.
/// - A runner that reports lines to `progress` reports each line once, in the order of its stream,
///   before `run` returns.
/// - `run` may be called from any thread, also concurrently, and ends soon after `cancel`.
pub trait ScriptRunner: Send + Sync {
    /// Runs one script until it exits, for at most `time_limit`.
    ///
    /// # Errors
    ///
    /// Returns an error if the script was not started.
    fn run(
        &self,
        request: &ScriptRequest<'_>,
        time_limit: Duration,
        cancel: &Cancel,
    ) -> Result<ScriptOutcome, ScriptError>;
}

/// One script with its input.
#[derive(Clone, Copy)]
pub struct ScriptRequest<'a> {
    /// The catalog of the turn, from which the package is read.
    pub catalog: &'a Catalog,
    /// The skill.
    pub record: Record<'a>,
    /// The script's path in the package.
    pub path: &'a ResourcePath,
    /// The arguments after the script's name.
    pub arguments: &'a [String],
    /// The environment variables that the caller sets.
    pub environment: &'a BTreeMap<String, String>,
    /// The directory in which the script starts, as the caller wrote it; by default, the runner
    /// chooses one.
    pub working_directory: Option<&'a str>,
    /// The standard input. Empty for a call of a model; a hook gets what it decides about.
    pub input: &'a [u8],
    /// The digest that the package must have: that of the package which a person approved. By
    /// default, `None`: the call needs no approval.
    pub approved: Option<Digest>,
    /// Receives the lines that the script prints, while it runs.
    pub progress: Progress<'a>,
}

/// The outcome of a script that was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptOutcome {
    /// The exit code; `None` if a signal or the time limit ended the script.
    pub exit_code: Option<i32>,
    /// The standard output, which may be truncated.
    pub stdout: String,
    /// The standard error, which may be truncated.
    pub stderr: String,
    /// The time from start to end.
    pub duration: Duration,
    /// Whether the time limit ended the script.
    pub timed_out: bool,
    /// The number of the signal that ended the script; `None` if it exited.
    pub signal: Option<i32>,
    /// The limit that the script has reached, as far as the runner knows.
    pub limit: Option<ScriptLimit>,
    /// Whether a part of the output was dropped.
    pub truncated: bool,
    /// The bytes of standard output that were dropped.
    pub stdout_dropped: u64,
    /// The bytes of standard error that were dropped.
    pub stderr_dropped: u64,
    /// The isolation that the script ran in; `None` for a runner that has none.
    pub isolation: Option<ScriptIsolation>,
    /// The hosts that the script has asked for; empty for a runner that grants none by name.
    pub network: ScriptNetwork,
}

/// A limit of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ScriptLimit {
    /// The time of the call.
    Time,
    /// The processor time of a process.
    ProcessorTime,
    /// The memory of all processes.
    Memory,
    /// The size of a file.
    FileSize,
    /// The number or the size of the files in the script's own directory.
    Files,
}

/// The hosts that a script has asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptNetwork {
    /// The hosts that it has reached, with their ports.
    pub reached: Vec<String>,
    /// The connections that were refused, in order, up to a limit.
    pub refused: Vec<RefusedHost>,
    /// The number of further refusals.
    pub more_refused: u64,
}

impl ScriptNetwork {
    /// Returns whether the script has asked for no host.
    pub fn is_empty(&self) -> bool {
        self.reached.is_empty() && self.refused.is_empty()
    }
}

/// A connection of a script that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedHost {
    /// The host and the port as the script has named them: untrusted text, which may be empty.
    pub host: String,
    /// The reason.
    pub code: Code,
}

/// The isolation that a script ran in, as its process checked it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptIsolation {
    /// The name of the level.
    pub level: String,
    /// The layers around the process, for people.
    pub layers: Vec<String>,
    /// Layers that the machine does not offer and the policy does not demand, with the reasons.
    pub missing: Vec<String>,
}

/// The reason why a script was not started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ScriptError {
    /// The code for a tool result.
    pub code: Code,
    /// The reason and how to fix it, for the model. It contains no path of the host.
    pub message: String,
}

impl ScriptError {
    /// Creates an error.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
