//! Replaces a plugin again and again while four threads read from it.
//!
//! `soak [ROUNDS]`: by default 1,000 reloads in the host's process, and a tenth of that in
//! processes of its own. It fails if a read fails, or if a reload costs more memory than twice the
//! file: the code of each build stays in the host's memory, and nothing else may.
//!
//! Before that it scans a million packages in each isolation, with a deadline that is shorter than
//! the scan. It fails if one of them is missing, or if the host stores more than their paths.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "what was measured is what the program is for")]

use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use benches::measure::private_kib;
use benches::plugin::{loader, trust};
use prowess_core::{
    Cancel, Diagnostic, Found, PackagePath, PreviousScan, ReadFurther, ReadLimit, ResourcePath,
    ScanSink, SkillSource, SourceError,
};
use prowess_plugin_host::{Isolation, PluginLoader, PluginPolicy, PluginSettings, Reloaded};
use prowess_testkit::{PluginFlavor, ScanRecorder, build_plugin_example_as};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const READERS: usize = 4;
/// The rounds before memory is measured, in which everything that is allocated once is allocated.
const WARM_UP: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let rounds = std::env::args().nth(1).map_or(Ok(1_000), |rounds| rounds.parse())?;
    // The bytes of each build stay open in the host.
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most })?;
    println!("| where | packages | a scan takes | growth of the host |");
    println!("|---|--:|--:|--:|");
    scan_million("in the host", Isolation::InProcess)?;
    scan_million("in a process of its own", Isolation::Process)?;
    println!();
    println!("| where | reloads | reads | a reload takes | the file | growth a reload |");
    println!("|---|--:|--:|--:|--:|--:|");
    soak("in the host", Isolation::InProcess, rounds)?;
    soak("in a process of its own", Isolation::Process, rounds.div_ceil(10))
}

/// The maximum number of bytes that the host may use for each package of a scan: its path, once, in
/// a set.
const MOST_BYTES_OF_A_PACKAGE: usize = 256;
/// The deadline of a call. The scan of a million packages pauses for three seconds in total, and
/// each package that it finds extends the deadline.
const CALL_MS: u64 = 2_000;

/// Scans a million packages, and prints how long that took.
fn scan_million(place: &str, isolation: Isolation) -> Result<(), Box<dyn Error>> {
    let mut changing = Changing::new(isolation, 1)?;
    changing.loader.policy.limits.call_ms = CALL_MS;
    let config = Some(serde_json::json!({"scan": "million"}));
    let settings = PluginSettings { config, ..PluginSettings::default() };
    let plugin = changing.loader.load_with(&changing.file, settings)?;
    let mut sink = Counter { packages: 0, before: memory(), most: 0 };
    let begun = Instant::now();
    plugin.sources[0].scan(&PreviousScan::none(), &mut sink, &Cancel::default())?;
    let taken = begun.elapsed();
    let Counter { packages, before, most } = sink;
    let grown = most.saturating_sub(before);
    println!("| {place} | {packages} | {taken:.1?} | {} MiB |", grown >> 20);
    match packages == 1_000_000 && grown <= packages * MOST_BYTES_OF_A_PACKAGE {
        true => Ok(()),
        false => Err("a scan of a million packages is not whole, or costs too much memory".into()),
    }
}

/// Counts packages, and measures the memory of the host meanwhile.
struct Counter {
    packages: usize,
    before: usize,
    most: usize,
}

impl ScanSink for Counter {
    fn unchanged(&mut self, _: &str) {}

    fn found(&mut self, _: Found<'_>) -> ReadFurther {
        self.packages += 1;
        if self.packages.is_multiple_of(10_000) {
            self.most = self.most.max(memory());
        }
        ReadFurther::No
    }

    fn problem(&mut self, _: Diagnostic) {}
}

/// Reloads the plugin `rounds` times, and prints the time and the memory of a reload.
fn soak(place: &str, isolation: Isolation, rounds: usize) -> Result<(), Box<dyn Error>> {
    let mut changing = Changing::new(isolation, rounds)?;
    let plugin = changing.loader.load(&changing.file)?;
    let source = &*plugin.sources[0];
    let is_over = AtomicBool::new(false);
    let reads = AtomicUsize::new(0);
    let (taken, grown) = thread::scope(|scope| {
        let readers: Vec<_> =
            (0..READERS).map(|_| scope.spawn(|| read_on(source, &is_over, &reads))).collect();
        let measured = (|| -> Result<_, Box<dyn Error>> {
            let (mut taken, mut before) = (Duration::ZERO, memory());
            for round in 0..WARM_UP + rounds {
                changing.change(round)?;
                let begun = Instant::now();
                let reloaded = changing.loader.reload(&plugin.handle, &changing.loader.trust)?;
                taken += begun.elapsed();
                assert_ne!(reloaded, Reloaded::Unchanged, "each build is another one");
                if round + 1 == WARM_UP {
                    (taken, before) = (Duration::ZERO, memory());
                }
            }
            Ok((taken, memory().saturating_sub(before)))
        })();
        is_over.store(true, Ordering::Relaxed);
        for reader in readers {
            reader.join().map_err(|_| "a reader panicked")??;
        }
        measured
    })?;
    let file = changing.bytes.len();
    // The bytes that were opened are memory, too, wherever they are counted.
    let staged = if isolation == Isolation::InProcess { file } else { 0 };
    let each = grown / rounds + staged;
    let taken = taken / u32::try_from(rounds)?;
    let reads = reads.into_inner();
    println!(
        "| {place} | {rounds} | {reads} | {taken:.1?} | {} KiB | {} KiB |",
        file >> 10,
        each >> 10
    );
    match each <= 2 * file && reads > 0 {
        true => Ok(()),
        false => Err("a reload costs more memory than twice the file, or no thread read".into()),
    }
}

/// Reads and scans until it is over. Stops at the first failure.
fn read_on(
    source: &dyn SkillSource,
    is_over: &AtomicBool,
    reads: &AtomicUsize,
) -> Result<(), SourceError> {
    let package = PackagePath::new("good").expect("a path");
    let file = ResourcePath::new("file").expect("a path");
    while !is_over.load(Ordering::Relaxed) {
        source.read(&package, &file, ReadLimit::default())?;
        ScanRecorder::scan(source)?;
        reads.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// A plugin's file that is replaced by one build after the other.
struct Changing {
    loader: PluginLoader,
    file: PathBuf,
    bytes: Vec<u8>,
    /// Removed at the end.
    _directory: tempfile::TempDir,
}

impl Changing {
    fn new(isolation: Isolation, rounds: usize) -> Result<Self, Box<dyn Error>> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().canonicalize()?;
        let built = build_plugin_example_as("prowess-plugin-sdk", "faulty", PluginFlavor::Release);
        let generations = WARM_UP + rounds;
        let policy = PluginPolicy { isolation, generations, ..PluginPolicy::default() };
        let loader = loader(policy, path.clone());
        let file = path.join("changing.so");
        let bytes = std::fs::read(built)?;
        let mut changing = Self { loader, file, bytes, _directory: directory };
        changing.change(usize::MAX)?;
        Ok(changing)
    }

    /// Replaces the file by another build, and trusts it. No loader reads the bytes after the end
    /// of a library, so a number there makes it another build.
    fn change(&mut self, number: usize) -> Result<(), Box<dyn Error>> {
        let bytes = [&*self.bytes, &number.to_le_bytes()].concat();
        let beside = self.file.with_extension("new");
        std::fs::write(&beside, &bytes)?;
        std::fs::rename(beside, &self.file)?;
        trust(&mut self.loader, &self.file, &bytes)
    }
}

/// Returns the private memory of this process in bytes, as the kernel counts it.
fn memory() -> usize {
    usize::try_from(private_kib()).unwrap_or(usize::MAX) << 10
}
