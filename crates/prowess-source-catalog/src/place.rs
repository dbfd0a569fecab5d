//! Where a published catalog is: a directory, or a place that a remote reaches.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_core::{Cancel, Digest, Remote, RemoteArtifact, RemoteErrorKind};
use prowess_dir::{Dir, ErrorKind, Permissions, create_directories};

use crate::pointer::{MOST_BYTES, POINTER, file_path};
use crate::publish::other;
use crate::{CatalogFile, CatalogFileError, Pointer};

type Result<T> = std::result::Result<T, CatalogFileError>;

/// Where a published catalog is read from.
#[derive(Clone)]
pub struct CatalogPlace(Kind);

#[derive(Clone)]
enum Kind {
    Directory(PathBuf),
    Remote { remote: Arc<dyn Remote>, location: String, cache: PathBuf },
}

impl CatalogPlace {
    /// Creates the place of a directory, which may be on a network drive.
    pub fn directory(path: impl Into<PathBuf>) -> Self {
        Self(Kind::Directory(path.into()))
    }

    /// Creates a place below a location that a remote fetches from, such as
    /// `https://skills.example.com/team` or `s3://bucket/team`. The directory `cache`, which is for
    /// this place alone, keeps the catalog file, and the files of skills that were loaded under
    /// their digests. A host that starts without the network uses the last catalog there. The files
    /// of skills in it may be removed at any time.
    ///
    /// A catalog file is in memory while it is fetched.
    pub fn remote(remote: Arc<dyn Remote>, location: &str, cache: impl Into<PathBuf>) -> Self {
        let location = location.trim_end_matches('/').to_owned();
        Self(Kind::Remote { remote, location, cache: cache.into() })
    }

    /// Returns the newest pointer.
    pub(crate) fn pointer(&self, cancel: &Cancel) -> Result<Pointer> {
        let text = match &self.0 {
            Kind::Directory(path) => read(path, POINTER, MOST_BYTES)?,
            Kind::Remote { .. } => self.fetch(POINTER, MOST_BYTES, cancel)?,
        };
        Pointer::parse(&text)
    }

    /// Returns the pointer of the catalog that was used last, if the place keeps it.
    pub(crate) fn kept_pointer(&self) -> Option<Pointer> {
        let Kind::Remote { cache, .. } = &self.0 else { return None };
        Pointer::parse(&read(cache, POINTER, MOST_BYTES).ok()?).ok()
    }

    /// Keeps the pointer of a catalog that is used, and removes earlier catalog files.
    pub(crate) fn keep(&self, pointer: &Pointer) -> Result<()> {
        let Kind::Remote { cache, .. } = &self.0 else { return Ok(()) };
        if self.kept_pointer().as_ref() == Some(pointer) {
            return Ok(());
        }
        write(cache, POINTER, pointer.to_text().as_bytes())?;
        for entry in std::fs::read_dir(cache)? {
            let path = entry?.path();
            let is_catalog = path.extension().is_some_and(|extension| extension == "prowess");
            if is_catalog && path.file_name() != Some(pointer.file().as_ref()) {
                // Another process may have removed it.
                let _ = std::fs::remove_file(path);
            }
        }
        Ok(())
    }

    /// Opens the catalog file that a pointer names, and fetches it if necessary.
    pub(crate) fn open(&self, pointer: &Pointer, cancel: &Cancel) -> Result<CatalogFile> {
        let name = pointer.file();
        let opened = match &self.0 {
            Kind::Directory(path) => open_in(path, &name)?,
            Kind::Remote { cache, .. } => match open_in(cache, &name) {
                Ok(file) if file.digest() == pointer.digest => file,
                _ => {
                    let limit = usize::try_from(pointer.bytes).unwrap_or(usize::MAX);
                    write(cache, &name, &self.fetch(&name, limit, cancel)?)?;
                    open_in(cache, &name)?
                }
            },
        };
        if opened.digest() != pointer.digest || opened.bytes() != pointer.bytes {
            return Err(CatalogFileError::Damaged("it is not the one that the pointer names"));
        }
        Ok(opened)
    }

    /// Returns a file of a package, which is verified.
    pub(crate) fn file(&self, digest: &Digest, bytes: u64, cancel: &Cancel) -> Result<Vec<u8>> {
        let path = file_path(digest);
        let limit = usize::try_from(bytes).unwrap_or(usize::MAX);
        let is_it = |content: &Vec<u8>| Digest::of(content) == *digest;
        let content = match &self.0 {
            Kind::Directory(place) => read(place, &path, limit)?,
            Kind::Remote { cache, .. } => match read(cache, &path, limit).ok().filter(is_it) {
                Some(content) => return Ok(content),
                None => {
                    let content = self.fetch(&path, limit, cancel)?;
                    if is_it(&content) {
                        write(cache, &path, &content)?;
                    }
                    content
                }
            },
        };
        let changed = CatalogFileError::Damaged("the file of a skill is not what its digest says");
        if is_it(&content) { Ok(content) } else { Err(changed) }
    }

    fn fetch(&self, name: &str, limit: usize, cancel: &Cancel) -> Result<Vec<u8>> {
        let Kind::Remote { remote, location, .. } = &self.0 else {
            return Err(CatalogFileError::NotFound(name.to_owned()));
        };
        let artifact = RemoteArtifact::plain(format!("{location}/{name}"));
        remote.fetch(&artifact, limit, cancel).map_err(|error| match error.kind {
            RemoteErrorKind::NotFound => CatalogFileError::NotFound(artifact.location),
            RemoteErrorKind::Cancelled => CatalogFileError::Cancelled,
            _ => error.into(),
        })
    }
}

fn open_in(directory: &Path, name: &str) -> Result<CatalogFile> {
    let path = directory.join(name);
    CatalogFile::open(&path).map_err(|error| match error {
        CatalogFileError::Access(error) if error.kind() == std::io::ErrorKind::NotFound => {
            CatalogFileError::NotFound(path.display().to_string())
        }
        error => error,
    })
}

fn read(directory: &Path, path: &str, limit: usize) -> Result<Vec<u8>> {
    let read = Dir::open(directory).and_then(|directory| directory.read(path, limit));
    read.map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            CatalogFileError::NotFound(directory.join(path).display().to_string())
        }
        ErrorKind::TooLarge => CatalogFileError::Damaged("a file is larger than it says"),
        _ => other(error).into(),
    })
}

/// Writes a file of the cache, by one step.
fn write(cache: &Path, path: &str, content: &[u8]) -> Result<()> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folder = cache.join(folder);
    create_directories(&folder, 0o700)?;
    // Two programs may fetch the same file.
    let temporary = format!(".{}.tmp", std::process::id());
    let folder = Dir::open(&folder).map_err(other)?;
    Ok(folder.put_file(name, &temporary, content, Permissions::Private).map_err(other)?)
}
