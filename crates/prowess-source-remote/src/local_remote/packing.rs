//! The packages of a folder as archives.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use prowess_archive::{
    Archive, DIRECTORY_NOT_UTF8, File, Limits, ListedFile, ListedPackage, Listing, NOT_UTF8, Node,
    Packages, Refusal,
};
use prowess_core::{
    Cancel, MAY_HOLD_CREDENTIALS, MachineDirectories, RemoteError, RemoteErrorKind, SKILL_MD_FILES,
    Want, WantedPackage, withheld_path,
};
use prowess_dir::{Dir, ErrorKind, Kind, Links, Stillness, Walk, WalkBounds, Walked};
use prowess_format::is_skill;

use super::filter::Filter;
use super::{join, refused, unreadable};
use crate::artifact::{MAX_ALL, MAX_BYTES};
use crate::cancel::check;

/// The maximum number of names in a folder that is searched for packages.
const MAX_NAMES: usize = 200_000;

/// A package of a folder.
pub(super) struct Packed {
    pub(super) directory: String,
    pub(super) archive: Result<Archive, RemoteError>,
    pub(super) left_out: Vec<String>,
    /// Whether it is a part of another package, and has no files for that reason.
    pub(super) is_inside: bool,
}

/// Packs the wanted packages of a folder, each with its own error.
pub(super) fn packages(
    path: &Path,
    folder: &Dir,
    filter: Option<&Filter<'_>>,
    wanted: WantedPackage<'_>,
    limit: usize,
    cancel: &Cancel,
) -> Result<Vec<Packed>, RemoteError> {
    let Limits { entries, depth, .. } = Limits::default();
    let bounds = WalkBounds { depth, entries: MAX_NAMES };
    let enters = |name: &str| name != ".git" && filter.is_none_or(|filter| filter.enters(name));
    let walk = folder.walk(bounds, enters).map_err(|error| unreadable(&error))?;
    let listing = listing(folder, &walk, filter);
    let incomplete = || {
        let message = format!(
            "`{}` cannot be listed: it has too many names or levels, or a directory that cannot be \
             read",
            path.display()
        );
        RemoteError::new(RemoteErrorKind::TooLarge, message)
    };
    let invalid = |reason: String| RemoteError::new(RemoteErrorKind::Invalid, reason);
    let (mut packages, mut left) = (Vec::new(), MAX_ALL);
    let text = |directory: &str| {
        let file = listing.file(directory, &SKILL_MD_FILES).map_err(invalid);
        file.and_then(|file| Ok((read(folder, &file, MAX_BYTES)?, file)))
    };
    let is_package = |it: &str| text(it).is_ok_and(|(file, _)| is_skill(&file.content));
    let Packages { found, inside } = listing.packages("", &SKILL_MD_FILES, &is_package);
    for (directory, is_whole) in found {
        check(cancel)?;
        let own = join(&directory, SKILL_MD_FILES[0]);
        if filter.is_some_and(|filter| filter.withholds(&own, withheld_path(&own))) {
            continue;
        }
        let text = text(&directory);
        let want = text.as_ref().map_or(Want::Files, |(file, _)| wanted(&directory, &file.content));
        let is_complete = || {
            let below = folder.open_dir(&directory, Links::Refuse);
            let below = below.and_then(|below| below.walk(bounds, enters));
            below.is_ok_and(|below| !below.is_cut)
        };
        let listed = text.and_then(|(_, path)| match is_whole {
            true => listing.package(&directory, entries).map_err(invalid),
            false => Ok(ListedPackage::of_file(SKILL_MD_FILES[0], path)),
        });
        if want == Want::Nothing && listed.is_ok() {
            continue;
        }
        let most = if want == Want::Files { limit.min(left) } else { limit };
        let listed = match listed {
            Ok(_) if walk.is_cut && !is_complete() => Err(incomplete()),
            listed => listed,
        };
        let (archive, left_out) =
            match listed.map(|listed| without_withheld(listed, &directory, filter)) {
                Ok(listed) => (pack(folder, &listed, most, cancel), listed.left_out),
                Err(error) => (Err(error), Vec::new()),
            };
        if want == Want::Check && archive.is_ok() {
            continue;
        }
        let bytes = archive.iter().flat_map(Archive::files).map(|file| file.content.len());
        left -= bytes.sum::<usize>();
        packages.push(Packed { directory, archive, left_out, is_inside: false });
    }
    packages.extend(inside.into_iter().map(|(directory, reason)| {
        let archive = Err(RemoteError::new(RemoteErrorKind::Unsupported, reason));
        Packed { directory, archive, left_out: Vec::new(), is_inside: true }
    }));
    packages.sort_by(|one, other| one.directory.cmp(&other.directory));
    if walk.is_cut {
        let (archive, left_out) = (Err(incomplete()), Vec::new());
        packages.push(Packed { directory: String::new(), archive, left_out, is_inside: false });
    }
    Ok(packages)
}

/// Leaves out what is withheld from other people, by its own path or that of the file that a link
/// leads to. A user installs all files, but no such link, whose name does not show it.
fn without_withheld(
    mut listed: ListedPackage,
    directory: &str,
    filter: Option<&Filter<'_>>,
) -> ListedPackage {
    let Some(filter) = filter else { return without_withheld_links(listed, directory) };
    listed.files.retain(|file| {
        let reason = withheld_path(&file.path).or_else(|| withheld_below(directory, &file.content));
        !filter.withholds(&join(directory, &file.path), reason)
    });
    listed
}

/// Returns why a file is withheld: in a package by its path there, whose own name says nothing.
fn withheld_below(directory: &str, path: &str) -> Option<&'static str> {
    let own = path.strip_prefix(directory).and_then(|path| path.strip_prefix('/'));
    withheld_path(own.unwrap_or(path))
}

/// Leaves out links to files that may hold credentials.
pub(crate) fn without_withheld_links(mut listed: ListedPackage, directory: &str) -> ListedPackage {
    let (files, left_out) = (&mut listed.files, &mut listed.left_out);
    files.retain(|ListedFile { path, content, .. }| {
        let is_link = join(directory, path) != *content && withheld_path(path).is_none();
        let reason =
            withheld_below(directory, content).filter(|it| is_link && *it == MAY_HOLD_CREDENTIALS);
        left_out.extend(reason.map(|it| format!("`{path}` is a link to `{content}`, which {it}")));
        reason.is_none()
    });
    listed
}

fn listing(folder: &Dir, walk: &Walk, filter: Option<&Filter<'_>>) -> Listing {
    let found = &walk.found;
    let identity = |path: &str| {
        let stat = folder.stat(path, Links::Refuse).ok().filter(|stat| stat.links > 1)?;
        Some((stat.device, stat.inode))
    };
    let is_file = |walked: &&Walked| walked.kind == Kind::File;
    let paths = || found.iter().filter(is_file).map(|walked| &*walked.path);
    let withheld = paths().filter(|path| withheld_path(path) == Some(MAY_HOLD_CREDENTIALS));
    let withheld: BTreeMap<_, _> =
        withheld.filter_map(|path| Some((identity(path)?, path))).collect();
    // A hard link to such a file is the same as a symbolic one.
    let link = |path: &str| {
        let may_be = !withheld.is_empty() && withheld_path(path).is_none();
        let original = withheld.get(&may_be.then(|| identity(path)).flatten()?)?;
        let up = "../".repeat(path.matches('/').count());
        Some(Node::Link(format!("{up}{original}")))
    };
    let node = |walked: &Walked| {
        let target = || String::from_utf8(folder.read_link(&walked.path).ok()?).ok();
        let unreadable = "is a link with a target that cannot be read";
        let node = match walked.kind {
            // Whether it is executable is seen when it is read.
            Kind::File => link(&walked.path).unwrap_or(Node::File { is_executable: false }),
            Kind::Link => target().map_or(Node::Refused(unreadable), Node::Link),
            _ => Node::Refused("is a special file"),
        };
        (walked.path.clone(), node)
    };
    let machine = MachineDirectories::of(found.iter().map(|walked| &*walked.path));
    let skills = found.iter().filter_map(|it| parent_of_skill(&it.path));
    let skills: BTreeSet<&str> = skills.collect();
    // A work tree of git has a file of that name.
    let is_own = |walked: &&Walked| {
        let path = &walked.path;
        let withholds_all = |filter: &Filter<'_>| {
            let around = machine.around(path);
            around.is_some_and(|(it, reason)| filter.withholds(&format!("{it}/"), Some(reason)))
        };
        if filter.is_some_and(withholds_all) {
            return false;
        }
        let mut parents = path.match_indices('/').map(|(at, _)| &path[..at]);
        let skill = parents.find(|it| skills.contains(it)).unwrap_or_default();
        let withholds = |it: &Filter<'_>| it.withholds(path, withheld_below(skill, path));
        path.rsplit('/').next() != Some(".git")
            && (walked.kind == Kind::File || !filter.is_some_and(withholds))
    };
    let unnamed = walk.unnamed.iter().map(|Walked { path, kind, .. }| {
        let reason = if *kind == Kind::Directory { DIRECTORY_NOT_UTF8 } else { NOT_UTF8 };
        (path.clone(), Node::Refused(reason))
    });
    Listing::new(unnamed.chain(found.iter().filter(is_own).map(node)).collect())
}

/// Reads the files of a package.
fn pack(
    folder: &Dir,
    listed: &ListedPackage,
    limit: usize,
    cancel: &Cancel,
) -> Result<Archive, RemoteError> {
    let mut left = limit;
    let mut files = Vec::new();
    for ListedFile { path, content, .. } in &listed.files {
        check(cancel)?;
        let file = read(folder, content, left)?;
        left -= file.content.len();
        files.push(File { path: path.clone(), ..file });
    }
    Archive::new(files).map_err(|refusal| refused(&refusal))
}

fn read(folder: &Dir, path: &str, limit: usize) -> Result<File, RemoteError> {
    let failed = |error: prowess_dir::Error| match error.kind() {
        ErrorKind::TooLarge => {
            let (one, all) = (MAX_BYTES >> 20, MAX_ALL >> 20);
            let message = format!(
                "`{path}` is too large: a skill may have {one} MiB, and those of a folder {all}"
            );
            RemoteError::new(RemoteErrorKind::TooLarge, message)
        }
        _ => unreadable(&error),
    };
    // A part of a file that is being saved would be installed as the whole.
    let (content, is_executable) =
        Stillness::default().read_in(folder, path, Links::Refuse, limit).map_err(failed)?;
    Ok(File { path: path.to_owned(), is_executable, content })
}

/// Returns the packages that can be packed as one archive.
pub(super) fn together(packages: Vec<Packed>) -> Result<Archive, Refusal> {
    let files = packages.into_iter().filter_map(|it| Some((it.directory, it.archive.ok()?)));
    let files = files.flat_map(|(directory, archive)| {
        let path = |file: &File| join(&directory, &file.path);
        let files = archive.files().iter();
        files.map(|file| File { path: path(file), ..file.clone() }).collect::<Vec<_>>()
    });
    Archive::new(files.collect())
}

/// Returns the directory of a path of a `SKILL.md`.
fn parent_of_skill(path: &str) -> Option<&str> {
    SKILL_MD_FILES.iter().find_map(|name| path.strip_suffix(name)?.strip_suffix('/'))
}
