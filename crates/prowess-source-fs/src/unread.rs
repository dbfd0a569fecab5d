//! Directories with skills that a policy does not search.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::clients::KNOWN_CLIENTS;
use crate::package::FILES;
use crate::{ClientName, Discovery, PROJECT_LAYER, ProjectSearch, Surroundings};

/// The maximum number of names of one directory that are looked at.
const MOST_NAMES: usize = 4_096;

/// The maximum number of directories without a `SKILL.md` in one directory that are looked into.
const MOST_GROUPS: usize = 256;

/// How far projects lie below the working directory: `shop` or `team/shop`.
const PROJECT_DEPTH: usize = 2;

/// The directories of clients that a policy does not search, and how to add them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// The directories, those of the project first.
    pub directories: Vec<DirectoryOfSkills>,
    /// The keys of a configuration file, with values in YAML, that add all of them.
    pub settings: Vec<(String, String)>,
}

/// A directory, and the directories with a `SKILL.md` in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryOfSkills {
    /// The directory.
    pub directory: PathBuf,
    /// The paths of the skills in it, at most two levels down.
    pub skills: Vec<String>,
}

impl Discovery {
    /// Returns the directories of skills that a client may read, in the project and in the home,
    /// and that this policy leaves out: `.NAME/skills`, `skills`, and `NAME/skills` in the
    /// directory for configuration. Those whose skills are all found by another path are left out.
    ///
    /// It lists directories and reads no file. It is for people whose skill is missing: a scan
    /// does not need it.
    pub fn unread(&self, surroundings: &Surroundings) -> Unread {
        let mut read = self.real_roots(surroundings);
        let mut added = self.clone();
        let mut directories = Vec::new();
        for (directory, is_of_user) in candidates(surroundings) {
            let Ok(real) = directory.canonicalize() else { continue };
            if read.iter().any(|root| real.starts_with(root)) {
                continue;
            }
            let is_new = |skill: &String| {
                let skill = real.join(skill).canonicalize();
                skill.is_ok_and(|skill| !read.iter().any(|root| skill.starts_with(root)))
            };
            let skills: Vec<_> = skills_in(&real).into_iter().filter(is_new).collect();
            if skills.is_empty() {
                continue;
            }
            added.add(&directory, is_of_user, surroundings);
            read.insert(real);
            directories.push(DirectoryOfSkills { directory, skills });
        }
        Unread { directories, settings: self.changes_to(&added) }
    }

    /// Returns the real paths of the directories that are searched.
    fn real_roots(&self, surroundings: &Surroundings) -> HashSet<PathBuf> {
        let roots = self.find(surroundings).roots;
        roots.iter().filter_map(|root| root.directory.canonicalize().ok()).collect()
    }

    fn reads(&self, directory: &Path, surroundings: &Surroundings) -> bool {
        let real = directory.canonicalize();
        real.is_ok_and(|real| self.real_roots(surroundings).contains(&real))
    }

    /// Adds a directory by the smallest change.
    fn add(&mut self, directory: &Path, is_of_user: bool, surroundings: &Surroundings) {
        let client = directory.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        let client = client.and_then(|name| ClientName::new(name.trim_start_matches('.')).ok());
        let with_client = client.map(|client| {
            let also = [self.also.as_slice(), &[client]].concat();
            Self { also, ..self.clone() }
        });
        let with_layer = match is_of_user {
            true => Self { user: true, ..self.clone() },
            false => Self { project: ProjectSearch::Repository, ..self.clone() },
        };
        let changed = [Some(self.clone()), Some(with_layer), with_client].into_iter().flatten();
        if let Some(changed) = changed.into_iter().find(|it| it.reads(directory, surroundings)) {
            *self = changed;
            return;
        }
        let layer = if is_of_user { "user" } else { PROJECT_LAYER };
        self.roots.entry(layer.into()).or_default().push(directory.to_owned());
    }

    /// Returns the settings that make this policy another one.
    fn changes_to(&self, other: &Self) -> Vec<(String, String)> {
        let mut settings = Vec::new();
        let mut change = |key: &str, value: String| settings.push((key.to_owned(), value));
        if other.also != self.also {
            let names: Vec<_> = other.also.iter().map(ClientName::as_str).collect();
            change("discovery.also", format!("[{}]", names.join(", ")));
        }
        if other.user != self.user {
            change("discovery.user", "true".to_owned());
        }
        if other.project != self.project {
            change("discovery.project", "repository".to_owned());
        }
        for (layer, roots) in &other.roots {
            if self.roots.get(layer) != Some(roots) {
                change(&format!("discovery.roots.{layer}"), list_of(roots));
            }
        }
        settings
    }
}

/// Returns a list in YAML.
fn list_of(paths: &[PathBuf]) -> String {
    let quoted = |path: &PathBuf| {
        let path = path.to_string_lossy().replace('\\', r"\\").replace('"', r#"\""#);
        format!("\"{path}\"")
    };
    format!("[{}]", paths.iter().map(quoted).collect::<Vec<_>>().join(", "))
}

/// Returns the projects with skills below a working directory that is in no project itself.
pub fn projects_below(surroundings: &Surroundings) -> Vec<DirectoryOfSkills> {
    let mut projects = Vec::new();
    let Some(directory) = surroundings.working_directory.as_deref() else { return projects };
    if !directory.ancestors().any(|above| above.join(".git").exists()) {
        add_projects(directory, PROJECT_DEPTH, &mut projects);
    }
    let home = surroundings.home.as_ref().and_then(|home| home.canonicalize().ok());
    projects.retain(|project| project.directory.canonicalize().ok() != home);
    projects
}

fn add_projects(directory: &Path, depth: usize, projects: &mut Vec<DirectoryOfSkills>) {
    for name in names(directory).into_iter().filter(|name| !name.starts_with('.')) {
        let directory = directory.join(name);
        // With `skills` alone it is a pack of skills.
        let places = clients_in(&directory);
        let skills: Vec<_> = places.flat_map(|place| skills_in(&place)).collect();
        if !skills.is_empty() {
            projects.push(DirectoryOfSkills { directory, skills });
        } else if depth > 1 && !directory.join(".git").exists() && !directory.is_symlink() {
            add_projects(&directory, depth - 1, projects);
        }
    }
}

/// Returns the directories that may hold skills, and whether they are the user's.
fn candidates(surroundings: &Surroundings) -> Vec<(PathBuf, bool)> {
    let home = surroundings.home.as_deref();
    let project = surroundings.project().unwrap_or(Path::new(""));
    let folders = surroundings.working_directory.iter().flat_map(|working| working.ancestors());
    let folders = folders.take_while(|folder| folder.starts_with(project));
    let folders = folders.filter(|folder| Some(*folder) != home);
    let mut all: Vec<_> = folders.flat_map(places_in).map(|place| (place, false)).collect();
    let Some(home) = home else { return all };
    let config = surroundings.config_home();
    let in_config = config.iter().flat_map(|config| {
        names(config).into_iter().map(|name| config.join(name).join("skills")).collect::<Vec<_>>()
    });
    let known = KNOWN_CLIENTS.iter().filter_map(|known| known.of_user(home, config.as_deref()));
    let of_user = places_in(home).into_iter().chain(in_config).chain(known);
    all.extend(of_user.map(|place| (place, true)));
    all
}

/// Returns `.NAME/skills` for each client's directory in a folder, and `skills`.
fn places_in(folder: &Path) -> Vec<PathBuf> {
    clients_in(folder).chain([folder.join("skills")]).collect()
}

fn clients_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let clients = names(folder).into_iter().filter(|name| name.starts_with('.'));
    clients.map(|name| folder.join(name).join("skills"))
}

/// Returns the skills in a directory, and those one level below it.
fn skills_in(directory: &Path) -> Vec<String> {
    let is_skill = |path: &Path| FILES.iter().any(|file| path.join(file).is_file());
    let (mut skills, groups): (Vec<_>, Vec<_>) =
        names(directory).into_iter().partition(|name| is_skill(&directory.join(name)));
    for group in groups.into_iter().take(MOST_GROUPS) {
        let inner =
            names(&directory.join(&group)).into_iter().map(|name| format!("{group}/{name}"));
        skills.extend(inner.filter(|skill| is_skill(&directory.join(skill))));
    }
    skills
}

/// Returns the sorted names of directories, and of links, in a directory.
fn names(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let entries = entries.take(MOST_NAMES).filter_map(Result::ok);
    let directories = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir() || kind.is_symlink()));
    let mut names: Vec<_> =
        directories.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| !matches!(name.as_str(), ".git" | "node_modules"));
    names.sort_unstable();
    names
}
