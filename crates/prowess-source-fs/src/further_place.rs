//! The further places that a policy searches.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::FurtherPlaceError;
use crate::client_name::ClientName;

/// The name that stands for every directory.
const EVERY: &str = "*";

/// The maximum number of directories that one place stands for, and of names in one directory.
pub(crate) const MOST: usize = 4_096;

/// A further place that is searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum FurtherPlace {
    /// The directories of a client: `.NAME/skills` in the home and in the project.
    Client(ClientName),
    /// A directory of the project.
    InProject(ProjectDirectory),
}

/// A directory of the project that is being worked on, relative to its folder: `./skills`,
/// `plugins/*/skills`, or `./` for the folder itself. It is written with a slash, which no name of
/// a client has, and never leads out of the project. A `*` stands for each directory that is not
/// hidden.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProjectDirectory(Box<str>);

impl TryFrom<String> for FurtherPlace {
    type Error = FurtherPlaceError;

    fn try_from(written: String) -> Result<Self, Self::Error> {
        let error = || FurtherPlaceError(written.as_str().into());
        if !written.contains('/') {
            return ClientName::new(&written).map(Self::Client).map_err(|_| error());
        }
        let names: Vec<_> = written.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        let is_inside = !written.starts_with(['/', '~'])
            && names.iter().all(|name| *name != ".." && !name.contains('\0'))
            && names.iter().all(|name| *name == EVERY || !name.contains('*'));
        is_inside
            .then(|| Self::InProject(ProjectDirectory(names.join("/").into())))
            .ok_or_else(error)
    }
}

impl From<FurtherPlace> for String {
    fn from(place: FurtherPlace) -> Self {
        match place {
            FurtherPlace::Client(name) => name.into(),
            FurtherPlace::InProject(ProjectDirectory(path)) if path.contains('/') => path.into(),
            FurtherPlace::InProject(ProjectDirectory(path)) => format!("./{path}"),
        }
    }
}

impl ProjectDirectory {
    /// Returns the path of a directory in a project; `None` if it is not in it, or has a name that
    /// cannot be written.
    pub(crate) fn of(directory: &Path, project: &Path) -> Option<Self> {
        let path = directory.strip_prefix(project).ok()?.to_str()?;
        (!path.contains('*')).then(|| Self(path.into()))
    }

    /// Returns the places as few as possible: three and more that differ in one name become one
    /// with a `*`.
    pub(crate) fn few(mut places: Vec<Self>) -> Vec<Self> {
        let deepest = places.iter().map(|place| place.names().count()).max().unwrap_or_default();
        for at in 0..deepest.saturating_sub(1) {
            let mut few: Vec<Self> = Vec::new();
            for place in &places {
                let wide = place.with_every(at);
                let alike = places.iter().filter(|other| other.with_every(at) == wide).count();
                let place = wide.filter(|_| alike > 2).unwrap_or_else(|| place.clone());
                if !few.contains(&place) {
                    few.push(place);
                }
            }
            places = few;
        }
        places
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|name| !name.is_empty())
    }

    /// Returns the place with a `*` instead of a name, which must not be hidden nor the last one.
    fn with_every(&self, at: usize) -> Option<Self> {
        let mut names: Vec<_> = self.names().collect();
        if at + 1 >= names.len() || names[at].starts_with('.') {
            return None;
        }
        names[at] = EVERY;
        Some(Self(names.join("/").into()))
    }

    /// Returns the directories in a project that this place stands for, in the order of their
    /// names.
    pub(crate) fn directories(&self, project: &Path) -> Vec<PathBuf> {
        let mut found = VecDeque::from([project.to_owned()]);
        for name in self.names() {
            let inner = found.into_iter().flat_map(|directory| match name {
                EVERY => {
                    directories_in(&directory).into_iter().filter(|it| is_visible(it)).collect()
                }
                name => vec![directory.join(name)],
            });
            found = inner.take(MOST).collect();
        }
        found.into()
    }
}

fn is_visible(path: &Path) -> bool {
    !path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// Returns the directories in a directory that are not always skipped.
pub(crate) fn directories_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().take(MOST).flatten();
    let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let paths = directories.map(|entry| entry.path());
    let paths = paths.filter(|path| !path.ends_with(".git") && !path.ends_with("node_modules"));
    let mut paths: Vec<_> = paths.collect();
    paths.sort_unstable();
    paths
}
