//! Does one piece of work once, so that its costs can be counted or compared.
//!
//! `once WORK DIRECTORY [COUNT]`, with the work `generate`, `packages`, `nothing`, `many`, `wait`,
//! `discover`, `reload`, `settled`, `peer-floor` or `peer-prowess`.
#![expect(clippy::print_stdout, reason = "its numbers go to the program that asked")]

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::measure::{cpu_time, cpu_time_so_far, peak_kib};
use benches::{corpus, floor};
use prowess_core::{Clock, Timestamp};

/// A clock that goes, by which a source sees that a disk is slow.
struct Watch(Instant);

impl Clock for Watch {
    fn now(&self) -> Timestamp {
        corpus::LATER
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [work, directory, rest @ ..] = arguments.as_slice() else { return ExitCode::from(2) };
    let root = Path::new(directory);
    let count = rest.first().and_then(|count| count.parse().ok()).unwrap_or(1_000);
    match work.as_str() {
        "generate" => corpus::write(root, count),
        "packages" => corpus::write_packages(root, 0..count),
        "nothing" => {}
        "many" => {
            std::hint::black_box(floor::discover_at_once(root, 32));
        }
        "wait" => {
            let registry = corpus::registry_by(root, Arc::new(Watch(Instant::now())));
            std::mem::forget((registry.reload(), registry));
        }
        "discover" => {
            let registry = corpus::registry(root);
            let found = registry.reload();
            // A host keeps both as long as it runs.
            std::mem::forget((registry, found));
        }
        "reload" => reload(root, 2),
        "settled" => reload(root, 3),
        "peer-floor" => print_costs(|| floor::discover(root)),
        "peer-prowess" => {
            // The registry outlives the measurement, as a host's does.
            let registry = corpus::registry(root);
            print_costs(|| registry.reload().catalog.len());
        }
        _ => return ExitCode::from(2),
    }
    ExitCode::SUCCESS
}

fn reload(root: &Path, times: usize) {
    let registry = corpus::registry(root);
    (0..times).for_each(|_| drop(registry.reload()));
}

/// Prints the number of found skills, the CPU time of the process around the work alone and since
/// its start, and its peak memory, as the drivers of other packages in `compare/` do.
fn print_costs(discover: impl FnOnce() -> usize) {
    let (skills, time) = cpu_time(discover);
    let [work, whole] = [time, cpu_time_so_far()].map(|time| time.as_micros());
    let peak = peak_kib();
    println!(
        r#"{{"skills": {skills}, "cpu_us": {work}, "whole_us": {whole}, "peak_kib": {peak}}}"#
    );
}
