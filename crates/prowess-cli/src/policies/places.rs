//! The places of configuration files.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use prowess::{Code, ConfigPart, ConfigValue, Configuration, Diagnostic, Origin, Severity};
use prowess_text::shell_path;
use serde::Serialize;

use crate::failure::{Failure, Place};
use crate::named_file;
use crate::paths::machine;
use crate::text_edit;

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

/// A part, or why it cannot be read.
pub(super) type Read = Result<ConfigPart, Failure>;

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
    /// It cannot be used, and the command goes on without it.
    Unusable,
}

/// The configuration of a command, and the files that it was looked for in.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) configuration: Configuration,
    /// The files, the weakest first.
    pub(crate) files: Vec<FoundFile>,
    /// Why the file of a trusted project does not count: others may write it, and take no skill of
    /// the user's own away.
    pub(crate) left_out: Option<Failure>,
}

impl Found {
    /// Returns a failure with the key that it is about, and the place that sets it.
    pub(crate) fn blaming(&self, key: &str, failure: Failure) -> Failure {
        let is_meant =
            |value: &&ConfigValue| value.key == key || value.key.starts_with(&format!("{key}."));
        let value = self.configuration.values().iter().find(is_meant);
        let has_key = failure.message.starts_with(&format!("`{key}`"));
        let message =
            if has_key { failure.message } else { format!("`{key}`: {}", failure.message) };
        let place = value.and_then(|value| match &value.origin {
            Origin::File(path) | Origin::Project(path) => {
                let path_of_key: Vec<_> = key.split('.').collect();
                let text = path
                    .metadata()
                    .ok()
                    .filter(Metadata::is_file)
                    .and_then(|_| named_file::text(path).ok());
                let position = text.and_then(|text| text_edit::position(&text, &path_of_key));
                let (line, column) = position.unzip();
                Some(Place { path: path.display().to_string(), line, column })
            }
            _ => None,
        });
        Failure { message, ..failure }.at(place)
    }

    /// Returns the place above all files that are found, if it decides a key.
    pub(crate) fn above(&self, key: &str) -> Option<&Origin> {
        let value = self.configuration.values().iter().find(|value| value.key == key)?;
        let is_found =
            |file: &PathBuf| *file == system_file() || user_file().as_ref() == Some(file);
        match &value.origin {
            Origin::File(file) => (!is_found(file)).then_some(&value.origin),
            Origin::Variable(_) | Origin::Option(_) => Some(&value.origin),
            _ => None,
        }
    }

    /// Returns the configuration if no file is left out: a verdict is by the rules of all.
    pub(crate) fn complete(&self) -> Result<&Self, Failure> {
        self.left_out.clone().map_or(Ok(self), Err)
    }

    /// Returns the file of the trusted project, or of the user, if it cannot be used.
    pub(crate) fn unusable(&self, of_project: bool) -> Option<&Path> {
        let is_it = |it: &&FoundFile| it.path.ends_with(IN_PROJECT) == of_project;
        let mut unusable = self.files.iter().filter(|it| it.state == FileState::Unusable);
        Some(&unusable.find(is_it)?.path)
    }

    /// Returns a finding about a project's file that does not count.
    pub(crate) fn finding(&self) -> Option<Diagnostic> {
        if let Some(failure) = &self.left_out {
            return Some(failure.left_out());
        }
        let file = self.files.iter().find(|file| file.state == FileState::NotTrusted)?;
        let project = shell_path(file.path.parent()?.parent()?);
        let message =
            "the project's configuration is ignored because you have not trusted its folder";
        let help = format!("if you trust who wrote it, run `prowess trust {project}`");
        let finding = Diagnostic::new(PROJECT_CONFIG_NOT_TRUSTED, Severity::Warning, message, help);
        Some(Diagnostic { path: Some(file.path.to_string_lossy().into()), ..finding })
    }
}
