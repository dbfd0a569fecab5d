//! The policies of a command, from every place of its configuration.

mod found;
mod places;
mod project;
mod variables;

use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;

use prowess::format::Profile;
use prowess::{
    ConfigError, ConfigErrorKind, ConfigPart, Configuration, Diagnostic, HostCommands, Origin,
    Policies,
};

use serde_json::Value;

use crate::args::Global;
use crate::failure::{Failure, Place};
use crate::features;
use crate::named_file;
use crate::paths::absolute;

pub(crate) use places::{FileState, Found, FoundFile, IN_PROJECT};
pub(crate) use places::{project_file, user_file};
pub(crate) use project::is_trusted_folder;
pub(crate) use variables::unknown_variables;

/// Returns the policies of a command.
pub(crate) fn policies(global: &Global) -> Result<Policies, Failure> {
    let mut policies = at_home(Found::of(global)?.configuration.policies().clone());
    let dynamic = global.skills.dynamic.clone().or_else(variables::dynamic);
    policies.plugins.built_in = dynamic.as_deref().map(absolute).transpose()?;
    Ok(policies)
}

/// Returns the profile that the configuration sets; `None` if it sets none.
pub(crate) fn chosen_profile(global: &Global) -> Result<Option<Profile>, Failure> {
    Ok(Found::of(global)?.configuration.chosen_profile())
}

/// Returns whether something sets this key.
pub(crate) fn is_set(global: &Global, key: &str) -> Result<bool, Failure> {
    Ok(Found::of(global)?.configuration.is_set(key))
}

/// Returns a finding about a project's file that does not count.
pub(crate) fn ignored_project_file(global: &Global) -> Result<Option<Diagnostic>, Failure> {
    Ok(Found::of(global)?.finding())
}

/// Returns the policies of a configuration file alone.
pub(crate) fn policies_of_file(file: &Path) -> Result<Policies, Failure> {
    Ok(at_home(configuration_of([file_part(file, NAMED)?])?.into_policies()))
}

/// Returns the configuration of a file alone, which is that of a project if it is at the place of
/// one.
pub(crate) fn of_file(file: &Path, text: Option<&str>) -> Result<Found, Failure> {
    let is_project = file.ends_with(IN_PROJECT);
    let origin = if is_project { Origin::Project } else { Origin::File };
    let mut part = match text {
        Some(text) => ConfigPart::text(Origin::Text, text),
        None => file_part(file, NAMED)?,
    };
    part.origin = origin(file.to_owned());
    let files = vec![FoundFile { path: file.to_owned(), state: FileState::Used }];
    Ok(Found { configuration: configuration_of([part])?, files, left_out: None })
}

/// Returns a value of a file of the operator, or of what is below it: the machine's, a preset's.
pub(crate) fn value_below(file: &Path, text: &str, key: &str) -> Result<Option<Value>, Failure> {
    let system = Some(places::system_file()).filter(|it| it.exists() && it != file);
    let system = system.map(|it| found_part(&it)).transpose()?;
    let own = ConfigPart::text(Origin::File(file.to_owned()), text);
    let found = configuration_of(system.into_iter().chain([own]))?;
    Ok(found.values().iter().find(|value| value.key == key).map(|value| value.value.clone()))
}

/// Expands the paths of policies.
fn at_home(mut policies: Policies) -> Policies {
    policies.expand_home(&prowess::this_machine());
    policies.with_commands(HostCommands::PROWESS)
}

/// Returns the failure of a value (YAML) that no policy takes, with the key.
pub(crate) fn check_value(key: &str, value: &str) -> Result<(), Failure> {
    configuration_of([ConfigPart::value(Origin::Option(key.to_owned()), key, value)]).map(drop)
}

/// Reads these parts over those of the program.
fn configuration_of(parts: impl IntoIterator<Item = ConfigPart>) -> Result<Configuration, Failure> {
    // Skills that large are a mistake of their authors, which an operator wants to see.
    let of_program =
        ConfigPart::value(Origin::Program, "registry.limits.body_tokens.severity", "warning");
    let parts: Vec<_> = [of_program].into_iter().chain(parts).collect();
    Configuration::of(&parts).map_err(|error| invalid(&error))
}

/// Returns whether a file is a named pipe, which nobody may ever write.
pub(crate) fn is_pipe(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.file_type().is_fifo())
}

/// The next step where a file cannot be read that the command line names, or that was found.
const NAMED: &str = "name a configuration file (YAML)";
const FOUND: &str = "correct or remove it; `--no-config` works without it";

/// Reads the file at a place that is looked for: a pipe would stop every command there.
fn found_part(file: &Path) -> Result<ConfigPart, Failure> {
    if is_pipe(file) {
        let message = format!("`{}` is a pipe", file.display());
        return Err(Failure::usage("config-unreadable", message, "replace it by a file (YAML)"));
    }
    file_part(file, FOUND)
}

fn file_part(file: &Path, help: &str) -> Result<ConfigPart, Failure> {
    let text = named_file::text(file).map_err(|reason| {
        let message = format!("`{}` cannot be read: {reason}", file.display());
        Failure::usage("config-unreadable", message, help)
    })?;
    Ok(ConfigPart::text(Origin::File(file.to_owned()), text))
}

pub(crate) fn invalid(error: &ConfigError) -> Failure {
    let (code, help) = match error.kind {
        ConfigErrorKind::MissingFeature { key, feature } => return features::lacks(feature, key),
        ConfigErrorKind::ForbiddenKey => {
            let keys = Configuration::project_keys().collect::<Vec<_>>().join(", ");
            let help = format!("set it in your own configuration; a project may set {keys}");
            ("config-key-forbidden", help)
        }
        ConfigErrorKind::Syntax => match (&error.origin, error.position) {
            (Origin::File(_) | Origin::Project(_), Some(position)) => {
                let help = format!("correct the YAML near line {}", position.line);
                ("config-invalid", help)
            }
            _ => ("config-invalid", "correct the YAML".to_owned()),
        },
        _ => {
            ("config-invalid", "`prowess config init --print --all` explains every key".to_owned())
        }
    };
    let place = match (&error.origin, error.position) {
        (Origin::File(path) | Origin::Project(path), position) => Some(Place {
            path: path.display().to_string(),
            line: position.map(|position| position.line),
            column: position.map(|position| position.column),
        }),
        _ => None,
    };
    let message = match &error.origin {
        Origin::Variable(_) | Origin::Option(_) => format!("`{}`: {}", error.origin, error.message),
        _ => error.message.clone(),
    };
    Failure::usage(code, message, help).at(place)
}
