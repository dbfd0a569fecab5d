//! A package in a directory, whose files change all at once or not at all.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use prowess_archive::{Archive, File as ArchiveFile};
use prowess_core::{Catalog, Digest, FileMode, PackageDigest, PackageFile, PackageFiles};
use prowess_dir::{
    Dir, ErrorKind, FileTime, Identity, Kind, Links, PACKAGES_OF_OTHERS, REPOSITORY, ScratchDir,
    WalkBounds, Walked,
};
use prowess_text::quoted;

use crate::error::{changed, unreadable, unwritten};
use crate::{PackageBase, ReviewError};

/// The directory next to packages in which the next state of one is written. Sources never look
/// into a directory of this name.
const STAGED: &str = ".prowess-staged";

/// The start of the names in it.
const SCRATCH: &str = "package-";

/// The maximum number of files of a package that changes.
const MOST_FILES: usize = 2_000;

/// The maximum size of its files together, in bytes.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// The limits of what else may be in its directory, such as a repository.
const OTHERS: WalkBounds = WalkBounds { depth: 64, entries: 1_000_000 };

/// A skill's package in a directory of this machine.
#[derive(Clone, Debug)]
pub struct SkillPackage {
    parent: PathBuf,
    name: String,
}

/// The files of a package, and what else is in its directory.
pub(crate) struct Found {
    pub(crate) files: PackageFiles,
    /// The entries that are no files, such as links.
    foreign: Vec<String>,
}

impl Found {
    /// Returns why the files can never become these: a file system or the store of versions cannot
    /// have them, or something else is in their place.
    pub(crate) fn refusal(&self, after: &PackageFiles) -> Option<String> {
        if after.len() > MOST_FILES {
            return Some(format!("the skill would have more than {MOST_FILES} files"));
        }
        for (files, next) in [(&self.files, "; rename that file first"), (after, "")] {
            let file = |(path, file): (&String, &PackageFile)| {
                ArchiveFile::new(path.clone(), file.content.clone())
            };
            if let Err(refusal) = Archive::new(files.iter().map(file).collect()) {
                return Some(format!("the files of the skill cannot be kept: {refusal}{next}"));
            }
        }
        let is_at = |path: &str, above: &str| Path::new(path).starts_with(above);
        let is_taken =
            |path: &&String| self.foreign.iter().any(|it| is_at(path, it) || is_at(it, path));
        let taken = quoted(after.keys().find(is_taken)?);
        Some(format!("{taken} is the place of a link, which would be lost"))
    }
}

/// Returns whether a directory of this name has no files of the package that it is in.
fn is_of_others(name: &str) -> bool {
    name == REPOSITORY || name == PACKAGES_OF_OTHERS
}

/// Returns what is in the directory of a package besides its files, with the inode of each: links,
/// and what others keep there, such as a repository.
fn others(directory: &Dir, files: &PackageFiles) -> Result<BTreeMap<String, u64>, ReviewError> {
    let walk = directory.walk(OTHERS, |_| true)?;
    if !walk.is_complete {
        return Err(unwritten("what else is in its directory cannot be listed"));
    }
    let others = walk.found.into_iter().filter(|it| !files.contains_key(&it.path));
    Ok(others.map(|Walked { path, inode, .. }| (path, inode)).collect())
}

impl SkillPackage {
    /// Creates the value for the directory of a package, which need not exist: it has no files
    /// then.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory has no name of its own.
    pub fn new(directory: &Path) -> Result<Self, ReviewError> {
        let directory = canonical(directory).map_err(|error| unreadable(&error.to_string()))?;
        let name = directory.file_name().and_then(|name| name.to_str());
        match (directory.parent(), name) {
            (Some(parent), Some(name)) => {
                Ok(Self { parent: parent.to_owned(), name: name.to_owned() })
            }
            _ => Err(unreadable("its directory has no name")),
        }
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> PathBuf {
        self.parent.join(&self.name)
    }

    /// Reads all files of the package. Links are left out.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read, or there are too many.
    pub fn files(&self) -> Result<PackageFiles, ReviewError> {
        Ok(self.read()?.files)
    }

    pub(crate) fn read(&self) -> Result<Found, ReviewError> {
        self.found(&self.path())
    }

    /// Returns what identifies the package, with the digest of its files.
    pub(crate) fn base(&self, files: &PackageFiles) -> Result<PackageBase, ReviewError> {
        let Identity { device, inode, created } = Dir::open(&self.parent)?.identity()?;
        // Devices may be renumbered when the machine starts.
        let parent = match created {
            Some(FileTime { seconds, nanoseconds }) => format!("{inode}-{seconds}.{nanoseconds}"),
            None => format!("{inode}-{device}"),
        };
        let path = self.path().to_string_lossy().into_owned();
        Ok(PackageBase { path, parent, digest: package_digest(files) })
    }

    fn found(&self, directory: &Path) -> Result<Found, ReviewError> {
        let directory = match Dir::open(directory) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Found { files: PackageFiles::new(), foreign: Vec::new() });
            }
            opened => opened?,
        };
        let bounds = WalkBounds { entries: MOST_FILES, ..WalkBounds::default() };
        let walk = directory.walk(bounds, |name| !is_of_others(name))?;
        if !walk.is_complete {
            return Err(unreadable("it has too many files, or some cannot be listed"));
        }
        let mut found = Found { files: PackageFiles::new(), foreign: Vec::new() };
        let mut left = MOST_BYTES;
        for Walked { path, kind, .. } in walk.found {
            if kind != Kind::File {
                found.foreign.push(path);
                continue;
            }
            let file = directory.open_file(&path, Links::Refuse)?;
            let is_executable = file.stat().is_executable;
            let content = file.read_whole(left)?;
            left -= content.len();
            found.files.insert(path, PackageFile { content, is_executable });
        }
        Ok(found)
    }

    /// Replaces the files by others: all of them, or none. Another program that changes a file
    /// meanwhile wins, and so does a process that is killed: the directory then has the old files
    /// or the new ones.
    ///
    /// # Errors
    ///
    /// Returns an error if the files are not `before` any more, or cannot be written.
    pub fn replace(&self, before: &PackageFiles, after: &PackageFiles) -> Result<(), ReviewError> {
        if !self.path().exists() {
            let created = prowess_dir::create_directories(&self.parent, 0o777);
            created.map_err(|error| unwritten(&error.to_string()))?;
        }
        // Ends with the handle. It excludes other programs of prowess, and no editor.
        let _lock = File::open(&self.parent)
            .and_then(|parent| parent.lock().map(|()| parent))
            .map_err(|error| unwritten(&error.to_string()))?;
        self.sweep();
        let found = self.read()?;
        if found.files != *before {
            return Err(changed());
        }
        if before == after {
            return Ok(());
        }
        match only_changed(before, after) {
            Some((path, old, new)) => {
                let directory = Dir::open(self.path())?;
                directory.replace_own_file(path, Links::Refuse, old, new)?;
                Ok(())
            }
            None => self.exchange(before, after),
        }
    }

    /// Removes what programs that were killed have left next to the package.
    pub(crate) fn sweep(&self) {
        let staged = self.parent.join(STAGED);
        prowess_dir::sweep(&staged, SCRATCH);
        // Another program may use it.
        let _ = std::fs::remove_dir(&staged);
    }

    /// Writes the new package next to the old one, and exchanges the two in one step. What is in
    /// both keeps its owner and its rights, and what is no file of the package is in both.
    fn exchange(&self, before: &PackageFiles, after: &PackageFiles) -> Result<(), ReviewError> {
        let failed = |error: std::io::Error| unwritten(&error.to_string());
        let staged = self.parent.join(STAGED);
        prowess_dir::create_directories(&staged, 0o700).map_err(failed)?;
        let scratch = ScratchDir::create(&staged, SCRATCH).map_err(failed)?;
        let place = Dir::open(scratch.path())?;
        let parent = Dir::open(&self.parent)?;
        let model = match parent.open_dir(&self.name, Links::Refuse) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            opened => Some(opened?),
        };
        let files = after.iter().map(|(path, file)| (&**path, &*file.content, file.is_executable));
        let new = place.create_dir(&self.name)?;
        let Some(model) = model else {
            new.write_files(files, None)?;
            place.sync()?;
            place.move_into(&self.name, &parent, &self.name)?;
            return Ok(parent.sync()?);
        };
        let kept = others(&model, before)?;
        new.link_entries(kept.keys().map(String::as_str), &model)?;
        new.write_files(files, Some(&model))?;
        place.sync()?;
        parent.exchange(&self.name, &place, &self.name)?;
        // An editor may have saved a file since it was read, or git an object: that is newer.
        let is_same = self.found(&scratch.path().join(&self.name));
        let is_same = is_same.is_ok_and(|found| found.files == *before);
        let others = [others(&model, before), others(&new, after)];
        if !is_same || !matches!(&others, [Ok(old), Ok(new)] if old == new) {
            parent.exchange(&self.name, &place, &self.name)?;
            return Err(changed());
        }
        parent.sync()?;
        drop(scratch);
        self.sweep();
        Ok(())
    }
}

/// Returns a path without links, of which the last parts need not exist.
fn canonical(path: &Path) -> std::io::Result<PathBuf> {
    match (path.canonicalize(), path.parent().zip(path.file_name())) {
        (Err(error), Some((parent, name))) if error.kind() == std::io::ErrorKind::NotFound => {
            Ok(canonical(parent)?.join(name))
        }
        (found, _) => found,
    }
}

/// Returns the path and the contents of the only file that differs, if it exists before and after.
fn only_changed<'f>(
    before: &'f PackageFiles,
    after: &'f PackageFiles,
) -> Option<(&'f str, &'f [u8], &'f [u8])> {
    let is_same_set = before.len() == after.len()
        && before
            .iter()
            .zip(after)
            .all(|((old, was), (new, is))| old == new && was.is_executable == is.is_executable);
    let mut changed = before.iter().filter(|(path, file)| after.get(*path) != Some(file));
    let (path, old) = changed.next().filter(|_| is_same_set)?;
    changed.next().is_none().then(|| (&**path, &*old.content, &*after[path].content))
}

impl PackageBase {
    /// Returns whether both are one package, which may be at another path or have other files now.
    pub(crate) fn is_of(&self, other: &Self) -> bool {
        let name = |base: &Self| Path::new(&base.path).file_name().map(ToOwned::to_owned);
        self.path == other.path || (self.parent == other.parent && name(self) == name(other))
    }
}

/// Returns the digest of a package with these files, as an approval and a lock file have it.
pub fn package_digest(files: &PackageFiles) -> Digest {
    let mut digest = PackageDigest::default();
    for (path, file) in files {
        let mode = if file.is_executable { FileMode::Executable } else { FileMode::Regular };
        digest.add(mode, path, Digest::of(&file.content));
    }
    digest.finish()
}

/// Returns why a directory is changed elsewhere, if a lock file has placed it: the next update
/// would take the change back.
pub(crate) fn refuse_copy(catalog: &Catalog, directory: &str) -> Result<(), String> {
    if catalog.sources().iter().any(|it| it.source.places(directory)) {
        return Err(
            "the skill is installed, and its source has the files to change; tell the user \
                    what should change there"
                .to_owned(),
        );
    }
    Ok(())
}
