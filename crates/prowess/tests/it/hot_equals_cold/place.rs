//! Two roots of different trust beside a directory that links lead to.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use prowess::registry::{OnBroken, Registry, RegistryPolicy};
use prowess::source_fs::{FsConfig, FsSource, Links, Nested};
use prowess::state::RecordCache;
use prowess::{Catalog, Clock, Layer, SkillSource, SystemClock, Timestamp, Trust};
use prowess_core::RecordSet;
use prowess_testkit::{Random, Tree, time_after_changes};

/// The roots that skills lie in, and the place outside of them.
pub(super) const ROOTS: [&str; 2] = ["user", "project"];
pub(super) const OUTSIDE: &str = "outside";

/// The files that the edits change.
pub(super) struct Place {
    tree: Tree,
    clock: Arc<Watchmaker>,
    /// Changes before this count as older than they are.
    old_before: SystemTime,
}

/// The real time, or one long after the files were written. By the first each file has just changed
/// and is read again; by the second its stamp is believed.
#[derive(Default)]
struct Watchmaker {
    real: SystemClock,
    is_late: AtomicBool,
}

impl Clock for Watchmaker {
    fn now(&self) -> Timestamp {
        const LATER: Timestamp = Timestamp(32_503_680_000_000);
        if self.is_late.load(Ordering::Relaxed) { LATER } else { self.real.now() }
    }

    fn elapsed(&self) -> Duration {
        self.real.elapsed()
    }
}

impl Place {
    pub(super) fn new() -> Self {
        let (tree, old_before) = (Tree::new(""), SystemTime::UNIX_EPOCH);
        let place = Self { tree, clock: Arc::default(), old_before };
        for directory in ROOTS.into_iter().chain([OUTSIDE]) {
            fs::create_dir(place.path(directory)).expect("a fresh tree has room");
        }
        place
    }

    /// Counts the changes so far as old ones, whose times the sources created from now on trust.
    pub(super) fn count_changes_as_old(&mut self) {
        self.old_before = time_after_changes(self.tree.path());
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.tree.join(path)
    }

    /// A registry that knows nothing yet: a trusted root as a user has it, and above it a tree of
    /// somebody else's, where packages lie inside packages and links stay inside.
    pub(super) fn registry(&self) -> Registry {
        self.registry_that_recalls(|_| None)
    }

    /// One of the next start of a program, which knows what an earlier one kept of this catalog.
    pub(super) fn registry_after(&self, catalog: &Catalog) -> Registry {
        self.registry_that_recalls(|source| {
            let mut sources = catalog.sources().iter();
            let kept = sources.find(|kept| kept.source.root() == source.root())?;
            let cache = RecordCache::new(self.path("cache"), "this build");
            cache.save(source.root(), &kept.records).expect("it can be written");
            let loaded = cache.load(source.root()).expect("it can be read");
            Some(Arc::new(loaded.expect("it was saved")))
        })
    }

    fn registry_that_recalls(
        &self,
        earlier: impl Fn(&dyn SkillSource) -> Option<Arc<RecordSet>>,
    ) -> Registry {
        let [user, project] = ROOTS.map(|root| FsConfig::new(self.path(root)));
        let project = FsConfig { links: Links::WithinRoot, nested: Nested::Descend, ..project };
        let source = |config| {
            let source = FsSource::new(config, self.clock.clone());
            Arc::new(source.with_old_changes(self.old_before))
        };
        // One that was seen before it broke is known to the hot catalog alone, so none is kept.
        let policy = RegistryPolicy { on_broken: OnBroken::Drop, ..RegistryPolicy::default() };
        Registry::builder()
            .policy(policy)
            .layer(Layer::new("user", Trust::Trusted))
            .layer(Layer::new("project", Trust::Untrusted))
            .source("user", source(user))
            .source("project", source(project))
            .restore(earlier)
            .build()
            .expect("the layers are good")
    }

    pub(super) fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    /// Chooses the time of the next scans.
    pub(super) fn choose_clock(&self, random: &mut Random) {
        self.clock.is_late.store(random.below(3) > 0, Ordering::Relaxed);
    }

    /// Waits until the file system's own clock has gone on, if the last scan believed what was
    /// written just before it: only then does the next change show in a file's times, as it would in
    /// the real life of files that are two seconds old.
    pub(super) fn wait_until_stable(&self) {
        if self.clock.is_late.load(Ordering::Relaxed) {
            time_after_changes(self.tree.path());
        }
    }
}
