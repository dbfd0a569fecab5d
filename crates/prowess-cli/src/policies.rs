//! The policies of a command: those of its configuration file, its preset, or the standard ones.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use prowess::format::{LimitSeverity, Profile};
use prowess::{ConfigError, Policies};

use crate::args::Global;
use crate::failure::Failure;
use crate::paths::absolute;

/// Returns the policies of the named file or preset, or the standard ones.
pub(crate) fn policies(global: &Global) -> Result<Policies, Failure> {
    let mut policies = written(global)?;
    let of_environment = || std::env::var_os("PROWESS_DYNAMIC").filter(|dir| !dir.is_empty());
    let named = global.dynamic.clone().or_else(|| of_environment().map(PathBuf::from));
    if let Some(directory) = named.or_else(|| policies.plugins.built_in.take()) {
        policies.plugins.built_in = Some(absolute(&directory)?);
    }
    Ok(policies)
}

/// Returns the profile that the named file or preset sets; `None` if it sets none.
pub(crate) fn chosen_profile(global: &Global) -> Result<Option<Profile>, Failure> {
    let text = match (&global.config, &global.preset) {
        (Some(file), _) => config_text(file)?,
        (None, Some(preset)) => format!("preset: {preset}"),
        (None, None) => return Ok(None),
    };
    Policies::chosen_profile(&text).map_err(|error| invalid(error.to_string()))
}

fn written(global: &Global) -> Result<Policies, Failure> {
    match (&global.config, &global.preset) {
        (Some(file), _) => policies_of_file(file),
        (None, Some(preset)) => {
            Policies::preset(preset).map(warned_of_size).map_err(|error| invalid(error.to_string()))
        }
        (None, None) => Ok(warned_of_size(Policies::default())),
    }
}

/// Returns the policies of a configuration file.
pub(crate) fn policies_of_file(file: &Path) -> Result<Policies, Failure> {
    let text = config_text(file)?;
    let in_file = |error: ConfigError| invalid(format!("`{}`: {error}", file.display()));
    Policies::from_yaml(&text).map(warned_of_size).map_err(in_file)
}

fn config_text(file: &Path) -> Result<String, Failure> {
    file_text(file).map_err(|reason| {
        let message = format!("`{}` cannot be read: {reason}", file.display());
        Failure::usage("config-unreadable", message, "name a configuration file (YAML)")
    })
}

fn invalid(message: String) -> Failure {
    let help = "see `prowess.example.yaml` for every key with its values";
    Failure::usage("config-invalid", message, help)
}

/// The maximum size of a file that the operator wrote, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Reads a file that the operator wrote, which may be a pipe. Returns the reason of a failure.
pub(crate) fn file_text(file: &Path) -> Result<String, String> {
    let opened = File::open(file).map_err(|error| error.to_string())?;
    let mut text = String::new();
    let read = opened.take(MOST_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| error.to_string())?;
    if text.len() as u64 > MOST_BYTES {
        return Err(format!("it is larger than {MOST_BYTES} bytes"));
    }
    Ok(text)
}

/// Turns on the warning about large skills.
fn warned_of_size(mut policies: Policies) -> Policies {
    let severity = &mut policies.registry.limits.body_tokens.severity;
    if *severity == LimitSeverity::Profile {
        *severity = LimitSeverity::Warning;
    }
    policies
}
