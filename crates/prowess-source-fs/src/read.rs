//! Listing and reading the files of one package.

use std::cell::LazyCell;

use prowess_core::{
    Listing, MAY_HOLD_CREDENTIALS, PackagePath, ReadLimit, Resource, ResourcePath, SourceError,
    SourceErrorKind, withheld_path,
};
use prowess_dir::{
    Content, Dir, Error, ErrorKind, File, Kind, Links, Stat, Stillness, Walk, WalkBounds, Walked,
};

use crate::admission::join;
use crate::kept::Kept;
use crate::package::FILES;
use crate::{FsConfig, link};

/// Lists the files of a package other than its `SKILL.md`.
pub(crate) fn list(
    config: &FsConfig,
    kept: Option<&Kept>,
    package: &PackagePath,
    most: usize,
) -> Result<Listing, SourceError> {
    let directory = open(config, package)?;
    let bounds = WalkBounds { entries: config.max_listed, ..WalkBounds::default() };
    let walk = directory
        .walk_kept(
            bounds,
            |name| !config.skips(name),
            |path| kept?.listing(join(package.as_str(), path).trim_end_matches('/')),
        )
        .map_err(|error| source_error(&error, package))?;
    let mut listing = Listing { resources: Vec::new(), is_complete: walk.is_complete };
    let withheld = LazyCell::new(|| withheld_files(&directory, &walk));
    // Only a file of several names can be another name of one that is withheld.
    let is_withheld = |path: &str, stat: &Stat| {
        stat.links > 1 && withheld_path(path).is_none() && is_one_of(stat, &withheld)
    };
    let mut folder = ("", None);
    for Walked { path, kind, .. } in &walk.found {
        if *kind != Kind::File || is_skill_file(path) {
            continue;
        }
        match resource(&directory, &mut folder, path) {
            Some((_, stat)) if is_withheld(path, &stat) => {}
            Some((resource, _)) if listing.resources.len() < most => {
                listing.resources.push(resource);
            }
            Some(_) => {
                listing.is_complete = false;
                break;
            }
            None => listing.is_complete = false,
        }
    }
    Ok(listing)
}

/// Reads a whole file of a package.
pub(crate) fn read(
    config: &FsConfig,
    package: &PackagePath,
    resource: &ResourcePath,
    limit: ReadLimit,
    stillness: &Stillness,
) -> Result<Vec<u8>, SourceError> {
    // A repository may be a package, and its `.git`, which may hold a password, is not part of it.
    if resource.as_str().split('/').any(|part| config.skips(part)) {
        return Err(not_part_of(package, resource));
    }
    let read = stillness.read(|attempt| match read_once(config, package, resource, limit) {
        Err(error) if error.kind == SourceErrorKind::Changing => Ok(None),
        // No skill is empty, and one that is will not stay so.
        Ok((bytes, _)) if attempt == 0 && bytes.is_empty() && is_skill_file(resource.as_str()) => {
            Ok(None)
        }
        read => read.map(|(bytes, stat)| Some(Content::of(bytes, &stat))),
    });
    let message = "the file was written to each time it was read";
    read?.ok_or_else(|| SourceError::new(SourceErrorKind::Changing, message))
}

fn read_once(
    config: &FsConfig,
    package: &PackagePath,
    resource: &ResourcePath,
    limit: ReadLimit,
) -> Result<(Vec<u8>, Stat), SourceError> {
    if config.opens_by_path() {
        // Paths hardly ever contain a link, and without one nothing leads out.
        let path = [package.as_str(), "/", resource.as_str()].concat();
        let path = path.trim_start_matches('/');
        let file = Dir::open_file_below(&config.root, path);
        match file.and_then(|file| content(&file, limit)) {
            // The other errors are determined below, and so is what has several names.
            Err(error) if error.kind() != ErrorKind::Changing => {}
            Ok((_, stat)) if stat.links > 1 => {}
            read => return read.map_err(|error| source_error(&error, package)),
        }
    }
    let directory = open(config, package)?;
    let mut file = directory.open_file(resource.as_str(), Links::Refuse);
    if file.as_ref().is_err_and(|error| error.kind() == ErrorKind::Link) {
        // A `SKILL.md` that is a link is read anywhere in its package, as by a scan.
        if !is_skill_file(resource.as_str()) {
            check_target(config, package, resource)?;
        }
        file = directory.open_file(resource.as_str(), Links::FollowInside);
    }
    let content = file.and_then(|file| content(&file, limit));
    let content = content.map_err(|error| source_error(&error, package))?;
    if content.1.links > 1 && withheld_path(resource.as_str()).is_none() {
        let walk = directory.walk(WalkBounds::default(), |_| true);
        let withheld = walk.map(|walk| withheld_files(&directory, &walk)).unwrap_or_default();
        if is_one_of(&content.1, &withheld) {
            return Err(withheld_behind(resource));
        }
    }
    Ok(content)
}

/// Returns the files of credentials that have several names.
fn withheld_files(directory: &Dir, walk: &Walk) -> Vec<Stat> {
    let paths = walk.found.iter().map(|walked| &*walked.path);
    let paths = paths.filter(|path| withheld_path(path) == Some(MAY_HOLD_CREDENTIALS));
    let stats = paths.filter_map(|path| directory.stat(path, Links::Refuse).ok());
    stats.filter(|stat| stat.links > 1).collect()
}

fn is_one_of(stat: &Stat, files: &[Stat]) -> bool {
    files.iter().any(|file| (file.device, file.inode) == (stat.device, stat.inode))
}

fn content(file: &File<'_>, limit: ReadLimit) -> Result<(Vec<u8>, Stat), Error> {
    Ok((file.read_whole(limit.0)?, *file.stat()))
}

fn open(config: &FsConfig, package: &PackagePath) -> Result<Dir, SourceError> {
    link::open_package(config, package.as_str()).map_err(|error| {
        let kind = kind_of(error.kind());
        let root = config.root.display();
        SourceError::new(kind, format!("the package `{package}` of `{root}`: {error}"))
    })
}

/// Refuses links to files that no listing of the package shows, and to those of credentials.
fn check_target(
    config: &FsConfig,
    package: &PackagePath,
    resource: &ResourcePath,
) -> Result<(), SourceError> {
    let directory = config.root.join(package.as_str());
    let real = (directory.join(resource.as_str()).canonicalize(), directory.canonicalize());
    let (Ok(file), Ok(directory)) = real else { return Ok(()) };
    let Ok(inside) = file.strip_prefix(directory) else { return Ok(()) };
    if inside.iter().any(|part| config.skips(part.as_encoded_bytes())) {
        return Err(not_part_of(package, resource));
    }
    let is_secret = withheld_path(&inside.to_string_lossy()) == Some(MAY_HOLD_CREDENTIALS);
    if is_secret { Err(withheld_behind(resource)) } else { Ok(()) }
}

fn withheld_behind(resource: &ResourcePath) -> SourceError {
    let message = format!("`{resource}` is a link to a file that {MAY_HOLD_CREDENTIALS}");
    SourceError::new(SourceErrorKind::Denied, message)
}

fn not_part_of(package: &PackagePath, resource: &ResourcePath) -> SourceError {
    let message = format!("`{resource}` is no part of the package `{package}`");
    SourceError::new(SourceErrorKind::NotFound, message)
}

fn is_skill_file(path: &str) -> bool {
    FILES.contains(&path)
}

/// Returns a listed file with its state; `None` if it was removed or its name is not a resource's
/// path. In the directory of the last one, `folder`, which most files share, one call returns the
/// size.
fn resource<'w>(
    directory: &Dir,
    folder: &mut (&'w str, Option<Dir>),
    path: &'w str,
) -> Option<(Resource, Stat)> {
    let checked = ResourcePath::new(path).ok()?;
    let stat = match path.rsplit_once('/') {
        // Only an open file has a mount to ask for.
        _ if directory.refusals().mounts => directory.stat(path, Links::Refuse).ok()?,
        None => directory.stat_unconfined(path).ok()?,
        Some((parent, name)) => {
            if folder.0 != parent {
                *folder = (parent, directory.open_dir(parent, Links::Refuse).ok());
            }
            folder.1.as_ref()?.stat_unconfined(name).ok()?
        }
    };
    (stat.kind == Kind::File).then_some((Resource { path: checked, bytes: stat.size }, stat))
}

pub(crate) fn source_error(error: &Error, package: &PackagePath) -> SourceError {
    let message = match package.as_str() {
        "" => error.to_string(),
        package => format!("{error} in the package `{package}`"),
    };
    SourceError::new(kind_of(error.kind()), message)
}

fn kind_of(kind: ErrorKind) -> SourceErrorKind {
    match kind {
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::Malformed => {
            SourceErrorKind::NotFound
        }
        // A package behind a link that is not followed is outside of this source.
        ErrorKind::Escape | ErrorKind::Link => SourceErrorKind::Escape,
        ErrorKind::NotRegular => SourceErrorKind::NotRegular,
        ErrorKind::Loop => SourceErrorKind::Loop,
        ErrorKind::TooLarge => SourceErrorKind::TooLarge,
        ErrorKind::MultipleLinks => SourceErrorKind::MultipleLinks,
        ErrorKind::OtherMount => SourceErrorKind::CrossDevice,
        ErrorKind::Changing => SourceErrorKind::Changing,
        ErrorKind::Replaced => SourceErrorKind::Replaced,
        ErrorKind::Denied => SourceErrorKind::Denied,
        _ => SourceErrorKind::Unavailable,
    }
}
