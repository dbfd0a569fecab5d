//! The digests of packages, in archives and on the disk.

use std::collections::BTreeMap;

use prowess_archive::{Archive, Limits};
use prowess_core::{Digest, FileMode, PackageDigest};
use prowess_dir::{Dir, Kind, Links, Walk, WalkBounds, Walked};

use crate::error::StoreError;

/// Returns the digest of the files of an archive, as [`PackageDigest`] defines it.
pub fn tree_digest(package: &Archive) -> Digest {
    digest_of(&file_digests(package))
}

/// Returns the digest of files.
pub(crate) fn digest_of(files: &FileStates) -> Digest {
    let mut digest = PackageDigest::default();
    for (path, (is_executable, content)) in files {
        digest.add(mode(*is_executable), path, *content);
    }
    digest.finish()
}

/// Whether each file is executable, and the digest of its content, by path.
pub(crate) type FileStates = BTreeMap<String, (bool, Digest)>;

/// Returns whether each file of an archive is executable, and the digest of its content, by path.
pub(crate) fn file_digests(package: &Archive) -> FileStates {
    let files = package.files().iter();
    files.map(|it| (it.path.clone(), (it.is_executable, Digest::of(&it.content)))).collect()
}

/// Returns the digest of the files below a directory; `None` if they cannot be those of an
/// archive.
pub(crate) fn stored_digest(directory: &Dir) -> Result<Option<Digest>, StoreError> {
    Ok(stored_digests(directory)?.map(|files| files.finish()))
}

/// Returns the digests of the files below a directory, as [`file_digests`] does.
pub(crate) fn stored_digests(directory: &Dir) -> Result<Option<PackageDigest>, StoreError> {
    let mut digest = PackageDigest::default();
    let is_package = each_file(directory, |path, is_executable, content| {
        digest.add(mode(is_executable), &path, content);
    })?;
    Ok(is_package.then_some(digest))
}

/// Returns the files below a directory, as [`file_digests`] does.
pub(crate) fn stored_files(directory: &Dir) -> Result<Option<FileStates>, StoreError> {
    let mut files = BTreeMap::new();
    let is_package = each_file(directory, |path, is_executable, content| {
        files.insert(path, (is_executable, content));
    })?;
    Ok(is_package.then_some(files))
}

/// Visits the files below a directory: the path, whether it is executable, and the digest of its
/// content. Returns `false` if they cannot be those of an archive.
fn each_file(
    directory: &Dir,
    mut visit: impl FnMut(String, bool, Digest),
) -> Result<bool, StoreError> {
    let Walk { found, is_complete, .. } = walk(directory)?;
    let mut content = Vec::new();
    for Walked { path, kind, .. } in found {
        if kind != Kind::File {
            return Ok(false);
        }
        let file = directory.open_file(&path, Links::Refuse)?;
        file.read_whole_into(&mut content, Limits::default().bytes)?;
        let is_executable = file.stat().is_executable;
        visit(path, is_executable, Digest::of(&content));
    }
    Ok(is_complete)
}

/// Returns the files below a directory with their contents, by path.
pub(crate) fn stored_contents(directory: &Dir) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
    let files = walk(directory)?.found.into_iter().filter(|walked| walked.kind == Kind::File);
    let content = |walked: Walked| {
        let content = directory.read(&walked.path, Limits::default().bytes)?;
        Ok((walked.path, content))
    };
    files.map(content).collect()
}

/// Lists the files of a stored package.
pub(crate) fn walk(directory: &Dir) -> Result<Walk, prowess_dir::Error> {
    let Limits { entries, depth, .. } = Limits::default();
    // Directories count too, and an archive need not have entries for them.
    directory.walk(WalkBounds { depth, entries: entries * depth }, |_| true)
}

fn mode(is_executable: bool) -> FileMode {
    if is_executable { FileMode::Executable } else { FileMode::Regular }
}
