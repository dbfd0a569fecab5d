//! Prints how long readers of a catalog wait, with and without a writer that swaps as fast as it can: of a
//! registry one that edits and reloads, of the bare shelves one that does nothing but swap.
//!
//! `readers [ROUNDS]`: 15 rounds without it. In each round each shelf is read once in quiet and once with
//! the writer, one after the other, so that whatever else the machine is doing hits them alike; the
//! medians of the rounds are printed. There is one reader and one writer, as more threads than cores
//! would measure the system's scheduler.

#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "a table is what the program is for")]

use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use benches::corpus::{on_disk, registry, touch};
use benches::table::{alone, beside};
use dashmap::DashMap;
use prowess_core::{Catalog, CatalogProvider};
use prowess_registry::Registry;

const SKILLS: usize = 1_000;
/// Reads in each round.
const READS: usize = 100_000;

/// A way to share skills between readers and a writer.
trait Shelf: Sync {
    /// Looks one skill up and gives the length of its description.
    fn read(&self, id: &str) -> usize;
    /// Replaces everything.
    fn swap(&self, next: &Arc<Catalog>);
}

impl Shelf for ArcSwap<Catalog> {
    fn read(&self, id: &str) -> usize {
        self.load().get(id).map_or(0, |skill| skill.description().len())
    }

    fn swap(&self, next: &Arc<Catalog>) {
        self.store(Arc::clone(next));
    }
}

impl Shelf for RwLock<Arc<Catalog>> {
    fn read(&self, id: &str) -> usize {
        let catalog = Arc::clone(&self.read().unwrap_or_else(PoisonError::into_inner));
        catalog.get(id).map_or(0, |skill| skill.description().len())
    }

    fn swap(&self, next: &Arc<Catalog>) {
        *self.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(next);
    }
}

impl Shelf for DashMap<String, String> {
    fn read(&self, id: &str) -> usize {
        self.get(id).map_or(0, |description| description.len())
    }

    /// One after the other: a reader may see some of the old and some of the new.
    fn swap(&self, next: &Arc<Catalog>) {
        for skill in next.skills() {
            self.insert(skill.id().to_owned(), skill.description().to_owned());
        }
    }
}

/// A registry as a host has it, whose writer edits a skill and reloads.
struct Reloading<'r> {
    registry: &'r Registry,
    root: &'r Path,
    version: AtomicUsize,
}

impl Shelf for Reloading<'_> {
    fn read(&self, id: &str) -> usize {
        self.registry.catalog().get(id).map_or(0, |skill| skill.description().len())
    }

    fn swap(&self, _: &Arc<Catalog>) {
        touch(self.root, self.version.fetch_add(1, Ordering::Relaxed));
        self.registry.reload();
    }
}

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(15);
    let directory = on_disk(SKILLS);
    let registry = registry(directory.path());
    let first = registry.reload().catalog;
    touch(directory.path(), 1);
    let second = registry.reload().catalog;
    let catalogs = [first, second];
    let [first, _] = &catalogs;
    let reloading =
        Reloading { registry: &registry, root: directory.path(), version: AtomicUsize::new(2) };
    measure(("a registry that reloads", Some(2.0)), &reloading, &catalogs, rounds);
    measure(("arc-swap", Some(2.0)), &ArcSwap::from(Arc::clone(first)), &catalogs, rounds);
    measure(("RwLock", None), &RwLock::new(Arc::clone(first)), &catalogs, rounds);
    let entry =
        |skill: prowess_core::Record<'_>| (skill.id().to_owned(), skill.description().to_owned());
    measure(
        ("dashmap", None),
        &first.skills().map(entry).collect::<DashMap<_, _>>(),
        &catalogs,
        rounds,
    );
    assert_eq!(registry.catalog().len(), SKILLS, "the corpus is whole");
}

/// The p50 and the p99.9 of one round, in nanoseconds.
type Round = [u64; 2];

fn measure(
    (name, most): (&str, Option<f64>),
    shelf: &dyn Shelf,
    catalogs: &[Arc<Catalog>; 2],
    rounds: usize,
) {
    let ids: Vec<_> = catalogs[0].skills().map(|skill| skill.id().to_owned()).collect();
    let (mut quiet, mut swapped, mut swaps) = (Vec::new(), Vec::new(), 0);
    for _ in 0..rounds.max(1) {
        quiet.push(read(shelf, &ids));
        let (round, swapped_in_it) = read_while_swapped(shelf, &ids, catalogs);
        swapped.push(round);
        swaps += swapped_in_it;
    }
    let [quiet_half, quiet_tail] = medians(&quiet);
    let [half, tail] = medians(&swapped);
    let each = swaps as f64 / (READS * rounds.max(1)) as f64;
    let time = Duration::from_nanos;
    let row = |what: &str, with, without, most| {
        println!("{}", beside(&format!("{name}: {what}"), SKILLS, time(with), time(without), most));
    };
    row("half of the reads beside a writer, and in quiet", half, quiet_half, None);
    row("999 of 1,000 reads beside a writer, and in quiet", tail, quiet_tail, most);
    println!("{}", alone(&format!("{name}: swaps for each read"), SKILLS, each, "", None));
}

fn read(shelf: &dyn Shelf, ids: &[String]) -> Round {
    let mut times = Vec::with_capacity(READS);
    for at in 0..READS {
        // Far from the last one, as calls are.
        let id = &ids[at * 7919 % ids.len()];
        let began = Instant::now();
        black_box(shelf.read(id));
        times.push(u64::try_from(began.elapsed().as_nanos()).expect("a read takes no century"));
    }
    times.sort_unstable();
    [times[READS / 2], times[READS - READS / 1_000]]
}

fn read_while_swapped(
    shelf: &dyn Shelf,
    ids: &[String],
    catalogs: &[Arc<Catalog>; 2],
) -> (Round, usize) {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut swaps = 0;
            while !is_over.load(Ordering::Acquire) {
                shelf.swap(&catalogs[swaps % 2]);
                swaps += 1;
            }
            swaps
        });
        let round = read(shelf, ids);
        is_over.store(true, Ordering::Release);
        (round, writer.join().expect("the writer does not panic"))
    })
}

fn medians(rounds: &[Round]) -> Round {
    [0, 1].map(|part| {
        let mut values: Vec<_> = rounds.iter().map(|round| round[part]).collect();
        values.sort_unstable();
        values[values.len() / 2]
    })
}
