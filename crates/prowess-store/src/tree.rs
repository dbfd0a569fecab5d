//! The digests of packages, in archives and on the disk.

use prowess_archive::{Archive, Limits};
use prowess_core::{Digest, FileMode, PackageDigest};
use prowess_dir::{Dir, Kind, Links, Walk, WalkBounds};

use crate::error::StoreError;

/// Returns the digest of the files of an archive, as [`PackageDigest`] defines it.
pub fn tree_digest(package: &Archive) -> Digest {
    let mut digest = PackageDigest::default();
    for file in package.files() {
        digest.add(mode(file.is_executable), &file.path, Digest::of(&file.content));
    }
    digest.finish()
}

/// Returns the digest of the files below a directory; `None` if they cannot be those of an
/// archive.
pub(crate) fn stored_digest(directory: &Dir) -> Result<Option<Digest>, StoreError> {
    let Walk { found, is_complete } = walk(directory)?;
    let limit = Limits::default().bytes;
    let mut digest = PackageDigest::default();
    for walked in &found {
        if walked.kind != Kind::File {
            return Ok(None);
        }
        let file = directory.open_file(&walked.path, Links::Refuse)?;
        let content = file.read_whole(limit)?;
        digest.add(mode(file.stat().is_executable), &walked.path, Digest::of(&content));
    }
    Ok(is_complete.then(|| digest.finish()))
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
