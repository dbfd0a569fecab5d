//! The places of an installed skill in the directories of other clients, as a lock names them.

use std::fmt;
use std::str::FromStr;

use prowess_core::PackagePath;
use serde::{Deserialize, Serialize};

/// The reason against a place outside of a project.
pub(crate) const OUTSIDE: &str = "is not below the directory of the lock file";

/// The form of an installed package in the directory of another client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlaceForm {
    /// A symbolic link to the package in the store.
    Link,
    /// A copy of its files.
    Copy,
}

/// A place, which a lock has as `copy:.agents/skills`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LockedPlace {
    /// The directory in which the package has the name of the skill. In the lock of a project it
    /// is relative to that of the lock.
    pub directory: String,
    /// The form.
    pub form: PlaceForm,
}

impl LockedPlace {
    /// Returns why the lock of a project may not name this place for a skill, or `None` if it may:
    /// below the lock, and in no directory of git, whose files are run.
    pub(crate) fn refusal(&self, id: &str) -> Option<&'static str> {
        if self.directory.starts_with('~') {
            return Some("begins with `~`, which a lock file does not replace by a home");
        }
        let is_git = |part: &str| part.trim_end_matches([' ', '.']).eq_ignore_ascii_case(".git");
        if self.directory.split('/').chain(id.split('/')).any(is_git) {
            return Some("belongs to git, which runs what is in it");
        }
        match &*self.directory {
            "" | "." => Some("is the directory of the lock file itself, which has no skills"),
            directory => (!PackagePath::is_normal(directory)).then_some(OUTSIDE),
        }
    }
}

impl fmt::Display for LockedPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = if self.form == PlaceForm::Link { "link" } else { "copy" };
        write!(formatter, "{form}:{}", self.directory)
    }
}

impl FromStr for LockedPlace {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let place = |form, directory: &str| Self { directory: directory.to_owned(), form };
        match written.split_once(':') {
            Some(("link", directory)) => Ok(place(PlaceForm::Link, directory)),
            Some(("copy", directory)) => Ok(place(PlaceForm::Copy, directory)),
            _ => Err("a place is written as `copy:DIRECTORY` or `link:DIRECTORY`".to_owned()),
        }
    }
}

impl TryFrom<String> for LockedPlace {
    type Error = String;

    fn try_from(written: String) -> Result<Self, Self::Error> {
        written.parse()
    }
}

impl From<LockedPlace> for String {
    fn from(place: LockedPlace) -> Self {
        place.to_string()
    }
}
