//! Files outside of a repository, by their times.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fast_glob::glob_match;
use prowess::SKILL_MD_FILES;
use prowess::lint::{Dependency, Fact};

use super::day;

/// The most entries of directories that are looked at for one pattern.
const MOST_ENTRIES: usize = 20_000;

/// Directories of other systems for versions at the root of a project.
const MARKS: [&str; 4] = [".hg", ".jj", ".pijul", ".svn"];

/// Directories with files that are not a project's own.
const FOREIGN: [&str; 2] = [".git", "node_modules"];

/// Returns the root of the project of a package: that of its system for versions, or else the
/// directory with the directory `skills`, or with that of a client, such as `.agents/skills`. A
/// package without such a directory belongs to the directory that it is in.
pub(super) fn project(package: &Path) -> &Path {
    let is_marked = |above: &&Path| MARKS.iter().any(|mark| above.join(mark).exists());
    if let Some(root) = package.ancestors().find(is_marked) {
        return root;
    }
    let above = package.parent().unwrap_or(package);
    let skills = above.ancestors().find(|it| it.file_name().is_some_and(|name| name == "skills"));
    let root = skills.and_then(Path::parent).unwrap_or(above);
    let is_client = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b".");
    root.parent().filter(|_| root.file_name().is_some_and(is_client)).unwrap_or(root)
}

/// Returns the first change of files that is later than that of the instructions, or than the day
/// of their verification; `None` if there are too many files to say it.
pub(super) fn change(
    root: &Path,
    package: &Path,
    dependency: &Dependency<'_>,
) -> Option<Option<Fact>> {
    let pattern = dependency.name.trim_end_matches('/');
    let mut found = Vec::new();
    let start = pattern.split('/').take_while(|part| !part.contains(['*', '?', '[', '\\']));
    walk(root, &start.collect::<PathBuf>(), pattern, &mut found)?;
    if found.is_empty() {
        return Some(Some(Fact::Missing));
    }
    let own = own_time(package);
    let is_later = |time: SystemTime| match dependency.verified {
        Some(verified) => day(time).is_some_and(|day| *day > *verified),
        None => own.is_some_and(|own| time > own),
    };
    let others = found.into_iter().filter(|(path, _)| !root.join(path).starts_with(package));
    let first = others.filter(|(_, time)| is_later(*time)).min_by_key(|(_, time)| *time);
    Some(first.and_then(|(path, time)| {
        let file = path.to_string_lossy().into_owned();
        Some(Fact::Changed { since: day(time)?, file, commit: None })
    }))
}

/// Returns the time of the last change of the instructions.
pub(super) fn own_time(package: &Path) -> Option<SystemTime> {
    SKILL_MD_FILES.iter().filter_map(|file| time(&package.join(file))).max()
}

/// Returns whether a path is that of instructions.
pub(super) fn is_instructions(path: &str) -> bool {
    SKILL_MD_FILES.iter().any(|file| Path::new(path).ends_with(file))
}

pub(super) fn time(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|it| it.modified()).ok()
}

/// Collects the files of a pattern with their times, from a path below the root on. A directory
/// matches with all files in it, as for git. Returns `None` if there are too many entries.
fn walk(
    root: &Path,
    start: &Path,
    pattern: &str,
    found: &mut Vec<(PathBuf, SystemTime)>,
) -> Option<()> {
    let mut left = MOST_ENTRIES;
    let mut open = vec![start.to_owned()];
    while let Some(path) = open.pop() {
        left = left.checked_sub(1)?;
        let place = root.join(&path);
        let Ok(kind) = place.symlink_metadata() else { continue };
        if kind.is_dir() {
            let entries = fs::read_dir(&place).into_iter().flatten().flatten();
            let names = entries.map(|entry| entry.file_name());
            let own = names.filter(|name| !FOREIGN.iter().any(|foreign| name == *foreign));
            open.extend(own.map(|name| path.join(name)));
        } else if let Some(text) = path.to_str()
            && (is_in(text, pattern) || glob_match(pattern, text))
        {
            found.extend(time(&place).map(|time| (path, time)));
        }
    }
    Some(())
}

fn is_in(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
