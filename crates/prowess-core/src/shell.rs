//! The interface for running shell commands over files in memory.

use std::sync::Arc;

use prowess_format::Code;
use serde::{Deserialize, Serialize};

use crate::{Cancel, Catalog, Record, ResourcePath, SessionId};

/// Runs shell commands of sessions over a file system in memory, in which skills are mounted.
///
/// # Behavior
///
/// - Commands of one session see the files and variables that its earlier commands left. Those of
///   another session do not. A session whose files had to make room gets an error once.
/// - Each visible skill of the request's catalog is at `mount_path`, with the bytes that
///   `catalog.read` returns.
/// - A file that the request's rule closes is not read by a command, however it opens the file. A
///   script that may still run does, where the shell itself opens it to run it.
/// - A command changes no package, and it reaches no file, process or network of the host.
/// - A command that ran has an outcome, whatever its exit code, and also if a limit ended it.
/// - `execute` may be called from any thread, also concurrently, and ends soon after `cancel`.
pub trait VirtualShell: Send + Sync {
    /// Returns the directory at which a skill is mounted.
    ///
    /// # Errors
    ///
    /// Returns an error if the skill cannot be mounted.
    fn mount_path(&self, catalog: &Catalog, record: Record<'_>) -> Result<String, ShellError>;

    /// Runs one command.
    ///
    /// # Errors
    ///
    /// Returns an error if the command did not run, or if its result is lost.
    fn execute(
        &self,
        request: &ShellRequest<'_>,
        cancel: &Cancel,
    ) -> Result<ShellOutcome, ShellError>;
}

/// A shell command of a session.
#[derive(Clone, Copy)]
pub struct ShellRequest<'a> {
    /// The catalog of the turn, whose skills are mounted.
    pub catalog: &'a Arc<Catalog>,
    /// The session that the command belongs to.
    pub session: &'a SessionId,
    /// The command, which may have several lines.
    pub command: &'a str,
    /// Which files of skills commands may not read; `None` if they may read all.
    pub rule: Option<&'a Arc<ReadRule>>,
}

/// Returns why commands may not read a file of a skill; `None` if they may.
pub type ReadRule = dyn Fn(&OpenedFile<'_>) -> Option<ClosedFile> + Send + Sync;

/// A file of a skill that a command opens.
#[derive(Clone, Copy, Debug)]
pub struct OpenedFile<'a> {
    /// The id of the skill.
    pub skill: &'a str,
    /// The path of the file.
    pub path: &'a ResourcePath,
    /// The size of the file in bytes.
    pub bytes: usize,
    /// Whether the shell opens it to run it.
    pub is_run: bool,
}

/// The reason why commands may not read a file.
#[derive(Debug, Serialize, Deserialize)]
pub struct ClosedFile {
    /// The reason and the next step, for the model.
    pub reason: String,
    /// Whether it is a script that they may run.
    pub may_run: bool,
}

/// The outcome of a shell command that ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShellOutcome {
    /// The id of the sandbox that the command ran in. A session has another one after its files
    /// were dropped, of which an error informs it.
    pub sandbox: String,
    /// The exit code; 124 if a limit ended the command.
    pub exit_code: i32,
    /// The standard output, which may be truncated.
    pub stdout: String,
    /// The standard error, which may be truncated.
    pub stderr: String,
    /// Whether a part of the output was dropped.
    pub truncated: bool,
    /// The limit that ended the command, for people; `None` if it ended by itself.
    pub stopped: Option<String>,
}

/// The reason why a shell command did not run, or why a skill is not mounted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ShellError {
    /// The code for a tool result.
    pub code: Code,
    /// The reason and how to fix it, for the model. It contains no path of the host.
    pub message: String,
}

impl ShellError {
    /// Creates an error.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
