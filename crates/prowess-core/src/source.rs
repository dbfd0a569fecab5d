//! The seam to wherever packages come from.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::{Cancel, PackagePath, PreviousScan, ResourcePath, ScanSink, ScanSummary};

/// A place that packages come from. It ships text and never reads frontmatter.
///
/// # Behavior
///
/// - `scan` reports each package once, by a path in the normal form of [`PackagePath`], and each
///   thing that kept a package from being reported as a diagnostic with its path.
/// - `scan` compares each package with [`PreviousScan::stamp`] and reports one whose stamp is still the
///   same as unchanged, without reading it. A package with a provisional stamp may be read once more.
/// - A failure that leaves some packages readable is a diagnostic; only a source that can say nothing
///   at all gives an error.
/// - `read` and `list` never leave the package, whatever the path, the links in it or a race.
/// - `read` gives the whole file or an error, never a part of it.
/// - `list` is sorted, holds regular files only and says when it is not complete.
/// - `scan_packages` reports of the packages that it is asked for what `scan` would report; it may
///   report more, and says what it has covered.
/// - A watch tells of each change that `scan` would see, sooner or later and perhaps more often than
///   it happened; once the [`Watch`] is dropped, the listener is not called any more.
/// - Every method may be called from any thread at any time, and ends soon after `cancel`.
pub trait SkillSource: Send + Sync {
    /// What a user sees as the record's source, such as `filesystem`.
    fn name(&self) -> &str;

    /// Where the packages' paths begin: an absolute directory, or a URL without a last slash.
    fn root(&self) -> &str;

    /// What a scan's outcome depends on beside the packages themselves, if the stamps mean the same in
    /// another run of the program: then what was found may be kept and handed to the next run.
    ///
    /// By default `None`: what was found ends with the program.
    fn cache_key(&self) -> Option<String> {
        None
    }

    /// What tells a package's directory from every other of the machine, whichever way a source comes to it.
    ///
    /// By default nobody can tell.
    fn identity(&self, package: &PackagePath) -> Option<String> {
        let _ = package;
        None
    }

    /// Reports every package to `sink`, compared with what the previous scan found.
    ///
    /// # Errors
    ///
    /// Nothing is known about any package; the registry then keeps the last good scan.
    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError>;

    /// Reports these packages alone to `sink`, where the source can do that for less than a scan. A
    /// package that was asked for and is not reported is gone.
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

    /// Tells `listener` of changes until the [`Watch`] is dropped.
    ///
    /// By default there is nothing to tell: `Ok(None)`, and who wants to know has to scan.
    ///
    /// # Errors
    ///
    /// The source could be watched, but not here and now, as where the system has no watches left.
    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        let _ = listener;
        Ok(None)
    }

    /// Names the files of a package other than its `SKILL.md`, at most `most` of them.
    ///
    /// # Errors
    ///
    /// The package is gone or cannot be listed.
    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError>;

    /// Reads a file of a package whole.
    ///
    /// # Errors
    ///
    /// There is no such regular file in the package, it is larger than `limit`, or it cannot be read.
    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError>;
}

/// The part of a source that [`SkillSource::scan_packages`] looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every package of the source: one that was not reported is gone.
    Everything(ScanSummary),
    /// The requested packages, and no other.
    Asked,
}

impl Coverage {
    /// Returns whether every package of the source was looked at.
    pub fn is_everything(self) -> bool {
        matches!(self, Self::Everything(_))
    }
}

/// What a watch has to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceChange {
    /// These packages may have been added, changed or removed.
    Packages(Vec<PackagePath>),
    /// Anything may have changed; the reason is not known or not of use.
    Everything,
    /// From now on changes may be missed, for this reason; who wants to know has to scan.
    Lost(SourceError),
}

/// Hears of changes, on a thread of the source's. It takes note and returns: it never calls the source
/// and never waits.
pub type ChangeListener = Arc<dyn Fn(SourceChange) + Send + Sync>;

/// A watch that is kept up; dropping it ends it.
pub struct Watch(
    #[expect(dead_code, reason = "it is held to be dropped")] Box<dyn Any + Send + Sync>,
);

impl Watch {
    /// A watch that ends when `keeper` is dropped.
    pub fn new(keeper: impl Any + Send + Sync) -> Self {
        Self(Box::new(keeper))
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Watch")
    }
}

/// The most bytes that a read may give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadLimit(pub usize);

/// By default as large as a `SKILL.md` may be.
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
    /// Whether these are all; false where a bound bit.
    pub is_complete: bool,
}

/// One file of a package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Resource {
    /// Its path from the package's directory.
    pub path: ResourcePath,
    /// Its size in bytes.
    pub bytes: u64,
}

/// Why a source could not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    /// What to branch on.
    pub kind: SourceErrorKind,
    /// A sentence that names the thing.
    pub message: String,
}

/// The kinds of [`SourceError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SourceErrorKind {
    /// There is nothing at that path.
    NotFound,
    /// The path leads out of the package.
    Escape,
    /// It is a directory, a FIFO, a socket or a device.
    NotRegular,
    /// Its links lead round in a circle.
    Loop,
    /// It is larger than the limit.
    TooLarge,
    /// The operating system or the server refuses.
    Denied,
    /// It has several names (hard links), and the source does not read such files.
    MultipleLinks,
    /// It lies on another mount than its package, and the source does not read across mounts.
    CrossDevice,
    /// It was being written to, each time it was read.
    Changing,
    /// The folder that the source is bound to was replaced by another.
    Replaced,
    /// The call was cancelled.
    Cancelled,
    /// It could not be reached or read.
    Unavailable,
}

impl SourceErrorKind {
    /// The code that a diagnostic or a tool result carries.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "resource-not-found",
            Self::Escape => "path-escape",
            Self::NotRegular => "not-a-file",
            Self::Loop => "symlink-loop",
            Self::TooLarge => "file-too-large",
            Self::Denied => "permission-denied",
            Self::MultipleLinks => "multiple-links",
            Self::CrossDevice => "cross-device",
            Self::Changing => "skill-changing",
            Self::Replaced => "folder-replaced",
            Self::Cancelled => "cancelled",
            Self::Unavailable => "source-unavailable",
        }
    }
}

impl SourceError {
    /// An error of this kind.
    pub fn new(kind: SourceErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for SourceError {}
