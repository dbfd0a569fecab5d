//! The changes of a configuration that add directories of skills.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::is_of_user;
use crate::further_place::ProjectDirectory;
use crate::roots::USER_LAYER;
use crate::{ClientName, Discovery, FurtherPlace, PROJECT_LAYER, ProjectSearch, Surroundings};

/// A change of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The key.
    pub key: String,
    /// The value, in YAML.
    pub value: String,
    /// Whether it belongs in the file of the project, because it is about this project alone.
    pub is_of_project: bool,
}

impl Setting {
    fn new(key: &str, value: String) -> Self {
        Self { key: key.to_owned(), value, is_of_project: false }
    }
}

impl Discovery {
    /// Returns the changes of configurations that add directories to this policy, the user's own.
    /// Those in the project are added for this project alone, whose file names these places
    /// already, unless they are places of a client.
    pub fn settings_that_add<'d>(
        &self,
        directories: impl IntoIterator<Item = &'d Path>,
        of_project: &[FurtherPlace],
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
            let value = list_of(of_project.iter().cloned().chain(new).map(String::from));
            let setting = Setting::new("discovery.also", value);
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
        let project = surroundings.project().filter(|it| !is_of_user && directory.starts_with(it));
        let place = project.and_then(|project| ProjectDirectory::of(directory, project));
        let place = place.filter(|_| {
            // A link that leads out of a project is not followed.
            let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
            project.is_some_and(|project| real(directory).starts_with(real(project)))
        });
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
        for root in self.find_outermost(surroundings) {
            let Ok(found) = root.directory.canonicalize() else { continue };
            let is_trusted = *root.layer == *USER_LAYER;
            is_read |= found == real && is_trusted == is_of_user;
            is_narrow &= !is_trusted
                || old.contains_key(&found)
                || super::is_of_user(&root.directory, surroundings);
        }
        is_read && is_narrow
    }

    /// Returns the settings that make this policy another one.
    fn changes_to(&self, other: &Self) -> Vec<Setting> {
        let mut settings = Vec::new();
        let mut change = |key: &str, value: String| settings.push(Setting::new(key, value));
        if other.also != self.also {
            change("discovery.also", list_of(other.also.iter().cloned().map(String::from)));
        }
        if other.user != self.user {
            change("discovery.user", "true".to_owned());
        }
        if other.project != self.project {
            change("discovery.project", "repository".to_owned());
        }
        for (layer, roots) in &other.roots {
            if self.roots.get(layer) != Some(roots) {
                let roots = roots.iter().map(|root| root.to_string_lossy().into_owned());
                change(&format!("discovery.roots.{layer}"), list_of(roots));
            }
        }
        settings
    }
}

/// Returns a list in YAML.
fn list_of(items: impl Iterator<Item = String>) -> String {
    let is_plain = |item: &str| {
        item.starts_with(|first: char| first.is_ascii_alphabetic() || first == '.')
            && item.chars().all(|it| it.is_ascii_alphanumeric() || "._/-*".contains(it))
    };
    let item = |item: String| match is_plain(&item) {
        true => item,
        false => format!("\"{}\"", item.replace('\\', r"\\").replace('"', r#"\""#)),
    };
    format!("[{}]", items.map(item).collect::<Vec<_>>().join(", "))
}
