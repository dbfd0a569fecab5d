//! Skills in a directory tree.
//!
//! ```
//! # use prowess_core::{Cancel, Diagnostic, Found, PreviousScan, ReadFurther, ScanSink, SkillSource};
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
//! Where the disk has to be waited for, some threads read ahead, and end with the scan. What is
//! reported, in which order and on which thread, does not depend on them.
//!
//! It never reads frontmatter: it ships text, and knows of a `SKILL.md` only what the file system
//! knows. Every open goes through `prowess-dir`, so no link and no race leads a read out of a
//! package. Whatever keeps a `SKILL.md` from being reported is told with one of [`codes`], and the
//! others are reported all the same.
//!
//! A watch tells of changes of a `SKILL.md` and of directories by the operating system's own word;
//! of a file system that has none to give, such as one over a network, it tells nothing. Nor does
//! it tell of the file that a `SKILL.md` that is a link leads to, of changes by another name of a
//! file that has several (hard links), of a link on the way to a package or to the root that is led
//! elsewhere, or of directories that are renamed more than two above the root or anywhere above a
//! root that is not there. Who has such places scans them from time to time.
#![forbid(unsafe_code)]

mod admission;
pub mod codes;
mod config;
mod discovery;
mod fast;
mod gitignore;
mod link;
mod named_packages;
mod package;
mod probe;
mod probe_request;
mod problem;
mod read;
mod report;
mod roots;
mod scan;
mod scan_bounds;
mod stamp;
mod stillness;
mod surroundings;
mod walk;
mod watch;
mod wrong_case;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use prowess_core::{
    Cancel, ChangeListener, Clock, Coverage, Listing, PackagePath, PreviousScan, ReadLimit,
    ResourcePath, ScanSink, ScanSummary, SkillSource, SourceError, Watch,
};

use fast::Fast;
use scan::Scanner;
use stillness::Stillness;

pub use config::{FsConfig, Links, Nested, PinnedFolder, SharedFiles};
pub use discovery::{ClientName, ClientNameError, Discovery, ProjectSearch, ProjectTrust};
pub use roots::{ORGANIZATION_LAYER, PROJECT_LAYER, SkillRoot, SkillRoots};
pub use scan_bounds::ScanBounds;
pub use surroundings::Surroundings;

/// A directory tree whose directories with a `SKILL.md` are packages.
///
/// The root is looked at anew by every call, so it may come and go.
pub struct FsSource {
    config: FsConfig,
    root: String,
    clock: Arc<dyn Clock>,
    stillness: Stillness,
    /// The state of the fast walk. Without it the plain walk finds the same, more slowly.
    fast: Option<Fast>,
}

impl FsSource {
    /// A source over the tree that `config` names. Nothing is opened yet.
    ///
    /// The clock tells which files changed so lately that the next change might not show in their
    /// times; they are read again by every scan.
    pub fn new(mut config: FsConfig, clock: Arc<dyn Clock>) -> Self {
        // Without a working directory a relative root stays as it is and is found missing.
        if let Ok(absolute) = std::path::absolute(&config.root) {
            config.root = without_last_slash(&absolute);
        }
        let root = config.root.to_string_lossy().into_owned();
        let pause = Arc::new(std::thread::sleep);
        let stillness = Stillness { clock: Arc::clone(&clock), pause };
        Self { config, root, clock, stillness, fast: Some(Fast::default()) }
    }

    /// Waits by `pause` where a file that is being written to is to be read again. By default the
    /// thread sleeps, a tenth of a second at a time and at most four times.
    #[must_use]
    pub fn with_pause(mut self, pause: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        self.stillness.pause = Arc::new(pause);
        self
    }

    /// What the source was made with; the root is absolute.
    pub fn config(&self) -> &FsConfig {
        &self.config
    }

    fn scanner(&self) -> Scanner<'_> {
        Scanner { config: &self.config, clock: &*self.clock, fast: self.fast.as_ref() }
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
        // Files keep their times and numbers, and whatever is configured decides what is found.
        Some(format!("{:?}", self.config))
    }

    fn identity(&self, package: &PackagePath) -> Option<String> {
        let directory = link::open_package(&self.config, package.as_str()).ok()?;
        let stat = directory.stat("", prowess_dir::Links::Refuse).ok()?;
        Some(format!("{}:{}", stat.device, stat.inode))
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        self.scanner().scan(previous, sink, cancel)
    }

    fn scan_packages(
        &self,
        packages: &[PackagePath],
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<Coverage, SourceError> {
        named_packages::scan_packages(self.scanner(), packages, previous, sink, cancel)
    }

    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        watch::watch(&self.config, listener).map(Some)
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        read::list(&self.config, package, most)
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        read::read(&self.config, package, resource, limit, &self.stillness)
    }
}
