//! A file of the configuration that is changed: read, edited and replaced.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use prowess_dir::{Dir, Links};

use crate::failure::{Failure, Place};
use crate::named_file;
use crate::paths::{surroundings, within};
use crate::policies::{IN_PROJECT, is_pipe, project_file, user_file};
use crate::text_edit::Fault;

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
                let help = match path.exists() {
                    true => "correct its permissions, or remove it",
                    false => "create the file that this link leads to, or remove the link",
                };
                Failure::new("config-unreadable", message, help)
            })?,
        };
        Ok(Self { path, text, option: if project { " --project" } else { "" } })
    }

    /// Returns the failure of an edit, with its place.
    pub(super) fn not_editable(&self, key: &str, fault: &Fault) -> Failure {
        let (line, column) = fault.position(&self.text);
        let message = format!("`{key}` is not changed: {}", fault.message);
        let help = format!("`prowess config edit{}` opens the file", self.option);
        let path = self.path.display().to_string();
        let place = Place { path, line: Some(line), column: Some(column) };
        Failure::new("config-not-editable", message, help).at(Some(place))
    }

    /// Writes a text: a reader sees the old one or the new one. A link stays, and
    /// its target is written, as in a repository of dotfiles.
    pub(super) fn replace(&self, text: &str) -> Result<(), Failure> {
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
