//! The variables of the environment that configure the program.
//!
//! `PROWESS_PROMPT__MAX_TOKENS=2000` sets `prompt.max_tokens`: two underscores stand for the dot.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use prowess::{ConfigPart, Configuration, Origin};

use crate::failure::Failure;
use crate::log;

const PREFIX: &str = "PROWESS_";

/// The variable that names a further configuration file.
const CONFIG: &str = "PROWESS_CONFIG";

/// The variable for the directory of built-in sources that are plugins.
const DYNAMIC: &str = "PROWESS_DYNAMIC";

/// The variables that are no keys of the configuration.
const OTHERS: [&str; 7] = [
    CONFIG,
    "PROWESS_CREDENTIAL_HELPER",
    DYNAMIC,
    "PROWESS_HTTP_TOKEN",
    log::LEVEL,
    "PROWESS_TEST_DYNAMIC",
    "PROWESS_WEBHOOK_SECRET",
];

/// The start of the variables with tokens of servers, whose names may have two underscores.
const TOKENS: &str = "PROWESS_TOKEN_";

/// Returns the file that `PROWESS_CONFIG` names.
pub(super) fn named_file() -> Option<PathBuf> {
    env::var_os(CONFIG).filter(|file| !file.is_empty()).map(PathBuf::from)
}

/// Returns the directory that `PROWESS_DYNAMIC` names.
pub(super) fn dynamic() -> Option<PathBuf> {
    env::var_os(DYNAMIC).filter(|directory| !directory.is_empty()).map(PathBuf::from)
}

/// Returns a part for each variable with a key, in the order of their names.
pub(super) fn parts() -> impl Iterator<Item = Result<ConfigPart, Failure>> {
    // A variable without the underscores may be another program's.
    let is_key = |name: &str| name.contains("__") || keys().any(|key| key == key_of(name));
    variables().filter(move |(name, _)| is_key(name)).map(|(name, value)| {
        Ok(ConfigPart::value(variable(&name), key_of(&name), text(&name, value)?))
    })
}

/// Returns the variables that are neither keys nor anything else that the program reads.
pub(crate) fn unknown_variables() -> Vec<String> {
    let is_unknown = |name: &String| !name.contains("__") && keys().all(|key| key != key_of(name));
    variables().map(|(name, _)| name).filter(is_unknown).collect()
}

fn variables() -> impl Iterator<Item = (String, OsString)> {
    let named = env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    let mut variables: Vec<_> = named
        .filter(|(name, _)| name.starts_with(PREFIX) && !name.starts_with(TOKENS))
        .filter(|(name, _)| !OTHERS.contains(&name.as_str()))
        .collect();
    variables.sort_unstable();
    variables.into_iter()
}

fn variable(name: &str) -> Origin {
    Origin::Variable(name.to_owned())
}

/// Returns the key that a variable stands for.
fn key_of(name: &str) -> String {
    name[PREFIX.len()..].to_ascii_lowercase().replace("__", ".")
}

/// Iterates over the keys at the top of a configuration.
fn keys() -> impl Iterator<Item = String> {
    let schema = Configuration::schema();
    let keys =
        schema["properties"].as_object().map(|keys| keys.keys().cloned().collect::<Vec<_>>());
    keys.unwrap_or_default().into_iter()
}

fn text(name: &str, value: OsString) -> Result<String, Failure> {
    value.into_string().map_err(|_| {
        let message = format!("`{name}` is not UTF-8");
        Failure::usage("config-invalid", message, "set it to a configuration value (YAML)")
    })
}
