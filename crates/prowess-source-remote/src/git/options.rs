//! The options of the git program.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The program that fetches from repositories, and its limits.
#[derive(Clone)]
pub struct GitOptions {
    /// The program. By default `git`, which is searched in the `PATH` of [`Self::environment`].
    pub program: PathBuf,
    /// The whole environment of the program. By default it is empty. The variables in
    /// [`GIT_VARIABLES`] are enough for the user's credential helpers and keys.
    pub environment: Vec<(OsString, OsString)>,
    /// The maximum duration of one call. By default five minutes.
    pub timeout: Duration,
    /// The maximum number of bytes on the disk during one call. By default 512 MiB.
    pub bytes: u64,
    /// The site of repositories that are written as `owner/repo`. By default
    /// `https://github.com`.
    pub github: String,
}

/// The variables of a user's environment that credential helpers and keys of git need.
#[rustfmt::skip]
pub const GIT_VARIABLES: [&str; 9] = [
    "DBUS_SESSION_BUS_ADDRESS", "GNUPGHOME", "HOME", "LOGNAME", "PATH", "SSH_AUTH_SOCK", "USER",
    "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR",
];

impl Default for GitOptions {
    fn default() -> Self {
        Self {
            program: PathBuf::from("git"),
            environment: Vec::new(),
            timeout: Duration::from_secs(300),
            bytes: 512 * 1024 * 1024,
            github: "https://github.com".to_owned(),
        }
    }
}

/// Shows everything but the environment, which may contain secrets.
impl fmt::Debug for GitOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("GitOptions")
            .field("program", &self.program)
            .field("timeout", &self.timeout)
            .field("bytes", &self.bytes)
            .field("github", &self.github)
            .finish_non_exhaustive()
    }
}
