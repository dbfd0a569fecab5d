//! `prowess config set` and `unset`: change one value of a file, and nothing else in it.

use std::path::Path;

use prowess::Origin;
use serde_json::{Value, json};

use super::check::check_change;
use super::file::ConfigFile;
use super::show::not_set;
use crate::args::Global;
use crate::failure::Failure;
use crate::output::{ID, Output};
use crate::policies::{Found, check_value, of_file};
use crate::terminal::plain;
use crate::text_edit::{self, Fault, TextFormat};

pub(super) fn set(
    global: &Global,
    key: &str,
    value: &str,
    project: bool,
    output: &Output,
) -> Result<(), Failure> {
    check_value(key, value)?;
    let file = ConfigFile::open(project)?;
    let parsed = serde_yaml::from_str(value).unwrap_or_default();
    let path: Vec<_> = key.split('.').collect();
    let text = set_all(&file.text, &path, &parsed);
    let text = text.map_err(|fault| file.not_editable(key, &fault))?;
    let left = check_change(global, &file.path, [&file.text, &text])?;
    file.replace(&text)?;
    say(&file, key, "Set", output)?;
    still_wrong(left, output);
    overridden(global, key, &file.path, output);
    Ok(())
}

pub(super) fn unset(key: &str, project: bool, output: &Output) -> Result<(), Failure> {
    let file = ConfigFile::open(project)?;
    let text = text_edit::unset(TextFormat::Yaml, &file.text, &key.split('.').collect::<Vec<_>>());
    let Some(text) = text.map_err(|fault| file.not_editable(key, &fault))? else {
        return Err(not_set(&file, key));
    };
    // One fault of several may be the reason to remove it.
    let left = of_file(&file.path, Some(&text)).err();
    if let Some(failure) = left.clone().filter(|_| of_file(&file.path, Some(&file.text)).is_ok()) {
        return Err(failure);
    }
    file.replace(&text)?;
    say(&file, key, "Removed", output)?;
    still_wrong(left, output);
    Ok(())
}

/// Warns of a fault that was there before.
fn still_wrong(left: Option<Failure>, output: &Output) {
    output.diagnostics(&left.map(|failure| failure.warning()));
}

/// Sets a value; a mapping is set key by key.
fn set_all(text: &str, path: &[&str], value: &Value) -> Result<String, Fault> {
    match value.as_object().filter(|mapping| !mapping.is_empty()) {
        None => text_edit::set(TextFormat::Yaml, text, path, value),
        Some(mapping) => mapping.iter().try_fold(text.to_owned(), |text, (key, value)| {
            set_all(&text, &[path, &[key]].concat(), value)
        }),
    }
}

fn say(file: &ConfigFile, key: &str, what: &str, output: &Output) -> Result<(), Failure> {
    let path = file.path.to_string_lossy();
    output.result(&json!({ "path": path, "key": key }), |_| {
        let (key, path) = (plain(key), plain(&path));
        format!("{what} {ID}{key}{ID:#} in {path}; a running server reads it at its next start\n")
    })
}

/// Says that another place still decides.
fn overridden(global: &Global, key: &str, file: &Path, output: &Output) {
    let Ok(found) = Found::of(global) else { return };
    output.diagnostics(&found.finding());
    let value = found.configuration.values().iter().find(|value| value.key == key);
    let other = value.filter(|value| match &value.origin {
        Origin::File(path) | Origin::Project(path) => path != file,
        Origin::Variable(_) | Origin::Option(_) => true,
        _ => false,
    });
    if let Some(value) = other {
        let origin = value.origin.to_string();
        output.remark(&format!("{} still decides, which is above that file\n", plain(&origin)));
    }
}
