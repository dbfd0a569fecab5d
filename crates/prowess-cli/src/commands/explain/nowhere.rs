//! The reason why a query matches no skill.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use prowess::format::SKILL_MD_FILES;
use prowess::source_fs::Discovery;
use prowess::source_fs::codes::FILE_MISPLACED;
use prowess::{Catalog, Diagnostic, Record};
use prowess_text::counted;

use super::{Decision, code};
use crate::commands::found::suggestion;
use crate::package::without_directory;
use crate::paths;

/// The outcome of a query that matches nothing.
pub(super) const NOT_FOUND: &str = "not-found";

/// The maximum number of names that are looked at for one that is meant.
const MOST_NAMES: usize = 20_000;

/// The maximum number of directories of one name that are explained.
const MOST_PLACES: usize = 3;

/// Returns the directories with a name, and links, below all roots, the links that findings are
/// about and those to skills, whether a scan reaches them or not. The nearest to a root are first.
pub(super) fn places(catalog: &Catalog, name: &str) -> Vec<PathBuf> {
    let roots = catalog.sources().iter().map(|source| PathBuf::from(source.source.root()));
    let links = catalog.diagnostics().filter_map(|found| found.path.as_deref().map(PathBuf::from));
    let found = catalog.skills().chain(catalog.excluded());
    let found = found.map(|it| PathBuf::from(it.root_directory()));
    let links = links.chain(found).filter(|path| path.is_symlink());
    below(roots.chain(links).filter(|top| top.is_absolute()), name, &[])
}

fn is_skill(directory: &Path) -> bool {
    SKILL_MD_FILES.iter().any(|file| directory.join(file).exists())
}

/// Returns the directory of the skill at a path, which may be that of its `SKILL.md`.
pub(crate) fn skill_at(path: &Path) -> Option<&Path> {
    let directory = if path.is_file() { path.parent()? } else { path };
    is_skill(directory).then_some(directory)
}

/// Returns the directory of the skill with a name that is somewhere in a project.
pub(crate) fn in_project(project: &Path, name: &str) -> Option<PathBuf> {
    // Names of no skill would use up those that are looked at.
    let skip = [".git", "node_modules", "target"];
    below([project.to_owned()].into_iter(), name, &skip).into_iter().find(|it| is_skill(it))
}

/// Looks for a name below directories, but in none with one of the names in `skip`. If some have a
/// skill, these are meant.
fn below(roots: impl Iterator<Item = PathBuf>, name: &str, skip: &[&str]) -> Vec<PathBuf> {
    let [mut others, mut skills] = [Vec::new(), Vec::new()];
    if name.contains('/') {
        return others;
    }
    let roots: Vec<_> = roots.collect();
    let mut pending = VecDeque::from(roots.clone());
    let loose = format!("{name}.md");
    let mut left = MOST_NAMES;
    'search: while let Some(directory) = pending.pop_front() {
        for entry in fs::read_dir(&directory).into_iter().flatten().filter_map(Result::ok) {
            left -= 1;
            let kind = entry.file_type();
            let is_directory = kind.as_ref().is_ok_and(fs::FileType::is_dir);
            let is_place = is_directory || kind.is_ok_and(|it| it.is_symlink());
            let is_named = entry.file_name() == name && is_place
                || entry.file_name() == *loose
                    && roots.contains(&directory)
                    && !is_skill(&directory);
            if is_named {
                let path = entry.path();
                let places = if is_skill(&path) { &mut skills } else { &mut others };
                if places.len() < MOST_PLACES && !places.contains(&path) {
                    places.push(path);
                }
            }
            if left == 0 || skills.len() == MOST_PLACES {
                break 'search;
            }
            if is_directory && !skip.iter().any(|it| entry.file_name() == *it) {
                pending.push_back(entry.path());
            }
        }
    }
    if skills.is_empty() { others } else { skills }
}

/// Returns the root above what a query means, if that is a path.
pub(super) fn root_of<'c>(catalog: &'c Catalog, query: &str, path: &Path) -> Option<&'c str> {
    let mut roots = catalog.sources().iter().map(|source| source.source.root());
    roots.find(|root| path.starts_with(root)).filter(|_| is_path(query, path))
}

fn is_path(query: &str, path: &Path) -> bool {
    query.contains('/') || path.exists()
}

/// Returns the only decision about a query that matches nothing.
pub(super) fn decide(
    catalog: &Catalog,
    discovery: &Discovery,
    query: &str,
    path: &Path,
) -> Decision {
    if let Some(root) = root_of(catalog, query, path) {
        if let Some(pack) = pack(catalog, path) {
            return pack;
        }
        return Decision::new("find", NOT_FOUND, under(catalog, discovery, root.as_ref(), path));
    }
    let is_path = is_path(query, path);
    let roots = catalog.sources().iter().map(|source| source.source.root());
    // Installed skills have no directory that a person would look into.
    let roots = roots.filter(|root| paths::is_there(root) && !root.contains("-lock://"));
    let roots: Vec<_> = roots.collect();
    let roots = if roots.is_empty() { "nowhere".to_owned() } else { roots.join(", ") };
    let what = if is_path && path.exists() {
        format!("`{}` is under none of the roots; the roots are", path.display())
    } else {
        "no skill with this id or path under".to_owned()
    };
    let next = match suggestion(catalog, query, code::all()).filter(|_| !is_path) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "`prowess help directories` says how to add one".to_owned(),
    };
    Decision::new("find", NOT_FOUND, format!("{what} {roots}; {next}"))
}

/// Returns what a directory of skills is whose skills are read.
fn pack(catalog: &Catalog, path: &Path) -> Option<Decision> {
    if is_skill(path) || !path.is_dir() {
        return None;
    }
    let is_inside = |record: &Record<'_>| Path::new(&*record.root_directory()).starts_with(path);
    let inside = catalog.skills().chain(catalog.excluded()).filter(is_inside);
    let ids: Vec<_> = inside.map(|record| format!("`{}`", record.id())).collect();
    let named = ids.iter().take(MOST_PLACES).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if ids.len() > MOST_PLACES { ", …" } else { "" };
    let (path, count) = (path.display(), counted(ids.len(), "skill"));
    let verb = if ids.len() == 1 { "is" } else { "are" };
    let reason = format!("`{path}` is a pack of {count}, which {verb} read: {named}{more}");
    (!ids.is_empty()).then(|| Decision::new("find", "pack", reason))
}

/// Returns why a path below a root is not a skill.
fn under(catalog: &Catalog, discovery: &Discovery, root: &Path, path: &Path) -> String {
    let scan = discovery.config(root);
    let shown = path.display();
    let directory = if path.is_file() { path.parent().unwrap_or(path) } else { path };
    if !path.exists() {
        return format!("`{shown}` does not exist; see `prowess list` for the skills that do");
    }
    if let Some(skill) = without_directory(path).filter(|_| directory == root) {
        return format!(
            "`{shown}` is a file, and a skill is a directory: move it to `{}`",
            skill.display()
        );
    }
    if !is_skill(directory) {
        return format!("`{}` has no `SKILL.md`, so it is not a skill", directory.display());
    }
    let below = directory.strip_prefix(root).unwrap_or(directory);
    let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
    if let Some(name) = names.iter().find(|name| scan.skip.iter().any(|skip| **skip == ***name)) {
        return match discovery.skip.iter().any(|skip| **skip == **name) {
            true => format!(
                "`{shown}` is left out by `discovery.skip`, which has `{name}`; \
                 `prowess config show discovery.skip` prints where it is set"
            ),
            false => {
                format!("`{shown}` is below `{name}`, which is always skipped; move the skill")
            }
        };
    }
    if names.len() > scan.max_depth {
        return format!(
            "`{shown}` is {} below the root {}, and the scan ends after {}; name a nearer root",
            counted(names.len(), "directory"),
            root.display(),
            counted(scan.max_depth, "level")
        );
    }
    let is_at = |it: &Diagnostic, place: &Path| it.path.as_deref().map(Path::new) == Some(place);
    let link = directory.ancestors().take_while(|above| *above != root);
    let link = link.filter(|above| above.is_symlink()).last();
    let is_refused = |link: &Path| catalog.diagnostics().any(|found| is_at(found, link));
    // A root that is no skill may have a `SKILL.md` all the same.
    let is_holder = catalog.diagnostics().any(|found| {
        let file = found.path.as_deref().map(Path::new);
        found.code == FILE_MISPLACED && file.and_then(Path::parent) == Some(root)
    });
    let above = directory.ancestors().skip(1).take_while(|above| above.starts_with(root));
    let around = above.filter(|above| is_skill(above) && !(is_holder && *above == root)).last();
    if let (Some(around), false) = (around, link.is_some_and(is_refused)) {
        let name = around.file_name().unwrap_or_default().display();
        let place = around.display();
        return format!(
            "`{shown}` is inside the skill `{name}` at {place}, where the scan ends; move it out"
        );
    }
    if let Some(link) = link {
        let link = link.display();
        return format!("`{shown}` is behind the link `{link}`, which is not followed");
    }
    let root = root.display();
    format!("the scan of {root} did not reach `{shown}`; see the warnings of `prowess list`")
}
