//! The places of configuration files.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::paths::machine;

/// Returns the file of the machine's administrator.
pub(crate) fn system_file() -> PathBuf {
    PathBuf::from("/etc/prowess/config.yaml")
}

/// Returns the file of the user; `None` for a user without a home directory.
pub(crate) fn user_file() -> Option<PathBuf> {
    Some(machine(None).config_home()?.join("prowess/config.yaml"))
}

/// The path of a project's file in the project.
pub(crate) const IN_PROJECT: &str = ".prowess/config.yaml";

/// Returns the file of the project in this folder.
pub(crate) fn project_file(project: &Path) -> PathBuf {
    project.join(IN_PROJECT)
}

/// A place for a configuration file.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FoundFile {
    pub(crate) path: PathBuf,
    pub(crate) state: FileState,
}

/// Whether a file counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FileState {
    Used,
    Missing,
    /// It is the file of a project that the user has not trusted.
    NotTrusted,
}
