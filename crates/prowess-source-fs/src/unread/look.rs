//! Bounded looks for directories with a `SKILL.md`.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use super::{DirectoryOfSkills, Search, is_shared};
use crate::clients::KNOWN_CLIENTS;
use crate::package::FILES;

/// The maximum number of names of one directory that are looked at.
const MOST_NAMES: usize = 4_096;

/// The maximum number of directories without a `SKILL.md` in one directory that are looked into.
const MOST_GROUPS: usize = 256;

/// How far projects lie below the working directory: `shop` or `team/shop`.
const PROJECT_DEPTH: usize = 2;

/// The maximum number of directories that a look below one directory lists.
const MOST_LISTED: usize = 2_000;

/// How far below a directory that look goes: `services/a/.claude/skills/pdf` is five levels down.
const MOST_LEVELS: usize = 6;

/// How far below the directory of a client its directories of skills lie: `.skills`,
/// `.claude/skills`, `.opencode/skill`, `.pi/agent/skills`, `.local/share/goose/skills`.
const OF_CLIENT: usize = 3;

/// Names of directories that such a look leaves out: their skills are copies, or are for tests.
const NOT_LOOKED_INTO: [&str; 7] =
    ["node_modules", "target", "test", "tests", "testdata", "fixtures", "worktrees"];

/// Names of directories in a skill whose files are the skill's own, such as templates.
const OF_A_SKILL: [&str; 5] = ["assets", "examples", "references", "scripts", "templates"];

/// Hidden directories that belong to no client, and may be large.
const OF_NO_CLIENT: [&str; 9] =
    [".cache", ".cargo", ".gradle", ".m2", ".npm", ".rustup", ".tox", ".Trash", ".venv"];

/// What a look below a directory found.
#[derive(Default)]
pub(super) struct Below {
    /// The directories of skills, the nearest first, those in skills last.
    pub(super) found: Vec<DirectoryOfSkills>,
    /// The other skills that are in a skill.
    pub(super) inside: Vec<PathBuf>,
    /// Whether there are more directories than were listed.
    pub(super) has_more: bool,
}

/// A look into so many directories.
pub(super) struct Look<'f> {
    /// Returns whether a link to a directory is followed.
    follows: &'f dyn Fn(&Path) -> bool,
    left: usize,
    has_more: bool,
}

/// Looks below a directory for skills, with `insides` also in those below it. No link is followed.
/// Hidden directories outside of skills, which may be large, do not take from what is listed.
pub(super) fn below(top: &Path, insides: bool, skips: &dyn Fn(&Path, &str) -> bool) -> Below {
    let mut below = Below::default();
    let follows = |_: &Path| false;
    let [mut listed, mut hidden] = [Look::new(&follows), Look::new(&follows)];
    let mut pending = VecDeque::from([(top.to_owned(), 0, None)]);
    let mut in_skills = VecDeque::new();
    while let Some(next) = pending.pop_front().or_else(|| in_skills.pop_front()) {
        if !listed.spend() {
            break;
        }
        let (directory, level, mut inside): (PathBuf, usize, Option<PathBuf>) = next;
        let entries = entries(&directory);
        if entries.iter().any(|(name, kind)| !kind.is_dir() && FILES.contains(&name.as_str())) {
            below.add(inside.as_deref().unwrap_or(top), &directory, inside.is_some());
            inside = Some(directory.clone());
            if !insides && directory != top {
                continue;
            }
        }
        for (name, _) in entries.into_iter().filter(|(_, kind)| kind.is_dir()) {
            let path = directory.join(&name);
            let is_left_out = NOT_LOOKED_INTO.contains(&name.as_str())
                || inside.is_some() && OF_A_SKILL.contains(&name.as_str());
            // A hidden directory is looked into for those of a client only.
            let paths = match name.starts_with('.') {
                _ if is_left_out => Vec::new(),
                true if inside.is_some() => listed.of_client(&path, OF_CLIENT),
                true => hidden.of_client(&path, OF_CLIENT),
                false => vec![path],
            };
            for path in paths {
                let inner = path.strip_prefix(&directory).map_or(1, |it| it.components().count());
                let level = level + inner;
                let queue = if inside.is_some() { &mut in_skills } else { &mut pending };
                if level > MOST_LEVELS || skips(&path, &name) {
                    continue;
                }
                below.has_more |= queue.len() == MOST_LISTED;
                if queue.len() < MOST_LISTED {
                    queue.push_back((path, level, inside.clone()));
                }
            }
        }
    }
    below.has_more |= listed.has_more || hidden.has_more;
    below
}

impl Below {
    /// Adds a skill to the nearest directory above it that is called `skills`, at most two levels
    /// up, and otherwise to its parent, but in another skill not: it may be an example.
    fn add(&mut self, top: &Path, skill: &Path, is_inside: bool) {
        let mut above = skill.ancestors().skip(1).take(2).take_while(|it| it.starts_with(top));
        let parent = skill.parent().filter(|parent| parent.starts_with(top)).unwrap_or(skill);
        let directory = above.find(|it| it.ends_with("skills") && !(is_inside && *it == top));
        match directory.or((!is_inside).then_some(parent)) {
            Some(directory) => DirectoryOfSkills::of(directory, &mut self.found).add(skill),
            None => self.inside.push(skill.to_owned()),
        }
    }
}

impl Search<'_> {
    /// Returns the projects with skills below a working directory that is in no repository itself.
    pub(super) fn projects_below(&self) -> Vec<DirectoryOfSkills> {
        let surroundings = self.surroundings;
        let mut projects = Vec::new();
        let Some(directory) = surroundings.working_directory.as_deref() else { return projects };
        let is_alone = self.project == Some(directory)
            && (!directory.join(".git").exists()
                || surroundings.home.as_deref() == Some(directory));
        if !is_shared(directory) && is_alone {
            Look::new(&|it| self.follows(it)).add_projects(directory, PROJECT_DEPTH, &mut projects);
        }
        let home = surroundings.home.as_ref().and_then(|home| home.canonicalize().ok());
        projects.retain(|project| project.directory.canonicalize().ok() != home);
        projects
    }

    /// Returns the directories in which clients may have their skills, those of the project first.
    pub(super) fn places(&self) -> Vec<PathBuf> {
        let (surroundings, follows) = (self.surroundings, |it: &Path| self.follows(it));
        let look = Look::new(&follows);
        let home = surroundings.home.as_deref();
        let project = self.project.unwrap_or(Path::new(""));
        let folders = surroundings.working_directory.iter().flat_map(|working| working.ancestors());
        let folders = folders.take_while(|folder| folder.starts_with(project));
        let folders = folders.filter(|folder| Some(*folder) != home && !is_shared(folder));
        let mut all: Vec<_> = folders.flat_map(|folder| look.places_in(folder)).collect();
        let Some(home) = home else { return all };
        let config = surroundings.config_home();
        let in_config = config.iter().flat_map(|it| Look::new(&follows).of_client(it, OF_CLIENT));
        let known = KNOWN_CLIENTS.iter().filter_map(|known| surroundings.skills_of(known));
        all.extend(look.places_in(home).into_iter().chain(in_config).chain(known));
        all
    }
}

impl<'f> Look<'f> {
    pub(super) fn new(follows: &'f dyn Fn(&Path) -> bool) -> Self {
        Self { follows, left: MOST_LISTED, has_more: false }
    }

    /// Takes one directory; returns whether there was one left.
    fn spend(&mut self) -> bool {
        let left = self.left.checked_sub(1);
        self.has_more |= left.is_none();
        self.left = left.unwrap_or_default();
        left.is_some()
    }

    /// Adds the folders with a client's skills, at most `depth` levels below a directory.
    fn add_projects(&self, directory: &Path, depth: usize, projects: &mut Vec<DirectoryOfSkills>) {
        for name in self.names(directory).into_iter().filter(|name| !name.starts_with('.')) {
            let directory = directory.join(name);
            // With `skills` alone it is a pack of skills.
            let places = self.clients_in(&directory).into_iter();
            let skills: Vec<_> = places.flat_map(|it| self.skills_in(&it, &is_skill)).collect();
            if !skills.is_empty() {
                projects.push(DirectoryOfSkills { directory, skills });
            } else if depth > 1 && !directory.join(".git").exists() && !directory.is_symlink() {
                self.add_projects(&directory, depth - 1, projects);
            }
        }
    }

    /// Returns the directories of skills of clients in a folder, and `skills`.
    fn places_in(&self, folder: &Path) -> Vec<PathBuf> {
        self.clients_in(folder).into_iter().chain([folder.join("skills")]).collect()
    }

    /// Returns the directories of skills in the hidden directories of a folder.
    fn clients_in(&self, folder: &Path) -> Vec<PathBuf> {
        let hidden = self.names(folder).into_iter().filter(|name| name.starts_with('.'));
        let of_client =
            |name: String| Self::new(self.follows).of_client(&folder.join(name), OF_CLIENT);
        hidden.flat_map(of_client).collect()
    }

    /// Returns the directories of skills in a directory of a client, so many levels down.
    fn of_client(&mut self, directory: &Path, levels: usize) -> Vec<PathBuf> {
        let name = directory.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if name.trim_start_matches('.').starts_with("skill") {
            return vec![directory.to_owned()];
        }
        if NOT_LOOKED_INTO.contains(&name) || OF_NO_CLIENT.contains(&name) || !self.spend() {
            return Vec::new();
        }
        if levels == 1 {
            // Cheaper than a list of all names.
            let usual = ["skills", "skill"].map(|name| directory.join(name)).into_iter();
            let kind = |it: &Path| it.symlink_metadata().map(|it| it.file_type());
            return usual.filter(|it| kind(it).is_ok_and(|kind| self.enters(it, kind))).collect();
        }
        let inner = self.names(directory);
        self.has_more |= inner.len() > MOST_GROUPS;
        let inner = inner.into_iter().take(MOST_GROUPS);
        inner.flat_map(|name| self.of_client(&directory.join(name), levels - 1)).collect()
    }

    /// Returns the skills in a directory, and those one level below it.
    pub(super) fn skills_in(
        &self,
        directory: &Path,
        is_skill: &dyn Fn(&Path) -> bool,
    ) -> Vec<String> {
        let (mut skills, groups): (Vec<_>, Vec<_>) =
            self.names(directory).into_iter().partition(|name| is_skill(&directory.join(name)));
        for group in groups.into_iter().take(MOST_GROUPS) {
            let inner = self.names(&directory.join(&group)).into_iter();
            let inner = inner.map(|name| format!("{group}/{name}"));
            skills.extend(inner.filter(|skill| is_skill(&directory.join(skill))));
        }
        skills
    }

    /// Returns the sorted names of directories, and of links that are followed, in a directory.
    pub(super) fn names(&self, directory: &Path) -> Vec<String> {
        let entries = entries(directory).into_iter().filter(|(name, _)| name != "node_modules");
        let directories = entries.filter(|(name, kind)| self.enters(&directory.join(name), *kind));
        directories.map(|(name, _)| name).collect()
    }

    fn enters(&self, path: &Path, kind: FileType) -> bool {
        kind.is_dir() || kind.is_symlink() && (self.follows)(path)
    }
}

/// Returns whether there is a skill at a path.
pub(super) fn is_skill(path: &Path) -> bool {
    FILES.iter().any(|file| path.join(file).is_file())
}

/// Returns the sorted names in a directory, with their kinds.
fn entries(directory: &Path) -> Vec<(String, FileType)> {
    let entries = fs::read_dir(directory).into_iter().flatten().take(MOST_NAMES).flatten();
    let named = entries
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.file_type().ok()?)));
    let mut named: Vec<_> = named.filter(|(name, _)| name != ".git").collect();
    named.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    named
}
