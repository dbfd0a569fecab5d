//! `prowess config set` and `unset`: change one value of a file, and nothing else in it.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use prowess::{Configuration, Origin};
use prowess_dir::{Dir, Links};
use serde_json::{Value, json};

use super::check::check_change;
use super::show::{is_key, without_value};
use crate::args::Global;
use crate::failure::{Failure, Place};
use crate::named_file;
use crate::output::{ID, Output};
use crate::paths::{surroundings, within};
use crate::policies::{Found, IN_PROJECT, check_value, is_pipe, of_file, project_file, user_file};
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
        if let (false, Ok(all)) = (is_key(key), Configuration::of(&[])) {
            return Err(without_value(key, all.values()));
        }
        let message = format!("`{}` does not set `{key}`", file.path.display());
        let help = format!("`prowess config show {key}` prints where a value comes from");
        return Err(Failure::new("config-key-not-set", message, help));
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
        format!("{what} {ID}{}{ID:#} in {}\n", plain(key), plain(&path))
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

/// A file to change.
pub(super) struct ConfigFile {
    pub(super) path: PathBuf,
    /// Its text; empty if there is none yet.
    pub(super) text: String,
    /// The option that means it.
    option: &'static str,
}

impl ConfigFile {
    /// Reads the user's file, or the project's.
    pub(super) fn open(project: bool) -> Result<Self, Failure> {
        let around = surroundings()?;
        let folder = around.project().filter(|_| project);
        let path = if project { folder.map(project_file) } else { user_file() };
        let path = path.ok_or_else(|| {
            let message = "the user has no home directory for a configuration";
            Failure::usage("home-unknown", message, "set `HOME` or `XDG_CONFIG_HOME`")
        })?;
        // A link is not followed when the file is read, either.
        let is_behind_link =
            |folder| within(folder, &path).map_or(true, |below| below != Path::new(IN_PROJECT));
        if folder.is_some_and(is_behind_link) {
            let message = format!(
                "`{}` is a link or behind one, which a project's file must not be",
                path.display()
            );
            return Err(Failure::new("config-unreadable", message, "replace it by a file"));
        }
        let text = match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            _ if is_pipe(&path) => {
                let message = format!("`{}` is a pipe", path.display());
                return Err(Failure::new("config-unreadable", message, "replace it by a file"));
            }
            _ => named_file::text(&path).map_err(|reason| {
                let message = format!("`{}` cannot be read: {reason}", path.display());
                Failure::new("config-unreadable", message, "correct its permissions, or remove it")
            })?,
        };
        Ok(Self { path, text, option: if project { " --project" } else { "" } })
    }

    /// Returns the failure of an edit, with its place.
    fn not_editable(&self, key: &str, fault: &Fault) -> Failure {
        let (line, column) = fault.position(&self.text);
        let message = format!("`{key}` is not changed: {}", fault.message);
        let help = format!("`prowess config edit{}` opens the file", self.option);
        let path = self.path.display().to_string();
        let place = Place { path, line: Some(line), column: Some(column) };
        Failure::new("config-not-editable", message, help).at(Some(place))
    }

    /// Writes a text: a reader sees the old one or the new one. A link stays, and
    /// its target is written, as in a repository of dotfiles.
    fn replace(&self, text: &str) -> Result<(), Failure> {
        self.write(text).map_err(|reason| {
            let message = format!("`{}` could not be written: {reason}", self.path.display());
            Failure::new("output-failed", message, "nothing was changed; try again")
        })
    }

    fn write(&self, text: &str) -> Result<(), String> {
        self.create("").map_err(|error| error.to_string())?;
        let real = self.path.canonicalize().map_err(|error| error.to_string())?;
        let (Some(parent), Some(name)) =
            (real.parent(), real.file_name().and_then(|it| it.to_str()))
        else {
            return Err("its name is not UTF-8".to_owned());
        };
        let directory = Dir::open(parent).map_err(|error| error.to_string())?;
        let (before, after) = (self.text.as_bytes(), text.as_bytes());
        let written = directory.replace_file(name, Links::Refuse, before, after);
        written.map_err(|error| error.to_string())
    }

    /// Creates the file and its directory, if it is missing.
    pub(super) fn create(&self, text: &str) -> io::Result<()> {
        if let Some(directory) = self.path.parent() {
            fs::create_dir_all(directory)?;
        }
        match OpenOptions::new().write(true).create_new(true).open(&self.path) {
            Ok(mut file) => io::Write::write_all(&mut file, text.as_bytes()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
    }
}
