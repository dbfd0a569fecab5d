//! Tests of every interleaving of threads, by a model checker: `cargo xtask loom`.
//!
//! The tests run the code of this crate itself: the swap, the sharing of reload requests, and the
//! notification of subscribers. Only `arc-swap` is replaced by a lock.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use loom::sync::atomic::AtomicU64;
use loom::thread;
use prowess_core::Cancel;

use crate::Notice;
use crate::published::Published;
use crate::single_flight::{Merge, Run, SingleFlight};

/// A small catalog: a generation and its packages.
struct Whole {
    generation: u64,
    records: [u64; 2],
    dropped: Arc<AtomicUsize>,
}

impl Whole {
    fn new(generation: u64, dropped: &Arc<AtomicUsize>) -> Arc<Self> {
        Arc::new(Self { generation, records: [generation; 2], dropped: Arc::clone(dropped) })
    }

    fn check(&self) {
        assert_eq!(self.records, [self.generation; 2], "generation and records are of one reload");
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

impl Merge for u64 {
    fn merge(&mut self, more: Self) {
        *self |= more;
    }
}

fn publish(published: &Published<Whole, u64>, generation: u64, dropped: &Arc<AtomicUsize>) {
    published.publish(&Whole::new(generation, dropped), |_, later| later.generation);
}

#[test]
fn a_reader_sees_whole_catalogs_that_never_go_back_and_each_is_dropped_once() {
    loom::model(|| {
        let dropped = Arc::new(AtomicUsize::new(0));
        let published = Arc::new(Published::new(Whole::new(0, &dropped)));
        let writers = Arc::clone(&published);
        let seen_by_writer = Arc::clone(&dropped);
        let writer = thread::spawn(move || {
            (1..=2).for_each(|generation| publish(&writers, generation, &seen_by_writer));
        });
        let pinned = published.load();
        let later = published.load();
        [&pinned, &later].into_iter().for_each(|whole| whole.check());
        assert!(pinned.generation <= later.generation, "generations never go back");
        writer.join().expect("the writer does not panic");
        pinned.check();
        assert_eq!(published.load().generation, 2, "the last catalog stays");
        drop((pinned, later, published));
        assert_eq!(dropped.load(Ordering::Relaxed), 3, "each catalog is dropped, and once");
    });
}

#[test]
fn a_notified_subscriber_finds_the_catalog() {
    loom::model(|| {
        let dropped = Arc::new(AtomicUsize::new(0));
        let published = Arc::new(Published::new(Whole::new(0, &dropped)));
        let subscription = published.subscribe(Box::new(|| {}));
        let writers = Arc::clone(&published);
        let writer = thread::spawn(move || publish(&writers, 1, &dropped));
        match subscription.recv() {
            Some(Notice::Changed(generation)) => {
                assert!(
                    published.load().generation >= generation,
                    "it is stored before it is reported"
                );
            }
            other => panic!("a change is reported, not {}", other.is_some()),
        }
        writer.join().expect("the writer does not panic");
    });
}

#[test]
fn a_waiting_subscriber_is_notified_of_the_end() {
    loom::model(|| {
        let dropped = Arc::new(AtomicUsize::new(0));
        let published = Published::new(Whole::new(0, &dropped));
        let subscription = published.subscribe(Box::new(|| {}));
        let registry = thread::spawn(move || {
            publish(&published, 1, &dropped);
            drop(published);
        });
        assert!(subscription.recv().is_some(), "what was reported before the end is still there");
        assert!(subscription.recv().is_none(), "then there is nothing more");
        registry.join().expect("the registry does not panic");
    });
}

#[test]
fn a_subscriber_may_be_dropped_while_it_is_notified() {
    loom::model(|| {
        let dropped = Arc::new(AtomicUsize::new(0));
        let published = Arc::new(Published::new(Whole::new(0, &dropped)));
        let subscription = published.subscribe(Box::new(|| {}));
        let writers = Arc::clone(&published);
        let writer = thread::spawn(move || publish(&writers, 1, &dropped));
        drop(subscription);
        writer.join().expect("the writer does not panic");
    });
}

/// Packages on a disk that several threads change and then request.
struct Disk {
    requests: SingleFlight<u64, (u64, u64)>,
    written: AtomicU64,
    is_scanned: AtomicU64,
    scans: AtomicUsize,
}

impl Disk {
    fn new() -> Arc<Self> {
        let requests = SingleFlight::new();
        let zero = || AtomicU64::new(0);
        let written = zero();
        let is_scanned = zero();
        Arc::new(Self { requests, written, is_scanned, scans: AtomicUsize::new(0) })
    }

    /// Writes a package, requests it, and checks that the result contains it.
    fn write_and_ask(&self, package: u64) {
        self.written.fetch_or(package, Ordering::SeqCst);
        let answer = self
            .requests
            .request(package, None, |asked| Run { result: self.scan(asked), is_complete: true });
        let (asked, seen) = answer.expect("the request is not cancelled");
        assert_eq!(seen & package, package, "the scan began after the request and saw the change");
        assert_eq!(asked & package, package, "the scan looked at what was asked for");
    }

    fn scan(&self, asked: u64) -> (u64, u64) {
        assert_eq!(self.is_scanned.swap(1, Ordering::SeqCst), 0, "one scan at a time");
        let seen = self.written.load(Ordering::SeqCst);
        self.scans.fetch_add(1, Ordering::Relaxed);
        self.is_scanned.store(0, Ordering::SeqCst);
        (asked, seen)
    }
}

#[test]
fn each_request_is_answered_by_a_scan_that_began_after_it_and_scans_are_shared() {
    let mut model = loom::model::Builder::new();
    // Three threads have too many interleavings; two preemptions find every known bug.
    model.preemption_bound = Some(2);
    model.check(|| {
        let disk = Disk::new();
        let others = [2, 4].map(|package| {
            let disk = Arc::clone(&disk);
            thread::spawn(move || disk.write_and_ask(package))
        });
        disk.write_and_ask(1);
        others.into_iter().for_each(|other| other.join().expect("the other does not panic"));
        let scans = disk.scans.load(Ordering::Relaxed);
        assert!((1..=3).contains(&scans), "there are no more scans than requests: {scans}");
    });
}

#[test]
fn requests_that_come_during_a_scan_share_one_further_scan() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let disk = Disk::new();
        let mut others = Vec::new();
        disk.requests.request(8, None, |asked| {
            others.extend([1, 2].map(|package| {
                let disk = Arc::clone(&disk);
                thread::spawn(move || disk.write_and_ask(package))
            }));
            while disk.requests.pending() != Some(3) {
                thread::yield_now();
            }
            Run { result: disk.scan(asked), is_complete: true }
        });
        others.into_iter().for_each(|other| other.join().expect("the other does not panic"));
        assert_eq!(disk.scans.load(Ordering::Relaxed), 2, "the two share the second scan");
    });
}

#[test]
fn interrupted_work_is_done_for_its_waiters() {
    loom::model(|| {
        let disk = Disk::new();
        let other = {
            let disk = Arc::clone(&disk);
            thread::spawn(move || disk.write_and_ask(2))
        };
        let cancel = Cancel::default();
        cancel.cancel();
        disk.requests.request(1, Some(&cancel), |_| Run { result: (0, 0), is_complete: false });
        other.join().expect("the other does not panic");
    });
}
