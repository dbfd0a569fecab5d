//! The places of configuration files.

use std::path::{Path, PathBuf};

use prowess::{Code, Configuration, Diagnostic, Severity};
use prowess_text::shell_path;
use serde::Serialize;

use crate::paths::machine;

const PROJECT_CONFIG_NOT_TRUSTED: Code = Code::new("project-config-not-trusted");

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

/// The configuration of a command, and the files that it was looked for in.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) configuration: Configuration,
    /// The files, the weakest first.
    pub(crate) files: Vec<FoundFile>,
}

impl Found {
    /// Returns a finding about a project's file that does not count.
    pub(crate) fn finding(&self) -> Option<Diagnostic> {
        let file = self.files.iter().find(|file| file.state == FileState::NotTrusted)?;
        let project = shell_path(file.path.parent()?.parent()?);
        let message =
            "the project's configuration is ignored because you have not trusted its folder";
        let help = format!("if you trust who wrote it, run `prowess trust {project}`");
        let finding = Diagnostic::new(PROJECT_CONFIG_NOT_TRUSTED, Severity::Warning, message, help);
        Some(Diagnostic { path: Some(file.path.to_string_lossy().into()), ..finding })
    }
}
