//! Skills in a directory tree.
//!
//! ```
//! # use prowess_core::{Cancel, Diagnostic, Found};
//! # use prowess_core::{PreviousScan, ReadFurther, ScanSink, SkillSource};
//! # let tree = prowess_testkit::Tree::new("//- /pdf/SKILL.md\n---\nname: pdf\n---\n");
//! # let clock = std::sync::Arc::new(prowess_testkit::ManualClock::default());
//! use prowess_source_fs::{FsConfig, FsSource};
//!
//! #[derive(Default)]
//! struct Names(Vec<String>);
//!
//! impl ScanSink for Names {
//!     fn unchanged(&mut self, _: &str) {}
//!     fn found(&mut self, found: Found<'_>) -> ReadFurther {
//!         self.0.push(found.package.to_owned());
//!         ReadFurther::No
//!     }
//!     fn problem(&mut self, diagnostic: Diagnostic) { eprintln!("{diagnostic}"); }
//! }
//!
//! let source = FsSource::new(FsConfig::new(tree.path()), clock);
//! let mut names = Names::default();
//! source.scan(&PreviousScan::none(), &mut names, &Cancel::default())?;
//! assert_eq!(names.0, ["pdf"]);
//! # Ok::<(), prowess_core::SourceError>(())
//! ```
//!
//! A scan walks the tree and opens `NAME/SKILL.md` of each directory in one step, relative to the
//! directory above: open, read 2 KiB, get the size of a longer file, and close sixteen files
//! together. A package's directory is not listed unless packages may lie inside packages
//! ([`Nested::Descend`]). The next scan gets the dates of each file, in one call, and reads again
//! what may have changed. A root in which there was nothing but packages is listed again once the
//! kernel dates a change of it.
//!
//! On a slow disk, some threads read ahead, and end with the scan. The reports, their order and
//! their thread do not depend on them.
//!
//! The source never reads frontmatter: it returns text, and of a `SKILL.md` only what the file
//! system stores about it. Every open goes through `prowess-dir`, so no link and no race leads a
//! read out of a package. A `SKILL.md` that cannot be reported is a diagnostic with one of
//! [`codes`], and the others are reported.
//!
//! A source that needs the trust of a folder reads from the very folder that the trust was checked
//! for, by its identity on the open handle, and never from whatever is at its path later.
//!
//! The plain walk is the reference; the faster one exists for the numbers of `cargo xtask bench`,
//! and property tests hold both equal.
//!
//! A watch, with the feature `watch`, reports changes of a `SKILL.md` and of directories, by the
//! notifications of the operating system. Some changes have no notification, and a tree with such
//! changes should be scanned regularly:
//!
//! - changes on a file system without notifications, such as one over a network;
//! - changes by another name of a file that has several (hard links);
//! - mounts;
//! - renames of directories more than two above the root, or anywhere above a missing root.
#![forbid(unsafe_code)]

mod admission;
mod client_name;
mod clients;
pub mod codes;
mod config;
mod discovery;
mod error;
mod fast;
mod further_place;
mod gitignore;
mod identities;
mod kept;
mod link;
mod named_packages;
mod package;
mod package_digest;
mod plugins;
mod probe;
mod probe_request;
mod problem;
mod read;
mod report;
mod roots;
mod scan;
mod scan_bounds;
mod stamp;
mod surroundings;
mod unread;
mod walk;
#[cfg(feature = "watch")]
mod watch;
mod way;
mod wrong_case;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

#[cfg(not(feature = "watch"))]
use prowess_core::SourceErrorKind;
use prowess_core::{
    Cancel, ChangeListener, Clock, Coverage, Listing, PackageDigest, PackagePath, PreviousScan,
    ReadLimit, ResourcePath, ScanSink, ScanSummary, SkillSource, SourceError, Watch,
};
use prowess_dir::{FileTime, Stillness};

use fast::Fast;
use identities::Identities;
use kept::Kept;
use package_digest::PackageDigests;
use scan::Scanner;

pub use client_name::ClientName;
pub use config::{FsConfig, Links, Nested, PinnedFolder, SharedFiles};
pub use discovery::{Discovery, ProjectSearch, ProjectTrust};
pub use error::{ClientNameError, FurtherPlaceError};
pub use further_place::{FurtherPlace, ProjectDirectory};
pub use prowess_core;
pub use roots::{
    ORGANIZATION_LAYER, OTHERS_LAYER, PROJECT_LAYER, SkillRoot, SkillRoots, named_skill,
};
pub use scan_bounds::ScanBounds;
pub use surroundings::Surroundings;
pub use unread::{DirectoryOfSkills, Setting, Unread};

/// A directory tree whose directories with a `SKILL.md` are packages.
///
/// Every call opens the root again, so it may appear and disappear.
pub struct FsSource {
    config: FsConfig,
    root: String,
    clock: Arc<dyn Clock>,
    stillness: Stillness,
    digests: PackageDigests,
    identities: Identities,
    /// What the last scan read and listed, if that is kept.
    kept: Option<Arc<Kept>>,
    /// The state of the fast walk. Without it the plain walk finds the same, more slowly.
    fast: Option<Fast>,
}

impl FsSource {
    /// Creates a source of the tree that `config` describes, without opening it.
    ///
    /// Files that changed so recently, by the clock, that a further change might not show in their
    /// times are read again by every scan.
    pub fn new(mut config: FsConfig, clock: Arc<dyn Clock>) -> Self {
        // Without a working directory a relative root stays relative, and is missing.
        if let Ok(absolute) = std::path::absolute(&config.root) {
            config.root = without_last_slash(&absolute);
        }
        let root = config.root.to_string_lossy().into_owned();
        let time = Arc::clone(&clock);
        let now = Arc::new(move || Duration::from_millis(time.now().0));
        let stillness = Stillness { still: config.still, now, ..Stillness::default() };
        let (digests, identities) = <(PackageDigests, Identities)>::default();
        let kept = config.keeps.then(Arc::default);
        Self {
            config,
            root,
            clock,
            stillness,
            digests,
            identities,
            kept,
            fast: Some(Fast::default()),
        }
    }

    /// Sets the function that waits before a file that is being written to is read again. By
    /// default the thread sleeps, for [`FsConfig::still`] at a time and at most four times.
    #[must_use]
    pub fn with_pause(mut self, pause: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        self.stillness.pause = Arc::new(pause);
        self
    }

    /// Counts changes before a time as ten seconds older. For tests, which cannot set the time of
    /// a change: files that changed just now are not relied on.
    #[doc(hidden)]
    #[must_use]
    pub fn with_old_changes(mut self, before: SystemTime) -> Self {
        let since = before.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
        if let Some(fast) = &mut self.fast {
            fast.old_before = FileTime { seconds, nanoseconds: since.subsec_nanos() };
        }
        self
    }

    /// Returns the configuration; the root is absolute.
    pub fn config(&self) -> &FsConfig {
        &self.config
    }

    fn scanner(&self) -> Scanner<'_> {
        Scanner {
            config: &self.config,
            clock: &*self.clock,
            stillness: &self.stillness,
            kept: self.kept.as_ref(),
            identities: &self.identities,
            fast: self.fast.as_ref(),
        }
    }
}

fn without_last_slash(path: &Path) -> PathBuf {
    path.components().collect()
}

impl std::fmt::Debug for FsSource {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut fields = formatter.debug_struct("FsSource");
        fields.field("config", &self.config).finish_non_exhaustive()
    }
}

impl SkillSource for FsSource {
    fn name(&self) -> &str {
        "filesystem"
    }

    fn root(&self) -> &str {
        &self.root
    }

    fn cache_key(&self) -> Option<String> {
        // Files keep their times and inodes, and the configuration decides which are found.
        Some(format!("{:?}", FsConfig { keeps: false, ..self.config.clone() }))
    }

    fn identity(&self, package: &PackagePath) -> Option<String> {
        self.identities.of(&self.config, package)
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        self.identities.forget();
        gitignore::check(&self.config)?;
        self.scanner().scan(previous, sink, cancel)
    }

    fn scan_packages(
        &self,
        packages: &[PackagePath],
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<Coverage, SourceError> {
        self.identities.forget();
        gitignore::check(&self.config)?;
        named_packages::scan_packages(self.scanner(), packages, previous, sink, cancel)
    }

    #[cfg(feature = "watch")]
    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        watch::watch(&self.config, self.kept.as_ref(), listener).map(Some)
    }

    #[cfg(not(feature = "watch"))]
    fn watch(&self, _: ChangeListener) -> Result<Option<Watch>, SourceError> {
        let message = "changes are reported only with the feature `watch` of `prowess-source-fs`, \
                       which this build lacks";
        Err(SourceError::new(SourceErrorKind::Unavailable, message))
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        read::list(&self.config, self.kept.as_deref(), package, most)
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        let path = admission::join(package.as_str(), resource.as_str());
        let kept = self.kept.as_ref().and_then(|kept| kept.take_text(&path, &self.stillness));
        match kept.filter(|text| text.len() <= limit.0) {
            Some(text) => Ok(text),
            None => read::read(&self.config, package, resource, limit, &self.stillness),
        }
    }

    fn package_contents(
        &self,
        package: &PackagePath,
        cancel: &Cancel,
    ) -> Result<PackageDigest, SourceError> {
        self.digests.compute(&self.config, package, cancel)
    }
}
