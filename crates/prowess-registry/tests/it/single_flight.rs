//! Concurrent requests for reloads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use prowess_core::{
    Cancel, CatalogProvider, PreviousScan, ScanSink, ScanSummary, SkillSource, SourceError, Trust,
};
use prowess_registry::Registry;
use prowess_testkit::{OverriddenSource, SourceOverrides};

use crate::fixture::{Changing, registry, skill_md};

/// A source whose scans wait at a gate and are counted.
#[derive(Default)]
struct Gated {
    inner: Changing,
    is_open: Mutex<bool>,
    moved: Condvar,
    begun: AtomicUsize,
    /// If set, the next scan panics.
    panics: AtomicUsize,
}

impl Gated {
    fn open(&self, is_open: bool) {
        *self.is_open.lock().expect("the lock is not poisoned") = is_open;
        self.moved.notify_all();
    }

    /// Waits until this many scans have started.
    fn wait_for_scans(&self, scans: usize) {
        while self.begun.load(Ordering::SeqCst) < scans {
            thread::yield_now();
        }
    }
}

impl SourceOverrides for Gated {
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
        self.begun.fetch_add(1, Ordering::SeqCst);
        let shut = self.is_open.lock().expect("the lock is not poisoned");
        drop(self.moved.wait_while(shut, |is_open| !*is_open).expect("the lock is not poisoned"));
        assert_eq!(self.panics.swap(0, Ordering::SeqCst), 0, "the test requests a panic");
        Ok(summary)
    }
}

fn gated() -> (Arc<OverriddenSource<Gated>>, Registry) {
    let source = Arc::new(OverriddenSource(Gated::default()));
    let registry = registry(vec![("user", Trust::Trusted, source.clone())]);
    (source, registry)
}

#[test]
fn requests_during_a_scan_share_the_next() {
    let (source, registry) = gated();
    let asked = AtomicUsize::new(0);
    thread::scope(|scope| {
        let first = scope.spawn(|| registry.reload());
        source.wait_for_scans(1);
        // The first scan has already read the source, so it does not find this skill.
        source.inner.set("late", skill_md("late", "new"), 1);
        let late: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    asked.fetch_add(1, Ordering::SeqCst);
                    registry.reload()
                })
            })
            .collect();
        while asked.load(Ordering::SeqCst) < 8 {
            thread::yield_now();
        }
        source.open(true);
        let first = first.join().expect("the first reload does not panic");
        assert!(first.catalog.get("late").is_none(), "the first scan was earlier");
        for reload in late {
            let reload = reload.join().expect("no reload panics");
            assert!(reload.catalog.get("late").is_some(), "a later request finds earlier changes");
        }
    });
    // A thread may have sent its request only after the second scan has started.
    assert!(source.begun.load(Ordering::SeqCst) <= 4, "eight requests share the scans");
}

#[test]
fn waiting_reload_can_be_cancelled() {
    let (source, registry) = gated();
    let cancel = Cancel::default();
    thread::scope(|scope| {
        let first = scope.spawn(|| registry.reload());
        source.wait_for_scans(1);
        let waiting = scope.spawn(|| registry.reload_until(&cancel));
        cancel.cancel();
        let reload = waiting.join().expect("the reload does not panic");
        let generation = reload.catalog.generation();
        assert_eq!(generation, 0, "it gives what there is, though the scan goes on");
        source.open(true);
        first.join().expect("the first reload does not panic");
    });
}

#[test]
fn panicking_source_does_not_block_reloads() {
    let (source, registry) = gated();
    source.open(true);
    source.inner.set("a", skill_md("a", "first"), 1);
    source.panics.store(1, Ordering::SeqCst);
    thread::scope(|scope| {
        scope.spawn(|| registry.reload()).join().expect_err("the panic comes through");
    });
    assert_eq!(registry.catalog().generation(), 0, "the catalog is unchanged");
    assert!(registry.reload().catalog.get("a").is_some(), "the next reload succeeds");
}
