//! Readers while the catalog is swapped.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use prowess_core::{
    Cancel, Catalog, CatalogProvider, Found, Listing, PackagePath, ReadLimit, ResourcePath,
    ScanSink, SkillSource, SourceError, SourceErrorKind, Trust,
};

use crate::fixture::{registry, skill_md};

/// How many skills each version has.
const SKILLS: usize = 8;

/// How often the catalog is swapped.
const SWAPS: u64 = 10_000;

/// A source whose whole content is another one in each scan: every description is the number of the
/// scan, and the name of the only changing skill too.
#[derive(Default)]
struct Versions(AtomicU64);

impl SkillSource for Versions {
    fn name(&self) -> &str {
        "versions"
    }

    fn root(&self) -> &str {
        "versions://"
    }

    fn scan(&self, sink: &mut dyn ScanSink, _cancel: &Cancel) -> Result<(), SourceError> {
        let version = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        let mut report = |name: String| {
            let text = skill_md(&name, &version.to_string());
            let head = text.as_bytes();
            let found =
                Found { package: &name, file: "SKILL.md", stamp: None, head, is_whole_file: true };
            sink.found(found);
        };
        (1..SKILLS).for_each(|number| report(format!("skill-{number}")));
        report(format!("version-{version}"));
        Ok(())
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

/// Checks that everything in a catalog is of one version, the one that its generation says.
fn check_whole(catalog: &Catalog) {
    let version = catalog.generation().to_string();
    assert_eq!(catalog.len(), SKILLS, "a catalog has all of its skills");
    let is_of_version = |skill: prowess_core::Record<'_>| skill.description() == version;
    assert!(catalog.skills().all(is_of_version), "a catalog is of one version");
    let named = catalog.get(&format!("version-{version}"));
    assert!(named.is_some_and(is_of_version), "the look-up is of the same version as the list");
}

#[test]
fn two_readers_see_whole_catalogs_while_a_third_thread_swaps_ten_thousand_times() {
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
        }
        reads
    };
    thread::scope(|scope| {
        let readers = [scope.spawn(read_until_over), scope.spawn(read_until_over)];
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
    go_on: std::sync::Mutex<mpsc::Receiver<()>>,
    inner: Versions,
}

impl SkillSource for Stopping {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn root(&self) -> &str {
        self.inner.root()
    }

    fn scan(&self, sink: &mut dyn ScanSink, cancel: &Cancel) -> Result<(), SourceError> {
        self.inner.scan(sink, cancel)?;
        self.reached.send(()).expect("the test waits for this");
        self.go_on.lock().expect("one scan at a time").recv().expect("the test says so");
        Ok(())
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
