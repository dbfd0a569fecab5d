//! The changes of a configuration that add directories of skills.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::is_of_user;
use crate::further_place::ProjectDirectory;
use crate::roots::USER_LAYER;
use crate::surroundings::is_in;
use crate::{
    ClientName, Discovery, FurtherPlace, PROJECT_LAYER, ProjectSearch, SkillRoot, Surroundings,
};

/// A change of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The key.
    pub key: String,
    /// The value, or those that are added to a list.
    pub values: Vec<String>,
    /// Whether the key is a list, which keeps what it has.
    pub adds: bool,
    /// Whether it belongs in the file of the project, because it is about this project alone.
    pub is_of_project: bool,
}

impl Setting {
    fn new(key: &str, value: &str) -> Self {
        let values = vec![value.to_owned()];
        Self { key: key.to_owned(), values, adds: false, is_of_project: false }
    }

    fn adding(key: &str, items: impl Iterator<Item = String>) -> Self {
        Self { values: items.collect(), adds: true, ..Self::new(key, "") }
    }
}

impl Discovery {
    /// Returns the changes of configurations that add directories to this policy, the user's own.
    /// Those in the project are added for this project alone, unless they are places of a client.
    pub fn settings_that_add<'d>(
        &self,
        directories: impl IntoIterator<Item = &'d Path>,
        surroundings: &Surroundings,
    ) -> Vec<Setting> {
        let mut added = self.clone();
        let mut places = Vec::new();
        for directory in directories {
            places.extend(added.add(directory, surroundings));
        }
        if !places.is_empty() && self.project == ProjectSearch::Never {
            added.project = ProjectSearch::Repository;
        }
        let mut settings = self.changes_to(&added);
        if !places.is_empty() {
            let new = ProjectDirectory::few(places).into_iter().map(FurtherPlace::InProject);
            let setting = Setting::adding("discovery.also", new.map(String::from));
            settings.push(Setting { is_of_project: true, ..setting });
        }
        settings
    }

    /// Adds a directory by the smallest change; returns the place to add for the project, if that
    /// is what it takes.
    fn add(&mut self, directory: &Path, surroundings: &Surroundings) -> Option<ProjectDirectory> {
        let is_of_user = is_of_user(directory, surroundings);
        let client = directory.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        let client = client.and_then(|name| ClientName::new(name.strip_prefix('.')?).ok());
        let with_client = client.map(|client| {
            let also = [self.also.as_slice(), &[FurtherPlace::Client(client)]].concat();
            Self { also, ..self.clone() }
        });
        let with_layer = match is_of_user {
            true => Self { user: true, ..self.clone() },
            false => Self { project: ProjectSearch::Repository, ..self.clone() },
        };
        let changed = [Some(self.clone()), Some(with_layer), with_client].into_iter().flatten();
        // Below the working directory there may be many, of which none is searched for a client.
        let working = surroundings.working_directory.as_deref().unwrap_or(Path::new(""));
        let folder = directory.parent().and_then(Path::parent).unwrap_or(directory);
        let old = LazyCell::new(|| self.real_roots(surroundings));
        let is_enough = |changed: &Self| changed.reads(directory, is_of_user, &old, surroundings);
        if (is_of_user || working.starts_with(folder))
            && let Some(changed) = changed.into_iter().find(is_enough)
        {
            *self = changed;
            return None;
        }
        // What others have written in a home waits for its own trust.
        let project = surroundings
            .project()
            .filter(|it| !is_of_user && directory.starts_with(it) && !surroundings.is_too_wide(it));
        let place = project.and_then(|project| ProjectDirectory::of(directory, project));
        // A link that leads out of a project is not followed.
        let place = place.filter(|_| project.is_some_and(|project| is_in(directory, project)));
        if place.is_none() {
            let (layer, directory) = match is_of_user {
                true => (USER_LAYER, directory.to_owned()),
                // A link in a project may lead to another place later.
                false => (PROJECT_LAYER, directory.canonicalize().unwrap_or(directory.to_owned())),
            };
            self.roots.entry(layer.into()).or_default().push(directory);
        }
        place
    }

    /// Returns whether this policy searches a directory, in the user's layer if it is the user's
    /// own, and whether each other directory that it adds to that layer, which is trusted, is too.
    fn reads(
        &self,
        directory: &Path,
        is_of_user: bool,
        old: &HashMap<PathBuf, bool>,
        surroundings: &Surroundings,
    ) -> bool {
        let Ok(real) = directory.canonicalize() else { return false };
        let (mut is_read, mut is_narrow) = (false, true);
        for root in self.searched(surroundings) {
            let Ok(found) = root.directory.canonicalize() else { continue };
            let is_trusted = *root.layer == *USER_LAYER;
            is_read |= found == real && is_trusted == is_of_user;
            is_narrow &= !is_trusted
                || old.contains_key(&found)
                || super::is_of_user(&root.directory, surroundings);
        }
        is_read && is_narrow
    }

    /// Returns the directories that are searched: no link of a project that leads out of it.
    pub(super) fn searched(&self, surroundings: &Surroundings) -> Vec<SkillRoot> {
        let mut roots = self.find_outermost(surroundings);
        roots.retain(|it| it.within.as_ref().is_none_or(|within| is_in(&it.directory, within)));
        roots
    }

    /// Returns the settings that make this policy another one.
    fn changes_to(&self, other: &Self) -> Vec<Setting> {
        let mut settings = Vec::new();
        let also = other.also.iter().skip(self.also.len()).cloned();
        settings.push(Setting::adding("discovery.also", also.map(String::from)));
        if other.user != self.user {
            settings.push(Setting::new("discovery.user", "true"));
        }
        if other.project != self.project {
            settings.push(Setting::new("discovery.project", "repository"));
        }
        for (layer, roots) in &other.roots {
            let roots = roots.iter().skip(self.roots.get(layer).map_or(0, Vec::len));
            let roots = roots.map(|root| root.to_string_lossy().into_owned());
            settings.push(Setting::adding(&format!("discovery.roots.{layer}"), roots));
        }
        settings.retain(|it| !it.values.is_empty());
        settings
    }
}
