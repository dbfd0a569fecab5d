//! `prowess config set` and `unset`: change one value of a file, and nothing else in it.

use std::path::Path;

use prowess::Origin;
use prowess_text::shell_word;
use serde_json::{Value, json};

use super::adding;
use super::check::check_change;
use super::file::ConfigFile;
use super::show::not_set;
use crate::args::{Change, Global};
use crate::failure::Failure;
use crate::output::{ID, Output};
use crate::policies::{Found, check_value, of_file, value_below};
use crate::terminal::plain;
use crate::text_edit::{self, Fault, TextFormat};

pub(super) fn set(global: &Global, change: &Change, output: &Output) -> Result<(), Failure> {
    let Change { key, value, add, project, .. } = change;
    let file = ConfigFile::open(*project)?;
    let parsed = match add {
        true => longer(change, &file)?,
        false => {
            check(change, value)?;
            serde_yaml::from_str(value).unwrap_or_default()
        }
    };
    let path: Vec<_> = key.split('.').collect();
    let text = set_all(&file.text, &path, &parsed);
    let text = text.map_err(|fault| file.not_editable(key, &fault))?;
    let left = check_change(global, &file.path, [&file.text, &text])?;
    file.replace(&text)?;
    let what = match add {
        true if text == file.text => "Nothing new for",
        true => "Added to",
        false => "Set",
    };
    say(&file, key, what, output)?;
    still_wrong(left, output);
    overridden(global, key, &file.path, output);
    Ok(())
}

/// Returns the list of a file with values at its end that are new to it. If the file has none, what
/// is below it has.
fn longer(change: &Change, file: &ConfigFile) -> Result<Value, Failure> {
    let Change { key, value, more, project, .. } = change;
    let own = text_edit::read(TextFormat::Yaml, &file.text);
    let own = own.map_err(|fault| file.not_editable(key, &fault))?;
    let own = key.split('.').try_fold(&own, |value, name| value.get(name)).cloned();
    let list = match own {
        // What a project names comes behind what the user does.
        None if !project => value_below(&file.path, &file.text, key)?,
        own => own,
    };
    let mut list = match list {
        Some(Value::Array(list)) => list,
        Some(Value::Null) => {
            let message = format!("`{key}` is null, which is no list to add to");
            let help = format!("`prowess config set {key} {}`", shell_word(&format!("[{value}]")));
            return Err(Failure::usage("config-invalid", message, help));
        }
        _ => Vec::new(),
    };
    for written in [value].into_iter().chain(more) {
        let new = match serde_yaml::from_str(written) {
            Ok(Value::Array(items)) => items,
            Ok(item) => vec![item],
            Err(_) => return check_value(key, written).map(|()| Value::Null),
        };
        for item in new {
            if !list.contains(&item) {
                list.push(item);
            }
        }
    }
    let list = Value::Array(list);
    check(change, &list.to_string())?;
    Ok(list)
}

/// Checks a value; the help for one item of a list, or for a key that is none, is the command.
fn check(change: &Change, value: &str) -> Result<(), Failure> {
    let Change { key, value: written, add, .. } = change;
    check_value(key, value).map_err(|failure| {
        let (other, command) = match add {
            true => (written.clone(), format!("prowess config set {key} {}", shell_word(written))),
            false => (format!("[{written}]"), adding(key, &[written])),
        };
        match check_value(key, &other) {
            Ok(()) => Failure { help: format!("`{command}`"), ..failure },
            Err(_) => failure,
        }
    })
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
        Origin::File(path) => path != file,
        // The lists of a project add to these.
        Origin::Project(path) => path != file && !value.value.is_array(),
        Origin::Variable(_) | Origin::Option(_) => true,
        _ => false,
    });
    if let Some(value) = other {
        let origin = value.origin.to_string();
        output.remark(&format!("{} still decides, which is above that file\n", plain(&origin)));
    }
}
