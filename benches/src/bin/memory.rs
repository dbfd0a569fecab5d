//! Prints what a catalog holds on the heap, by a counting allocator, and what the process needs.
//!
//! `memory DIRECTORY COUNT`: COUNT skills lie in DIRECTORY.
#![expect(clippy::print_stdout, reason = "its numbers go to the program that asked")]

use std::alloc::System;
use std::path::Path;
use std::process::ExitCode;

use benches::{corpus, measure::peak_kib};
use prowess_core::CatalogProvider;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [directory, count] = arguments.as_slice() else { return ExitCode::from(2) };
    let Ok(count) = count.parse::<usize>() else { return ExitCode::from(2) };
    let before = Region::new(ALLOCATOR);
    let registry = corpus::registry(Path::new(directory));
    registry.reload();
    let held = before.change();
    let bytes = held.bytes_allocated.saturating_sub(held.bytes_deallocated);
    let catalog = registry.catalog();
    let text: usize =
        catalog.skills().map(|skill| skill.name().len() + skill.description().len()).sum();
    println!("{} {} {}", bytes / count, text / count, peak_kib());
    ExitCode::SUCCESS
}
