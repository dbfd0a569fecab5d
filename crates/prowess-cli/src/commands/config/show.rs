//! `prowess config show`: the values in effect.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use prowess::tools::closest;
use prowess::{
    ConfigTier, ConfigValue, Configuration, Origin, REDACTED, is_secret_name, without_secrets,
};
use serde::Serialize;
use serde_json::Value;

use super::file::ConfigFile;
use crate::args::{Global, LEAST_SIMILARITY};
use crate::failure::Failure;
use crate::features;
use crate::output::{DIM, HEADING, Output};
use crate::policies::{FileState, Found, FoundFile, of_file};
use crate::terminal::{columns_behind, end_of_path, plain, width};

/// The column that origins start at, unless a value is longer.
const ORIGIN_COLUMN: usize = 48;

/// The output of `config show --format json`.
#[derive(Serialize)]
struct Shown<'c> {
    files: &'c [FoundFile],
    values: Vec<ConfigValue>,
}

/// The values that a user asks for.
pub(super) struct Selection<'a> {
    pub(super) key: Option<&'a str>,
    pub(super) all: bool,
    pub(super) changed: bool,
}

impl Selection<'_> {
    /// Returns whether a value is that of the key, or below it.
    fn is_meant(&self, value: &ConfigValue) -> bool {
        let Some(key) = self.key else { return true };
        let below = value.key.strip_prefix(key);
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    fn is_shown(&self, value: &ConfigValue) -> bool {
        // A user who names a key means it, whatever its tier, and has set what is in a file.
        let is_set = !matches!(value.origin, Origin::Default | Origin::Preset(_) | Origin::Program);
        let has_every_tier = self.all || self.changed || self.key.is_some();
        self.is_meant(value)
            && (has_every_tier || is_set || value.tier == ConfigTier::Common)
            && (!self.changed || value.origin != Origin::Default)
    }
}

pub(super) fn run(
    global: &Global,
    selection: &Selection<'_>,
    output: &Output,
) -> Result<(), Failure> {
    print(Found::of(global)?, selection, output)
}

fn print(found: &Found, selection: &Selection<'_>, output: &Output) -> Result<(), Failure> {
    let values = found.configuration.values();
    let has_value = values.iter().any(|value| selection.is_meant(value));
    if let Some(key) = selection.key.filter(|_| !has_value) {
        return Err(without_value(key, values));
    }
    let shown = values.iter().filter(|value| selection.is_shown(value)).map(masked).collect();
    output.result(&Shown { files: &found.files, values: shown }, text)?;
    output.diagnostics(&found.finding());
    Ok(())
}

/// Prints one value: alone for a program, with its origin on a terminal and as JSON. A key above
/// others is shown as by `config show`.
pub(super) fn get(
    global: &Global,
    key: &str,
    project: bool,
    output: &Output,
) -> Result<(), Failure> {
    let of_project;
    let found = match project {
        // It counts only once the user trusts the folder, and can be read before.
        true => {
            let file = ConfigFile::open(true)?;
            of_project = of_file(&file.path, Some(&file.text))?;
            if !of_project.configuration.is_set(key) {
                return Err(not_set(&file, key));
            }
            &of_project
        }
        false => Found::of(global)?,
    };
    let Some(value) = found.configuration.values().iter().find(|value| value.key == key) else {
        return print(found, &Selection { key: Some(key), all: false, changed: project }, output);
    };
    output.result(&masked(value), |value| {
        let text = value.value.as_str().map_or_else(|| value.value.to_string(), str::to_owned);
        let origin = value.origin.to_string();
        let origin = match output.is_for_a_terminal() {
            true => format!("  {DIM}# {}{DIM:#}", plain(&origin)),
            false => String::new(),
        };
        format!("{}{origin}\n", plain(&text))
    })?;
    output.diagnostics(&found.finding());
    Ok(())
}

/// Returns a value without the secrets in it, such as those of environments and of URLs.
fn masked(value: &ConfigValue) -> ConfigValue {
    let mut shown = value.clone();
    mask(value.key.rsplit('.').next().unwrap_or_default(), &mut shown.value);
    shown
}

fn mask(name: &str, value: &mut Value) {
    match value {
        Value::String(text) if is_secret_name(name) => REDACTED.clone_into(text),
        Value::String(text) => *text = without_secrets(text).into_owned(),
        Value::Object(fields) => fields.iter_mut().for_each(|(name, field)| mask(name, field)),
        Value::Array(items) => {
            // `--token`, and what follows it.
            let mut before = name.to_owned();
            for item in items {
                let next = item.as_str().filter(|it| it.starts_with("--")).map(str::to_owned);
                mask(&before, item);
                before = next.unwrap_or_else(|| name.to_owned());
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the failure of a key that has no value: nothing sets it, or it is no key.
fn without_value(key: &str, values: &[ConfigValue]) -> Failure {
    if is_key(key) {
        let help = format!("`prowess config set {key} VALUE` sets it");
        return Failure::new("config-key-not-set", format!("nothing sets `{key}`"), help);
    }
    if let Some(feature) = Configuration::missing_feature(key) {
        return features::lacks(feature, key);
    }
    // The keys of values, and those above them.
    let above = |value: &'_ ConfigValue| {
        let ends = value.key.match_indices('.').map(|(at, _)| at).chain([value.key.len()]);
        ends.map(|end| value.key[..end].to_owned()).collect::<Vec<_>>()
    };
    let keys: BTreeSet<_> = values.iter().flat_map(above).collect();
    let next = match closest(key, keys.iter().map(String::as_str), LEAST_SIMILARITY) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "`prowess config show --all` prints all keys".to_owned(),
    };
    Failure::usage("config-key-unknown", format!("no key named `{key}`"), next)
}

/// Returns the failure of a key that a file does not set.
pub(super) fn not_set(file: &ConfigFile, key: &str) -> Failure {
    if let (false, Ok(all)) = (is_key(key), Configuration::of(&[])) {
        return without_value(key, all.values());
    }
    let message = format!("`{}` does not set `{key}`", file.path.display());
    let help = format!("`prowess config show {key}` prints where a value comes from");
    Failure::new("config-key-not-set", message, help)
}

/// Returns whether the schema has a key, which may be of an entry of a mapping.
fn is_key(key: &str) -> bool {
    let schema = Configuration::schema();
    let below = |schema: &Value, part: &str| {
        let entry = || schema.get("additionalProperties").filter(|entry| entry.is_object());
        schema.pointer(&format!("/properties/{part}")).or_else(entry).cloned()
    };
    key.split('.').try_fold(schema, |schema, part| below(&schema, part)).is_some()
}

/// Writes a file that could be the whole configuration, with the files that were looked for on top
/// and the origin of each value behind it. The items of a long list have a line each.
fn text(shown: &Shown<'_>) -> String {
    let mut text = String::new();
    for FoundFile { path, state } in shown.files {
        let state = match state {
            FileState::Used => "",
            FileState::Missing => "  (does not exist)",
            FileState::NotTrusted => "  (ignored: its folder is not trusted)",
            FileState::Unusable => "  (left out: it cannot be used)",
        };
        let _ = writeln!(text, "{DIM}# {}{state}{DIM:#}", plain(&path.to_string_lossy()));
    }
    let mut above: Vec<&str> = Vec::new();
    for value in &shown.values {
        let mut keys: Vec<_> = value.key.split('.').collect();
        let last = keys.pop().unwrap_or_default();
        let common = above.iter().zip(&keys).take_while(|(one, other)| one == other).count();
        for (depth, key) in keys.iter().enumerate().skip(common) {
            let key = plain(key);
            let _ = writeln!(text, "{:indent$}{HEADING}{key}:{HEADING:#}", "", indent = 2 * depth);
        }
        let indent = 2 * keys.len();
        let line = format!("{:indent$}{last}: {}", "", value.value);
        let (line, items) = match value.value.as_array() {
            Some(items) if line.len() > ORIGIN_COLUMN => {
                (format!("{:indent$}{last}:", ""), items.as_slice())
            }
            _ => (line, &[][..]),
        };
        let line = plain(&line);
        let origin = value.origin.to_string();
        let columns = columns_behind(width(&line).max(ORIGIN_COLUMN) + " # ".len());
        let origin = plain(&origin);
        let origin = end_of_path(&origin, columns);
        let _ = writeln!(text, "{line:ORIGIN_COLUMN$} {DIM}# {origin}{DIM:#}");
        for item in items {
            let item = item.to_string();
            let _ = writeln!(text, "{:indent$}  - {}", "", plain(&item));
        }
        above = keys;
    }
    text
}
