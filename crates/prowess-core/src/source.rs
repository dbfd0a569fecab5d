//! The seam to wherever packages come from.

use std::any::Any;
use std::fmt;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::sync::Arc;

use prowess_format::Diagnostic;
use serde::Serialize;

use crate::{Cancel, PackagePath, ResourcePath};

/// A place that packages come from. It ships text and never reads frontmatter.
///
/// # Behavior
///
/// - `scan` reports each package once, by a path in the normal form of [`PackagePath`], and each
///   thing that kept a package from being reported as a diagnostic with its path.
/// - `scan` asks [`ScanSink::known`] first and reports a package whose stamp is still the same as
///   unchanged, without reading it. Where the stamp is provisional, it may read it once more.
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

    /// Reports every package to `sink`.
    ///
    /// # Errors
    ///
    /// Nothing can be said of any package; the registry then keeps the last good scan.
    fn scan(&self, sink: &mut dyn ScanSink, cancel: &Cancel) -> Result<(), SourceError>;

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
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<Coverage, SourceError> {
        let _ = packages;
        self.scan(sink, cancel).map(|()| Coverage::Everything)
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

/// What [`SkillSource::scan_packages`] looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every package of the source: what was not reported is gone.
    Everything,
    /// The packages that were asked for, and no other.
    Asked,
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

/// Takes what a scan finds, in any order. A source may call it from a thread of its own, as long as the
/// scan lasts.
pub trait ScanSink: Send {
    /// The stamp that the last scan gave for this package, where it may be relied on: a young one is not.
    fn known(&self, package: &str) -> Option<Stamp>;

    /// The package is as the last scan saw it.
    fn unchanged(&mut self, package: &str);

    /// The package has a `SKILL.md` that is new or changed. Asked to, the source reads further and
    /// calls again with more.
    fn found(&mut self, found: Found<'_>) -> ReadFurther;

    /// Calls `visit` with the packages that the last scan told of and with what [`Self::known`] says of each,
    /// mostly in the order in which they were told of, from that place on and until it breaks. A source that can
    /// tell that none came and none went need not find them again.
    ///
    /// By default there are none.
    fn each_known(
        &self,
        _start: usize,
        _visit: &mut dyn FnMut(&str, Option<Stamp>) -> ControlFlow<()>,
    ) {
    }

    /// The stamp that the last scan of all packages gave with [`Self::listed`], if it gave one.
    ///
    /// By default there is none.
    fn known_listing(&self) -> Option<Stamp> {
        None
    }

    /// There are the packages that this scan tells of and no others, in a version of their list that goes by
    /// this stamp. The next scan finds it as [`Self::known_listing`]; one of all packages that does not say
    /// so leaves the next without.
    ///
    /// By default nothing is kept.
    fn listed(&mut self, _stamp: Stamp) {}

    /// What lies in and below this directory could not be looked at, so that what the last scan found there
    /// may still be there. Its path is like a package's; an empty one is the root. It is no word for the
    /// user: that is the [`Self::problem`] that follows.
    ///
    /// By default what a scan does not tell of is gone.
    fn unseen(&mut self, _directory: &str) {}

    /// Whether each package that is found has to come with the size of its file. A source to which that is a
    /// further call for each leaves it out otherwise.
    ///
    /// By default it does not.
    fn needs_size(&self) -> bool {
        false
    }

    /// Something is wrong with a place.
    fn problem(&mut self, diagnostic: Diagnostic);
}

/// The `SKILL.md` of one package, as far as it was read.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The package's path in the normal form of [`PackagePath`].
    pub package: &'a str,
    /// The file's own name: `SKILL.md`, or `skill.md` where that is all there is.
    pub file: &'a str,
    /// What to compare with next time; `None` where nothing tells one version from another.
    pub stamp: Option<Stamp>,
    /// The size of the whole file in bytes, where the source knows it without a further call, or [`ScanSink::needs_size`].
    pub size: Option<u64>,
    /// The first bytes of the file; 2 KiB are enough for nearly every frontmatter.
    pub head: &'a [u8],
    /// Whether the file ends where `head` ends.
    pub is_whole_file: bool,
}

/// The sink's answer to a [`Found`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadFurther {
    /// The head was enough.
    No,
    /// Read at least this many bytes from the file's start, or all of it, and report again.
    UpTo(usize),
}

/// A source's word for "this version of the file". Equal stamps of one package mean equal bytes; a
/// source makes it of what it has, such as size, time and inode, or an entity tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp(pub NonZeroU64);

/// Three bits of a stamp are the same to every source. A source that has no use for them leaves them unset,
/// so that its stamps are equal or of different versions.
impl Stamp {
    /// Set if the stamp only says when the file was read, and not which version that was. A source gives
    /// such a stamp where a proper one would cost a further call for each file.
    pub const PROVISIONAL: u64 = 1 << 63;

    /// Set in a proper stamp that takes the place of a provisional one without a sign of a change.
    pub const SETTLING: u64 = 1 << 62;

    /// Set in a proper stamp of a file that changed so lately that it may change again without its stamp
    /// changing. Another stamp is of another version, and the same may be. In a provisional stamp the bit
    /// has no meaning.
    pub const YOUNG: u64 = 1 << 61;

    /// Whether the stamp only says when the file was read.
    pub fn is_provisional(self) -> bool {
        self.0.get() & Self::PROVISIONAL != 0
    }

    /// Whether the file may change without the stamp changing.
    pub fn is_young(self) -> bool {
        !self.is_provisional() && self.0.get() & Self::YOUNG != 0
    }

    /// Whether the file may still be the one that had this stamp `earlier`.
    pub fn may_be(self, earlier: Self) -> bool {
        let is_settling = self.0.get() & Self::SETTLING != 0;
        let version = |stamp: Self| stamp.0.get() & !(Self::SETTLING | Self::YOUNG);
        match (self.is_provisional(), earlier.is_provisional()) {
            (false, true) => is_settling,
            (true, false) => earlier.is_young(),
            (false, false) if self.is_young() || earlier.is_young() => {
                version(self) == version(earlier)
            }
            _ => self == earlier,
        }
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
