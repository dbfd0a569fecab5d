//! Concurrent readers while the catalog is swapped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak, mpsc};
use std::thread;

use prowess_core::{
    Cancel, Catalog, CatalogProvider, PreviousScan, Ranked, Ranker, ScanSink, ScanSummary,
    SkillSource, SourceError, Trust,
};
use prowess_registry::Registry;
use prowess_testkit::{OverriddenSource, SourceOverrides, VersionedSource};

use crate::fixture::{Changing, registry, skill_md, user};

const READERS: usize = 8;

/// The number of swaps, unless `PROWESS_TEST_SWAPS` says otherwise.
const SWAPS: u64 = 500;

#[test]
fn readers_see_consistent_catalogs() {
    let swaps = std::env::var("PROWESS_TEST_SWAPS");
    let swaps = swaps.map_or(SWAPS, |swaps| swaps.parse().expect("a number"));
    let registry = registry(vec![("user", Trust::Trusted, Arc::new(VersionedSource::default()))]);
    registry.reload();
    let is_over = AtomicBool::new(false);
    let read_until_over = || {
        let (mut reads, mut last) = (0_u64, 0);
        while !is_over.load(Ordering::Acquire) {
            let catalog = registry.catalog();
            VersionedSource::check(&catalog);
            assert!(catalog.generation() >= last, "generations never decrease");
            last = catalog.generation();
            reads += 1;
            // Lets the writer run on a machine with few cores.
            thread::yield_now();
        }
        reads
    };
    thread::scope(|scope| {
        let readers = [(); READERS].map(|()| scope.spawn(read_until_over));
        for _ in 1..swaps {
            registry.reload();
        }
        is_over.store(true, Ordering::Release);
        for reader in readers {
            let loaded = reader.join().expect("no reader found an inconsistent catalog");
            assert!(loaded > 0, "each reader has loaded catalogs");
        }
    });
    assert_eq!(registry.catalog().generation(), swaps);
}

/// A source that blocks in the middle of its scan.
struct Stopping {
    reached: mpsc::SyncSender<()>,
    go_on: Mutex<mpsc::Receiver<()>>,
    inner: VersionedSource,
}

impl SourceOverrides for Stopping {
    fn inner(&self) -> &dyn SkillSource {
        &self.inner
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        let summary = self.inner.scan(previous, sink, cancel)?;
        self.reached.send(()).expect("the test receives this");
        self.go_on.lock().expect("the lock is not poisoned").recv().expect("the test sends this");
        Ok(summary)
    }
}

#[test]
fn readers_do_not_wait_for_a_reload() {
    let (reached, is_reached) = mpsc::sync_channel(1);
    let (tell, go_on) = mpsc::sync_channel(2);
    let source = Stopping { reached, go_on: go_on.into(), inner: VersionedSource::default() };
    let registry = registry(vec![("user", Trust::Trusted, Arc::new(OverriddenSource(source)))]);
    tell.send(()).expect("the source receives this");
    registry.reload();
    is_reached.recv().expect("the first scan has been reached");
    thread::scope(|scope| {
        let reload = scope.spawn(|| registry.reload());
        is_reached.recv().expect("the second scan has started");
        // A reader that waited for the reload would block forever.
        for _ in 0..1_000 {
            VersionedSource::check(&registry.catalog());
            assert_eq!(registry.catalog().generation(), 1);
        }
        tell.send(()).expect("the source receives this");
        assert_eq!(reload.join().expect("the reload ends").catalog.generation(), 2);
    });
}

/// Records the generations of the catalog to prepare for and of the readers' catalog.
#[derive(Default)]
struct Preparing {
    registry: Mutex<Weak<Registry>>,
    seen: Mutex<Vec<[u64; 3]>>,
}

impl Ranker for Preparing {
    fn rank<'c>(&self, _: &'c Arc<Catalog>, _: &str, _: usize) -> Vec<Ranked<'c>> {
        Vec::new()
    }

    fn prepare(&self, next: &Arc<Catalog>, current: &Catalog) {
        let registry = self.registry.lock().expect("the lock is not poisoned").upgrade();
        let read = registry.map_or(0, |registry| registry.catalog().generation());
        let generations = [current.generation(), read, next.generation()];
        self.seen.lock().expect("the lock is not poisoned").push(generations);
    }
}

#[test]
fn ranker_prepares_before_publication() {
    let (source, ranker) = (Arc::new(Changing::default()), Arc::new(Preparing::default()));
    let builder = user(source.clone()).ranker(ranker.clone());
    let registry = Arc::new(builder.build().expect("the layer exists"));
    *ranker.registry.lock().expect("the lock is not poisoned") = Arc::downgrade(&registry);
    source.set("a", skill_md("a", "first"), 1);
    registry.reload();
    registry.reload();
    source.set("a", skill_md("a", "second"), 2);
    registry.reload();
    let seen = ranker.seen.lock().expect("the lock is not poisoned").clone();
    assert_eq!(seen, [[0, 0, 1], [1, 1, 2]], "once for each catalog, before its publication");
}
