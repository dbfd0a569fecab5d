//! Where a published catalog is: a directory, or a place that a remote reaches.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use prowess_core::{Cancel, Digest, Remote};

use crate::directory::{open_in, read};
use crate::error::{OTHER_CONTENT, OTHER_FILE};
use crate::pointer::{MOST_BYTES, POINTER, file_path};
use crate::remote_place::RemotePlace;
use crate::writer::MOST_FILE_BYTES;
use crate::{CatalogFile, CatalogFileError, Pointer};

type Result<T> = std::result::Result<T, CatalogFileError>;

/// Where a published catalog is read from.
#[derive(Clone)]
pub struct CatalogPlace(Kind);

#[derive(Clone)]
enum Kind {
    Directory(PathBuf),
    Remote(Arc<RemotePlace>),
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
    pub fn remote(remote: Arc<dyn Remote>, location: &str, cache: impl Into<PathBuf>) -> Self {
        Self(Kind::Remote(Arc::new(RemotePlace::new(remote, location, cache.into()))))
    }

    pub(crate) fn is_remote(&self) -> bool {
        self.patience().is_some()
    }

    pub(crate) fn patience(&self) -> Option<Duration> {
        match &self.0 {
            Kind::Directory(_) => None,
            Kind::Remote(place) => Some(place.patience()),
        }
    }

    /// Returns the location of the pointer, for findings.
    pub(crate) fn pointer_location(&self) -> String {
        match &self.0 {
            Kind::Directory(path) => path.join(POINTER).display().to_string(),
            Kind::Remote(place) => place.location_of(POINTER),
        }
    }

    /// Returns the newest pointer.
    pub(crate) fn pointer(&self, cancel: &Cancel) -> Result<Pointer> {
        match &self.0 {
            Kind::Directory(path) => Pointer::parse(&read(path, POINTER, MOST_BYTES)?),
            Kind::Remote(place) => place.pointer(cancel),
        }
    }

    /// Returns the pointer of the catalog that was used last, if the place keeps it.
    pub(crate) fn kept_pointer(&self) -> Option<Pointer> {
        match &self.0 {
            Kind::Directory(_) => None,
            Kind::Remote(place) => place.kept_pointer(),
        }
    }

    /// Keeps the pointer of a catalog that is used, and removes earlier catalog files.
    pub(crate) fn keep(&self, pointer: &Pointer) -> Result<()> {
        match &self.0 {
            Kind::Directory(_) => Ok(()),
            Kind::Remote(place) => place.keep(pointer),
        }
    }

    /// Opens the catalog file that a pointer names, and fetches it if necessary.
    pub(crate) fn open(&self, pointer: &Pointer, cancel: &Cancel) -> Result<CatalogFile> {
        let opened = match &self.0 {
            Kind::Directory(path) => open_in(path, &pointer.file())?,
            Kind::Remote(place) => place.open(pointer, cancel)?,
        };
        if !pointer.names(&opened) {
            return Err(OTHER_FILE);
        }
        Ok(opened)
    }

    /// Returns a file of a package, which is verified.
    pub(crate) fn file(&self, digest: &Digest, bytes: u64, cancel: &Cancel) -> Result<Vec<u8>> {
        let path = file_path(digest);
        let limit = usize::try_from(bytes).unwrap_or(usize::MAX);
        if limit > MOST_FILE_BYTES {
            return Err(CatalogFileError::Damaged("a file is larger than any that is published"));
        }
        let is_it = |content: &Vec<u8>| Digest::of(content) == *digest;
        let content = match &self.0 {
            Kind::Directory(place) => read(place, &path, limit)?,
            Kind::Remote(place) => return place.file(&path, limit, &is_it, cancel),
        };
        if is_it(&content) { Ok(content) } else { Err(OTHER_CONTENT) }
    }
}
