//! The trait for sources of skill packages, with its types.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    Cancel, Digest, FileMode, PackageDigest, PackagePath, PreviousScan, ResourcePath,
    SKILL_MD_FILES, ScanSink, ScanSummary,
};

/// The maximum number of files of a package whose digest is computed by reading each.
const MOST_FILES: usize = 20_000;

/// The maximum size of one file in such a package, in bytes.
const MOST_FILE_BYTES: usize = 64 * 1024 * 1024;

/// A source of skill packages, such as a directory. It returns bytes and never parses frontmatter.
///
/// # Behavior
///
/// - `scan` reports each package once, by a path in the normal form of [`PackagePath`], and reports
///   a diagnostic with a path for everything that prevented a package from being reported.
/// - The file of a package is its `SKILL.md`, or its `skill.md` if there is no `SKILL.md`.
/// - `scan` compares each package with [`PreviousScan::stamp`] and reports one whose stamp is still
///   the same as unchanged, without reading it. A package with a provisional stamp may be read once
///   more.
/// - A failure that leaves some packages readable is a diagnostic. A source returns an error only
///   if it cannot report any package.
/// - `read` and `list` never leave the package, whatever the path, the links in it or a race.
/// - `read` returns the whole file or an error, never a part of it.
/// - `list` is sorted, contains regular files only and states whether it is complete.
/// - `scan_packages` reports for the requested packages what `scan` would report. It may report
///   more, and returns what it covered.
/// - A watch reports each change that `scan` would find, possibly late and possibly more than once.
///   After the [`Watch`] is dropped, the listener is not called.
/// - Every method may be called from any thread at any time, and ends soon after `cancel`.
pub trait SkillSource: Send + Sync {
    /// Returns the name that users see as the record's source, such as `filesystem`.
    fn name(&self) -> &str;

    /// Returns the root that package paths are relative to: an absolute directory, or a URL without
    /// a trailing slash.
    fn root(&self) -> &str;

    /// Returns a key of the configuration on which scans depend, if stamps are comparable across
    /// runs of the program. Scans can then be cached on disk under this key.
    ///
    /// By default `None`: scans are not cached on disk.
    fn cache_key(&self) -> Option<String> {
        None
    }

    /// Returns how long the first catalog waits for this source, once all others but such ones have
    /// answered. Then it comes later, as one that the host does not wait for.
    ///
    /// By default `None`: as long as the host waits, unless a scan does not even look whether it is
    /// cancelled for five seconds, as on a mount that does not answer.
    fn patience(&self) -> Option<Duration> {
        None
    }

    /// Returns an identifier of a package's directory that is unique on this machine and does not
    /// depend on the path.
    ///
    /// By default `None`: the identity is unknown.
    fn identity(&self, package: &PackagePath) -> Option<String> {
        let _ = package;
        None
    }

    /// Returns whether a directory of another source is where this one places a package of the same
    /// id. By default, this source places nothing.
    fn places(&self, directory: &str) -> bool {
        let _ = directory;
        false
    }

    /// Returns a clause for models about a directory where this source places packages, or one in
    /// it, if its files are not those of the package of this id. It names no path but those.
    fn altered(&self, id: &str, directory: &str) -> Option<String> {
        let _ = (id, directory);
        None
    }

    /// Reports every package to `sink`, compared with the previous scan.
    ///
    /// # Errors
    ///
    /// Returns an error if nothing is known about any package. The registry then keeps the last
    /// successful scan.
    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError>;

    /// Reports only these packages to `sink`, if that is cheaper than a complete scan. A requested
    /// package that is not reported no longer exists.
    ///
    /// By default this scans everything.
    ///
    /// # Errors
    ///
    /// As [`Self::scan`].
    fn scan_packages(
        &self,
        packages: &[PackagePath],
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<Coverage, SourceError> {
        let _ = packages;
        self.scan(previous, sink, cancel).map(Coverage::Everything)
    }

    /// Notifies `listener` of changes until the [`Watch`] is dropped.
    ///
    /// By default returns `Ok(None)`: the source cannot be watched, and changes are found by
    /// scanning.
    ///
    /// # Errors
    ///
    /// Returns an error if the source supports watching, but it failed, for example because the
    /// system's limit of watches is reached.
    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        let _ = listener;
        Ok(None)
    }

    /// Lists the files of a package other than its `SKILL.md`, at most `most` of them.
    ///
    /// This has no default: an empty list would claim that no package has further files. A source
    /// of packages without further files returns a complete, empty [`Listing`]; a map of paths to
    /// contents is a [`MemorySource`](crate::MemorySource).
    ///
    /// # Errors
    ///
    /// Returns an error if the package no longer exists or cannot be listed.
    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError>;

    /// Reads a whole file of a package.
    ///
    /// # Errors
    ///
    /// Returns an error if the package has no such regular file, it is larger than `limit`, or it
    /// cannot be read.
    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError>;

    /// Returns the digest of all files of a package, in the format of
    /// [`PackageDigest`](crate::PackageDigest). It changes with each change of a file's path or
    /// content, and if the source knows them, with each change of a mode or a link.
    ///
    /// # Errors
    ///
    /// As for [`Self::package_contents`], of which this is the digest.
    fn package_digest(
        &self,
        package: &PackagePath,
        cancel: &Cancel,
    ) -> Result<Digest, SourceError> {
        Ok(self.package_contents(package, cancel)?.finish())
    }

    /// Returns the digests of all files of a package, from which that of the package is computed.
    ///
    /// By default this lists and reads every file.
    ///
    /// # Errors
    ///
    /// Returns an error if the package no longer exists, is too large, has a file that cannot be
    /// read or that is neither regular nor a link, or has a link that leads out of it.
    fn package_contents(
        &self,
        package: &PackagePath,
        cancel: &Cancel,
    ) -> Result<PackageDigest, SourceError> {
        let listing = self.list(package, MOST_FILES)?;
        if !listing.is_complete {
            let message = "the package has too many files for a digest, or some cannot be listed";
            return Err(SourceError::new(SourceErrorKind::TooLarge, message));
        }
        // The source does not report modes, so every file counts as a regular one.
        let mut digest = PackageDigest::default();
        for resource in &listing.resources {
            if cancel.is_cancelled() {
                return Err(SourceError::new(SourceErrorKind::Cancelled, "the call was cancelled"));
            }
            let bytes = self.read(package, &resource.path, ReadLimit(MOST_FILE_BYTES))?;
            digest.add(FileMode::Regular, resource.path.as_str(), Digest::of(&bytes));
        }
        // A listing has all files but these.
        for file in SKILL_MD_FILES {
            let Ok(path) = ResourcePath::new(file) else { continue };
            match self.read(package, &path, ReadLimit(MOST_FILE_BYTES)) {
                Ok(bytes) => digest.add(FileMode::Regular, file, Digest::of(&bytes)),
                Err(error) if error.kind == SourceErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(digest)
    }
}

/// The part of a source that [`SkillSource::scan_packages`] covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every package of the source: one that was not reported no longer exists.
    Everything(ScanSummary),
    /// The requested packages, and no other.
    Asked,
}

impl Coverage {
    /// Returns whether every package of the source was covered.
    pub fn is_everything(self) -> bool {
        matches!(self, Self::Everything(_))
    }
}

/// A change that a watch reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SourceChange {
    /// These packages may have been added, changed or removed.
    Packages(Vec<PackagePath>),
    /// Anything may have changed, for an unknown reason.
    Everything,
    /// The watch has failed for this reason. Later changes may be missed and have to be found by
    /// scanning.
    WatchLost(SourceError),
}

/// The callback of a watch. It runs on a thread of the source, must return quickly, and must
/// neither call the source nor block.
pub type ChangeListener = Arc<dyn Fn(SourceChange) + Send + Sync>;

/// An active watch, which ends when this is dropped.
pub struct Watch(
    #[expect(dead_code, reason = "it is held to be dropped")] Box<dyn Any + Send + Sync>,
);

impl Watch {
    /// Creates a watch that ends when `keeper` is dropped.
    pub fn new(keeper: impl Any + Send + Sync) -> Self {
        Self(Box::new(keeper))
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Watch")
    }
}

/// The maximum number of bytes that a read returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadLimit(pub usize);

/// By default, the maximum size of a `SKILL.md`.
impl Default for ReadLimit {
    fn default() -> Self {
        Self(prowess_format::MAX_FILE_BYTES)
    }
}

/// The files of a package other than its `SKILL.md`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// Sorted by path.
    pub resources: Vec<Resource>,
    /// Whether the list is complete; `false` if it was truncated by a limit.
    pub is_complete: bool,
}

/// One file of a package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Resource {
    /// The path relative to the package's directory.
    pub path: ResourcePath,
    /// The size in bytes.
    pub bytes: u64,
}

/// The error of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct SourceError {
    /// The kind, for programs.
    pub kind: SourceErrorKind,
    /// The message, for people.
    pub message: String,
}

prowess_text::declare_kinds! {
    /// The kinds of [`SourceError`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum SourceErrorKind {
        /// The path does not exist.
        NotFound = "resource-not-found",
        /// The path leads out of the package.
        Escape = "path-escape",
        /// The path is a directory, a FIFO, a socket or a device.
        NotRegular = "not-a-file",
        /// The symbolic links form a loop.
        Loop = "symlink-loop",
        /// The file is larger than the limit.
        TooLarge = "file-too-large",
        /// The operating system or the server denied access.
        Denied = "permission-denied",
        /// The file has several hard links, and the source does not read such files.
        MultipleLinks = "multiple-links",
        /// The file is on another mount than its package, and the source does not read across
        /// mounts.
        CrossDevice = "cross-device",
        /// The file was being written during each attempt to read it.
        Changing = "skill-changing",
        /// The files of the package are not those that were installed. The message says which, and
        /// what a person runs; it has no path outside of the package, and models are shown it.
        Changed = "package-changed",
        /// The folder to which the source is bound was replaced by another one.
        Replaced = "folder-replaced",
        /// The call was cancelled.
        Cancelled = "cancelled",
        /// The source could not be reached or read.
        Unavailable = "source-unavailable",
    }
}

impl SourceError {
    /// Creates an error of this kind.
    pub fn new(kind: SourceErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}
