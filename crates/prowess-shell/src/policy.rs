//! The policy of the shell.

use std::time::Duration;

use prowess_core::Trust;
use serde::{Deserialize, Serialize};

use crate::MountDirectoryError;

/// Which skills are mounted, where and when, and the limits of each sandbox. Every field is
/// optional in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShellPolicy {
    /// The directory with one directory for each mounted skill. By default `/.sandbox/skills`.
    pub mount: MountDirectory,
    /// When the files of skills are copied. By default [`Materialize::OnRead`].
    pub materialize: Materialize,
    /// The least trust of a skill that is mounted. By default [`Trust::Untrusted`]. No key of a
    /// file: a script reaches nothing but the files of its own session.
    #[serde(skip)]
    pub trust: Trust,
    /// The limits of each sandbox. No key of a file: they protect the host.
    #[serde(skip)]
    pub limits: ShellLimits,
}

impl Default for ShellPolicy {
    fn default() -> Self {
        Self {
            mount: MountDirectory::default(),
            materialize: Materialize::default(),
            trust: Trust::Untrusted,
            limits: ShellLimits::default(),
        }
    }
}

/// When the files of mounted skills are copied. A copy never changes: a command that reads a file
/// twice reads the same bytes, until the catalog changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Materialize {
    /// Each file when it is first read. The default.
    #[default]
    OnRead,
    /// All files before the first command. A skill whose files cannot all be copied is not
    /// mounted.
    AtMount,
}

/// The limits of a sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShellLimits {
    /// The time limit of a command in seconds. By default 30, and at most 600.
    pub seconds: u64,
    /// The maximum number of commands in one call, and of rounds of a loop. By default 10,000.
    pub steps: usize,
    /// The maximum length of a command in bytes. By default 65,536 (64 KiB).
    pub command_bytes: usize,
    /// The bytes that are kept of each output stream. By default 65,536 (64 KiB).
    pub output_bytes: usize,
    /// The maximum number of files and of directories of a sandbox, and of files of one skill. By
    /// default 4,096.
    pub files: u64,
    /// The maximum size of a file in bytes. By default 4,194,304 (4 MiB).
    pub file_bytes: u64,
    /// The maximum size of all files of a sandbox in bytes, copies of skills' files included. By
    /// default 33,554,432 (32 MiB).
    pub total_bytes: u64,
    /// The memory of a command with the files, variables and functions of its sandbox, in bytes,
    /// where it has a process of its own. All sandboxes of a host have 1 GiB together. By default
    /// 134,217,728 (128 MiB).
    pub memory_bytes: u64,
    /// The maximum depth of directories. By default 64.
    pub depth: usize,
    /// The maximum number of sandboxes. By default 64. With more sessions, the files of the
    /// session whose last command is the oldest are dropped.
    pub sandboxes: usize,
    /// The maximum number of commands that did not end at their deadlines and still run; no further
    /// command starts until one of them ends. By default 8.
    pub lost_commands: usize,
}

impl Default for ShellLimits {
    fn default() -> Self {
        Self {
            seconds: 30,
            steps: 10_000,
            command_bytes: 64 * 1024,
            output_bytes: 64 * 1024,
            files: 4096,
            file_bytes: 4 << 20,
            total_bytes: 32 << 20,
            memory_bytes: 128 << 20,
            depth: 64,
            sandboxes: 64,
            lost_commands: 8,
        }
    }
}

impl ShellLimits {
    /// Returns the time limit of a command.
    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs(self.seconds.clamp(1, 600))
    }
}

/// An absolute path in normal form other than `/`, below which skills are mounted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MountDirectory(String);

impl MountDirectory {
    /// Checks a path.
    ///
    /// # Errors
    ///
    /// Returns an error if the path is not absolute, is `/`, or has an empty part, `.` or `..`.
    pub fn new(path: &str) -> Result<Self, MountDirectoryError> {
        let parts = path.strip_prefix('/').ok_or(MountDirectoryError)?;
        let parts = parts.strip_suffix('/').unwrap_or(parts);
        if parts.split('/').all(is_path_component) {
            Ok(Self(format!("/{parts}")))
        } else {
            Err(MountDirectoryError)
        }
    }

    /// Returns the path, without a trailing slash.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for MountDirectory {
    fn default() -> Self {
        Self("/.sandbox/skills".to_owned())
    }
}

impl TryFrom<String> for MountDirectory {
    type Error = MountDirectoryError;

    fn try_from(path: String) -> Result<Self, MountDirectoryError> {
        Self::new(&path)
    }
}

impl From<MountDirectory> for String {
    fn from(directory: MountDirectory) -> Self {
        directory.0
    }
}

/// Returns whether a text can be the name of a file.
pub(crate) fn is_path_component(name: &str) -> bool {
    let is_dots = matches!(name, "" | "." | "..");
    !is_dots && name.len() <= 255 && !name.contains(['/', '\\']) && !name.contains(char::is_control)
}
