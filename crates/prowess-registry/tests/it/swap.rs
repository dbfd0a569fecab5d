//! Readers while the catalog is swapped.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak, mpsc};
use std::thread;

use prowess_core::{
    Cancel, Catalog, CatalogProvider, Found, Layer, Listing, PackagePath, PreviousScan, Ranked,
    Ranker, ReadLimit, Record, ResourcePath, ScanSink, ScanSummary, SkillSource, SourceError,
    SourceErrorKind, Stamp, Trust,
};
use prowess_registry::Registry;

use crate::fixture::{Changing, registry, skill_md};

/// How many skills each version has.
const SKILLS: usize = 1_000;

/// How many of them are others in each version: the first, the last, and some between.
const CHANGING: usize = 8;

const READERS: usize = 8;

/// How often the catalog is swapped. Without optimisation a swap takes twenty times as long.
const SWAPS: u64 = if cfg!(debug_assertions) { 500 } else { 10_000 };

/// A source with skills that are others in each scan: their descriptions are its number, and the
/// name of one is it too. The rest are as they were, so that ten thousand reloads take seconds.
#[derive(Default)]
struct Versions(AtomicU64);

/// Whether the skill of this number is another one in each version.
fn is_changing(number: usize) -> bool {
    number % (SKILLS / (CHANGING - 1)) == 1
}

impl SkillSource for Versions {
    fn name(&self) -> &str {
        "versions"
    }

    fn root(&self) -> &str {
        "versions://"
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        _cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        let version = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        let mut report = |name: &str, text: &str, stamp: Option<Stamp>| {
            if stamp.is_some() && previous.stamp(name) == stamp {
                return sink.unchanged(name);
            }
            let text = skill_md(name, text);
            let head = text.as_bytes();
            let (file, size) = ("SKILL.md", None);
            let found = Found { package: name, file, stamp, size, head, is_whole_file: true };
            sink.found(found);
        };
        let stamp = Some(Stamp::exact(1));
        for number in 1..SKILLS {
            let name = format!("skill-{number:03}");
            match is_changing(number) {
                true => report(&name, &version.to_string(), None),
                false => report(&name, "Stays as it is.", stamp),
            }
        }
        report(&format!("version-{version}"), &version.to_string(), None);
        Ok(ScanSummary::default())
    }

    fn list(&self, _package: &PackagePath, _most: usize) -> Result<Listing, SourceError> {
        Ok(Listing::default())
    }

    fn read(
        &self,
        _package: &PackagePath,
        _resource: &ResourcePath,
        _limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        Err(SourceError::new(SourceErrorKind::NotFound, "nothing is read here"))
    }
}

/// Checks that a catalog has all of its skills, and that those that change are of one version, the
/// one that its generation says.
fn check_whole(catalog: &Catalog) {
    let version = catalog.generation().to_string();
    assert_eq!(catalog.len(), SKILLS, "a catalog has all of its skills");
    let is_of_version = |skill: Record<'_>| skill.description() == version;
    let changing = catalog.skills().filter(|skill| skill.description() != "Stays as it is.");
    assert_eq!(changing.clone().count(), CHANGING + 1, "nothing is there twice");
    assert!(changing.into_iter().all(is_of_version), "a catalog is of one version");
    let named = catalog.get(&format!("version-{version}"));
    assert!(named.is_some_and(is_of_version), "the look-up is of the same version as the list");
}

#[test]
fn eight_readers_see_whole_catalogs_while_another_thread_swaps() {
    let registry = registry(vec![("user", Trust::Trusted, Arc::new(Versions::default()))]);
    registry.reload();
    let is_over = AtomicBool::new(false);
    let read_until_over = || {
        let (mut reads, mut last) = (0_u64, 0);
        while !is_over.load(Ordering::Acquire) {
            let catalog = registry.catalog();
            check_whole(&catalog);
            assert!(catalog.generation() >= last, "generations never go back");
            last = catalog.generation();
            reads += 1;
            // On a machine with few cores the writer gets its turn.
            thread::yield_now();
        }
        reads
    };
    thread::scope(|scope| {
        let readers = [(); READERS].map(|()| scope.spawn(read_until_over));
        for _ in 1..SWAPS {
            registry.reload();
        }
        is_over.store(true, Ordering::Release);
        for reader in readers {
            assert!(reader.join().expect("no reader saw a mixture") > 0, "each reader has read");
        }
    });
    assert_eq!(registry.catalog().generation(), SWAPS);
}

/// A source that stops in the middle of its scan until it is told to go on.
struct Stopping {
    reached: mpsc::SyncSender<()>,
    go_on: Mutex<mpsc::Receiver<()>>,
    inner: Versions,
}

impl SkillSource for Stopping {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn root(&self) -> &str {
        self.inner.root()
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        let summary = self.inner.scan(previous, sink, cancel)?;
        self.reached.send(()).expect("the test waits for this");
        self.go_on.lock().expect("one scan at a time").recv().expect("the test says so");
        Ok(summary)
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        self.inner.list(package, most)
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        self.inner.read(package, resource, limit)
    }
}

#[test]
fn a_reader_goes_on_while_a_reload_stands_still() {
    let (reached, is_reached) = mpsc::sync_channel(1);
    let (tell, go_on) = mpsc::sync_channel(2);
    let source = Stopping { reached, go_on: go_on.into(), inner: Versions::default() };
    let registry = registry(vec![("user", Trust::Trusted, Arc::new(source))]);
    tell.send(()).expect("the source listens");
    registry.reload();
    is_reached.recv().expect("the first scan is done");
    thread::scope(|scope| {
        let reload = scope.spawn(|| registry.reload());
        is_reached.recv().expect("the second scan has begun");
        // A reader that waited for the reload would wait for ever: it goes on only after this.
        for _ in 0..1_000 {
            check_whole(&registry.catalog());
            assert_eq!(registry.catalog().generation(), 1);
        }
        tell.send(()).expect("the source listens");
        assert_eq!(reload.join().expect("the reload ends").catalog.generation(), 2);
    });
}

/// Notes which catalog is being prepared for, and which one readers have meanwhile.
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
        let registry = self.registry.lock().expect("no test panics here").upgrade();
        let read = registry.map_or(0, |registry| registry.catalog().generation());
        let generations = [current.generation(), read, next.generation()];
        self.seen.lock().expect("no test panics here").push(generations);
    }
}

#[test]
fn a_ranker_prepares_for_a_catalog_before_a_reader_has_it() {
    let (source, ranker) = (Arc::new(Changing::default()), Arc::new(Preparing::default()));
    let builder = Registry::builder().layer(Layer::new("user", Trust::Trusted));
    let builder = builder.source("user", source.clone()).ranker(ranker.clone());
    let registry = Arc::new(builder.build().expect("the layer is there"));
    *ranker.registry.lock().expect("no test panics here") = Arc::downgrade(&registry);
    source.set("a", skill_md("a", "first"), 1);
    registry.reload();
    registry.reload();
    source.set("a", skill_md("a", "second"), 2);
    registry.reload();
    let seen = ranker.seen.lock().expect("no test panics here").clone();
    assert_eq!(seen, [[0, 0, 1], [1, 1, 2]], "once for each catalog, while readers have the last");
}
