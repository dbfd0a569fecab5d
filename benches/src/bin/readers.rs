//! Measures read latency with and without a writer. Registry: the writer edits one skill and
//! reloads. Containers: it swaps in a loop.
//!
//! `readers [ROUNDS]`: 60 rounds by default. Each round reads each container once in quiet and once
//! with the writer, one after the other, so that other load of the machine affects both alike. A
//! slow read waits for lines of memory that the writer has, several in a bare `arc-swap` too, so
//! the registry is compared with that. The time to move a cache line between two cores of a virtual
//! machine varies several times over, so it is measured in each round, and the medians are those of
//! the third of the rounds with the least. There is one reader and one writer: more threads than
//! cores would measure the scheduler.

#![forbid(unsafe_code)]

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use benches::corpus::registry_of;
use benches::table::{print_alone, print_beside};
use dashmap::DashMap;
use prowess_core::{
    Cancel, Catalog, CatalogProvider, Found, Listing, PackagePath, PreviousScan, ReadLimit,
    ResourcePath, ScanSink, ScanSummary, SkillSource, SourceError, SourceErrorKind, Stamp,
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

/// A source in memory whose scans find another version of one skill each time: a disk would take
/// most of the time of a reload.
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

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        _: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        let version = self.version.fetch_add(1, Ordering::Relaxed);
        for (at, (package, text)) in self.skills.iter().enumerate() {
            let stamp = Some(Stamp::exact(if at == 0 { version } else { 1 }));
            if previous.stamp(package) == stamp {
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
        Ok(ScanSummary::default())
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
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(60);
    let registry = registry_of(Arc::new(Edited::new()));
    let catalogs = [registry.reload().catalog, registry.reload().catalog];
    let [first, _] = &catalogs;
    let entry =
        |skill: prowess_core::Record<'_>| (skill.id().to_owned(), skill.description().to_owned());
    let reloading = Reloading(registry);
    let (swapped, locked) = (ArcSwap::from(Arc::clone(first)), RwLock::new(Arc::clone(first)));
    let sharded = first.skills().map(entry).collect::<DashMap<_, _>>();
    let shelves: [(&str, &dyn Shelf); 4] = [
        ("reads of a registry that reloads", &reloading),
        ("reads of an `arc-swap`", &swapped),
        ("reads of an `RwLock`", &locked),
        ("reads of a `dashmap`", &sharded),
    ];
    let mut all: Vec<_> =
        (0..rounds.max(3)).map(|_| round(shelves.map(|(_, shelf)| shelf), &catalogs)).collect();
    all.sort_unstable_by_key(|round| round.line);
    let line = |rounds: &[Round]| rounds[rounds.len() / 2].line as f64;
    let near = &all[..all.len() / 3];
    let what = "transfer of a cache line between two cores";
    print_alone(&format!("{what}, all rounds"), SKILLS, line(&all), "ns", None);
    print_alone(&format!("{what}, the rounds used below"), SKILLS, line(near), "ns", None);
    let tails = [0, 1, 2, 3].map(|at| {
        let (name, _) = shelves[at];
        print(name, near.iter().map(|round| round.shelves[at]))
    });
    let what = "reads of a registry that reloads: 99.9th percentile during writes, compared with an `arc-swap`";
    print_beside(what, SKILLS, tails[0], tails[1], Some(1.0));
    assert_eq!(reloading.0.catalog().len(), SKILLS, "the corpus is whole");
}

/// The p50 and the p99.9 of many reads, in nanoseconds.
type Reads = [u64; 2];

/// One after the other, everything of one moment.
struct Round {
    /// How long a line of memory takes from one core to the other, in nanoseconds.
    line: u64,
    shelves: [OfShelf; 4],
}

/// Reads in quiet, reads beside a writer, and how often that swapped meanwhile.
#[derive(Clone, Copy)]
struct OfShelf {
    quiet: Reads,
    beside: Reads,
    swaps: usize,
}

fn round(shelves: [&dyn Shelf; 4], catalogs: &[Arc<Catalog>; 2]) -> Round {
    let ids: Vec<_> = catalogs[0].skills().map(|skill| skill.id().to_owned()).collect();
    // Cores are moved about at their leisure.
    thread::sleep(Duration::from_millis(500));
    let line = line();
    let shelves = shelves.map(|shelf| {
        // The first reads after a pause find nothing near, and would flatter those beside a writer.
        read(shelf, &ids);
        let quiet = read(shelf, &ids);
        let (beside, swaps) = read_while_swapped(shelf, &ids, catalogs);
        OfShelf { quiet, beside, swaps }
    });
    Round { line, shelves }
}

/// How long it takes until one thread sees what another wrote.
fn line() -> u64 {
    const TURNS: u64 = 20_000;
    let ball = AtomicU64::new(0);
    let play = |mine: u64| {
        for turn in (mine..TURNS).step_by(2) {
            while ball.load(Ordering::Acquire) != turn {
                std::hint::spin_loop();
            }
            ball.store(turn + 1, Ordering::Release);
        }
    };
    let began = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| play(1));
        play(0);
    });
    nanoseconds(began.elapsed()) / TURNS
}

/// Prints the rows of a container, and returns the 99.9th percentile beside the writer.
fn print(name: &str, rounds: impl Iterator<Item = OfShelf>) -> Duration {
    let rounds: Vec<_> = rounds.collect();
    let [quiet_half, quiet_tail] = medians(rounds.iter().map(|round| round.quiet));
    let [half, tail] = medians(rounds.iter().map(|round| round.beside));
    let swaps: usize = rounds.iter().map(|round| round.swaps).sum();
    let each = swaps as f64 / (READS / 1_000 * rounds.len()) as f64;
    let time = Duration::from_nanos;
    let row = |what: &str, with, without| {
        print_beside(&format!("{name}: {what}"), SKILLS, time(with), time(without), None);
    };
    row("median during writes, compared with no writer", half, quiet_half);
    row("99.9th percentile during writes, compared with no writer", tail, quiet_tail);
    print_alone(&format!("{name}: writes per 1,000 reads"), SKILLS, each, "", None);
    time(tail)
}

fn read(shelf: &dyn Shelf, ids: &[String]) -> Reads {
    let mut times = Vec::with_capacity(READS);
    for at in 0..READS {
        // Far from the last one, as calls are.
        let id = &ids[at * 7919 % ids.len()];
        let began = Instant::now();
        black_box(shelf.read(id));
        times.push(nanoseconds(began.elapsed()));
    }
    times.sort_unstable();
    [times[READS / 2], times[READS - READS / 1_000]]
}

fn read_while_swapped(
    shelf: &dyn Shelf,
    ids: &[String],
    catalogs: &[Arc<Catalog>; 2],
) -> (Reads, usize) {
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
        let reads = read(shelf, ids);
        is_over.store(true, Ordering::Release);
        (reads, writer.join().expect("the writer does not panic"))
    })
}

fn medians(reads: impl Iterator<Item = Reads>) -> Reads {
    let reads: Vec<_> = reads.collect();
    [0, 1].map(|part| {
        let mut values: Vec<_> = reads.iter().map(|reads| reads[part]).collect();
        values.sort_unstable();
        values[values.len() / 2]
    })
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).expect("nothing here takes a century")
}
