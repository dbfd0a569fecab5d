//! Bounded looks for directories with a `SKILL.md`.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use super::DirectoryOfSkills;
use crate::package::FILES;

/// The maximum number of names of one directory that are looked at.
const MOST_NAMES: usize = 4_096;

/// The maximum number of directories without a `SKILL.md` in one directory that are looked into.
const MOST_GROUPS: usize = 256;

/// How far projects lie below the working directory: `shop` or `team/shop`.
pub(super) const PROJECT_DEPTH: usize = 2;

/// The maximum number of directories that a look below one directory lists.
pub(super) const MOST_LISTED: usize = 2_000;

/// How far below a directory that look goes: `services/a/.claude/skills/pdf` is five levels down.
const MOST_LEVELS: usize = 6;

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

/// Looks below a directory for skills, and lists as many directories as are left. No link is
/// followed.
pub(super) fn below(top: &Path, left: &mut usize, skips: &dyn Fn(&Path, &str) -> bool) -> Below {
    let mut below = Below::default();
    let mut pending = VecDeque::from([(top.to_owned(), 0, None)]);
    let mut in_skills = VecDeque::new();
    while let Some(next) = pending.pop_front().or_else(|| in_skills.pop_front()) {
        if *left == 0 {
            below.has_more = true;
            break;
        }
        *left -= 1;
        let (directory, level, mut inside): (PathBuf, usize, Option<PathBuf>) = next;
        let entries = entries(&directory);
        if entries.iter().any(|(name, kind)| !kind.is_dir() && FILES.contains(&name.as_str())) {
            below.add(inside.as_deref().unwrap_or(top), &directory, inside.is_some());
            inside = Some(directory.clone());
        }
        for (name, _) in entries.into_iter().filter(|(_, kind)| kind.is_dir()) {
            let path = directory.join(&name);
            let is_left_out = NOT_LOOKED_INTO.contains(&name.as_str())
                || inside.is_some() && OF_A_SKILL.contains(&name.as_str());
            // A hidden directory is looked into for those of a client only.
            let paths = match name.starts_with('.') {
                _ if is_left_out => Vec::new(),
                true => of_client(&path),
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

/// Adds the folders with a client's skills, at most `depth` levels below a directory.
pub(super) fn add_projects(directory: &Path, depth: usize, projects: &mut Vec<DirectoryOfSkills>) {
    for name in names(directory).into_iter().filter(|name| !name.starts_with('.')) {
        let directory = directory.join(name);
        // With `skills` alone it is a pack of skills.
        let places = clients_in(&directory).into_iter();
        let skills: Vec<_> = places.flat_map(|place| skills_in(&place, &is_skill)).collect();
        if !skills.is_empty() {
            projects.push(DirectoryOfSkills { directory, skills });
        } else if depth > 1 && !directory.join(".git").exists() && !directory.is_symlink() {
            add_projects(&directory, depth - 1, projects);
        }
    }
}

/// Returns the directories of skills of clients in a folder, and `skills`.
pub(super) fn places_in(folder: &Path) -> Vec<PathBuf> {
    clients_in(folder).into_iter().chain([folder.join("skills")]).collect()
}

/// Returns the directories of skills in the hidden directories of a folder.
fn clients_in(folder: &Path) -> Vec<PathBuf> {
    let hidden = names(folder).into_iter().filter(|name| name.starts_with('.'));
    hidden.flat_map(|name| of_client(&folder.join(name))).collect()
}

/// Returns the directories of skills in a directory of a client, at most three levels down:
/// `.skills`, `.claude/skills`, `.opencode/skill`, `.pi/agent/skills`, `.local/share/goose/skills`.
pub(super) fn of_client(directory: &Path) -> Vec<PathBuf> {
    within(directory, 3)
}

fn within(directory: &Path, levels: usize) -> Vec<PathBuf> {
    let name = directory.file_name().and_then(OsStr::to_str).unwrap_or_default();
    if name.trim_start_matches('.').starts_with("skill") {
        return vec![directory.to_owned()];
    }
    if NOT_LOOKED_INTO.contains(&name) || OF_NO_CLIENT.contains(&name) {
        return Vec::new();
    }
    if levels == 1 {
        // Cheaper than a list of all names.
        let usual = ["skills", "skill"].map(|name| directory.join(name)).into_iter();
        return usual.filter(|it| it.is_dir()).collect();
    }
    let inner = names(directory).into_iter().take(MOST_GROUPS);
    inner.flat_map(|name| within(&directory.join(name), levels - 1)).collect()
}

/// Returns whether there is a skill at a path.
pub(super) fn is_skill(path: &Path) -> bool {
    FILES.iter().any(|file| path.join(file).is_file())
}

/// Returns the skills in a directory, and those one level below it.
pub(super) fn skills_in(directory: &Path, is_skill: &dyn Fn(&Path) -> bool) -> Vec<String> {
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
pub(super) fn names(directory: &Path) -> Vec<String> {
    let entries = entries(directory).into_iter();
    let directories = entries.filter(|(_, kind)| kind.is_dir() || kind.is_symlink());
    directories.map(|(name, _)| name).filter(|name| name != "node_modules").collect()
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
