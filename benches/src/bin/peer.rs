//! Finds the skills of a directory once: the bare system calls, or prowess.
//!
//! `peer floor|prowess ROOT` prints `{"skills": COUNT, "cpu_us": TIME, "peak_kib": MEMORY}`: CPU
//! time of the process around the work alone, and the most memory that it has had. The drivers of
//! other people's packages, in `compare/`, print the same.
#![expect(clippy::print_stdout, reason = "its numbers go to the program that asked")]

use std::path::Path;
use std::process::ExitCode;

use benches::measure::{cpu_time, peak_kib};
use benches::{corpus, floor};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [work, root] = arguments.as_slice() else { return ExitCode::from(2) };
    let root = Path::new(root);
    // The registry outlives the clock, as a host's does: what is measured is finding, not
    // forgetting.
    let registry = corpus::registry(root);
    let (skills, time) = match work.as_str() {
        "floor" => cpu_time(|| floor::discover(root)),
        "prowess" => cpu_time(|| registry.reload().catalog.len()),
        _ => return ExitCode::from(2),
    };
    let (time, peak) = (time.as_micros(), peak_kib());
    println!("{{\"skills\": {skills}, \"cpu_us\": {time}, \"peak_kib\": {peak}}}");
    ExitCode::SUCCESS
}
