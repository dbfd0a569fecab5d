//! `prowess config`: the configuration, and where it comes from.

pub(crate) mod check;
mod edit;
mod explain_preset;
mod file;
mod init;
mod set;
mod show;

use std::process::ExitCode;

use prowess::Configuration;
use prowess_text::shell_word;
use serde_json::Value;
use show::Selection;

use crate::args::{Config, Global};
use crate::failure::Failure;
use crate::output::Output;

pub(crate) fn run(command: &Config, global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    match command {
        Config::Show { key, all, changed } => {
            show::run(
                global,
                &Selection { key: key.as_deref(), all: *all, changed: *changed },
                output,
            )?;
        }
        Config::Get { key, project } => show::get(global, key, *project, output)?,
        Config::Set(change) => set::set(global, change, output)?,
        Config::Unset { key, project } => set::unset(key, *project, output)?,
        Config::Edit { project } => edit::run(global, *project, output)?,
        Config::Init(args) => init::run(args, output)?,
        Config::ExplainPreset { name } => explain_preset::run(name, output)?,
        Config::Schema => output.json(&Configuration::schema())?,
        Config::Check { file } => check::run(global, file.as_deref(), output)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the command that adds values (YAML) to a list. It keeps what the list has by then, so
/// that several such commands work one after the other.
pub(crate) fn adding(key: &str, values: &[impl AsRef<str>]) -> String {
    setting("", "--add ", key, values)
}

/// Returns the command that sets a key, with the options of the program and of the command.
pub(crate) fn setting(
    global: &str,
    options: &str,
    key: &str,
    values: &[impl AsRef<str>],
) -> String {
    let words = values.iter().map(|value| format!(" {}", shell_word(value.as_ref())));
    format!("prowess{global} config set {options}{key}{}", words.collect::<String>())
}

/// Returns a text in YAML.
pub(crate) fn in_yaml(text: &str) -> String {
    match serde_yaml::from_str::<String>(text) {
        Ok(read) if read == text => read,
        _ => Value::from(text).to_string(),
    }
}
