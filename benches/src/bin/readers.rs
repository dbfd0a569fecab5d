//! Prints how long readers of a catalog wait, with and without a writer that swaps as fast as it can: of a
//! registry one that reloads a source in memory of which a skill was edited, of the bare shelves one that does
//! nothing but swap.
//!
//! `readers [ROUNDS]`: 15 rounds without it. In each round each shelf is read once in quiet and once with
//! the writer, one after the other, so that whatever else the machine is doing hits them alike; the
//! medians of the rounds are printed. There is one reader and one writer, as more threads than cores
//! would measure the system's scheduler.

#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "a table is what the program is for")]

use std::hint::black_box;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use benches::corpus::registry_of;
use benches::table::{alone, beside};
use dashmap::DashMap;
use prowess_core::{
    Cancel, Catalog, CatalogProvider, Found, Listing, PackagePath, ReadLimit, ResourcePath,
    ScanSink, SkillSource, SourceError, SourceErrorKind, Stamp,
};
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

/// A source in memory of which each scan finds another version of one skill: a disk would be most of what a
/// reload takes.
struct Edited {
    skills: Vec<(String, String)>,
    version: AtomicU64,
}

impl Edited {
    fn new() -> Self {
        let names = (0..SKILLS).map(|number| format!("skill-{number:05}"));
        let text = |name: &String| {
            let text = format!("---\nname: {name}\ndescription: Is number so and so.\n---\n");
            (name.clone(), text)
        };
        Self { skills: names.map(|name| text(&name)).collect(), version: AtomicU64::new(2) }
    }
}

impl SkillSource for Edited {
    fn name(&self) -> &str {
        "edited"
    }

    fn root(&self) -> &str {
        "edited://"
    }

    fn scan(&self, sink: &mut dyn ScanSink, _: &Cancel) -> Result<(), SourceError> {
        let version = self.version.fetch_add(1, Ordering::Relaxed);
        for (at, (package, text)) in self.skills.iter().enumerate() {
            let stamp = NonZeroU64::new(if at == 0 { version } else { 1 }).map(Stamp);
            if sink.known(package) == stamp {
                sink.unchanged(package);
                continue;
            }
            let edited = text.replace("so and so", &version.to_string());
            sink.found(Found {
                package,
                file: "SKILL.md",
                stamp,
                size: None,
                head: edited.as_bytes(),
                is_whole_file: true,
            });
        }
        Ok(())
    }

    fn list(&self, _: &PackagePath, _: usize) -> Result<Listing, SourceError> {
        Ok(Listing { resources: Vec::new(), is_complete: true })
    }

    fn read(
        &self,
        package: &PackagePath,
        _: &ResourcePath,
        _: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        let found = self.skills.iter().find(|(known, _)| known == package.as_str());
        let missing = || SourceError::new(SourceErrorKind::NotFound, "there is no such skill");
        found.map(|(_, text)| text.clone().into_bytes()).ok_or_else(missing)
    }
}

/// A registry as a host has it, whose writer reloads what was edited.
struct Reloading(Registry);

impl Shelf for Reloading {
    fn read(&self, id: &str) -> usize {
        self.0.catalog().get(id).map_or(0, |skill| skill.description().len())
    }

    fn swap(&self, _: &Arc<Catalog>) {
        self.0.reload();
    }
}

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(15);
    let registry = registry_of(Arc::new(Edited::new()));
    let catalogs = [registry.reload().catalog, registry.reload().catalog];
    let [first, _] = &catalogs;
    let reloading = Reloading(registry);
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
    assert_eq!(reloading.0.catalog().len(), SKILLS, "the corpus is whole");
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
    let each = swaps as f64 / (READS / 1_000 * rounds.max(1)) as f64;
    let time = Duration::from_nanos;
    let row = |what: &str, with, without, most| {
        println!("{}", beside(&format!("{name}: {what}"), SKILLS, time(with), time(without), most));
    };
    row("half of the reads beside a writer, and in quiet", half, quiet_half, None);
    row("999 of 1,000 reads beside a writer, and in quiet", tail, quiet_tail, most);
    println!("{}", alone(&format!("{name}: swaps in 1,000 reads"), SKILLS, each, "", None));
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
