//! Runs the simulation of failing stores for a million calls, or as many as the argument says.
#![forbid(unsafe_code)]
// A program of the developers, not of the library.
#![allow(clippy::print_stdout)]

#[path = "../tests/it/simulation.rs"]
mod simulation;

/// The calls of one simulated session.
const STEPS: u64 = 100_000;

fn main() {
    let steps = std::env::args().nth(1).and_then(|steps| steps.parse().ok()).unwrap_or(1_000_000);
    let mut done = 0;
    let mut changes = 0;
    let mut uncertain = 0;
    let mut stale = 0;
    let mut seed = 0;
    while done < steps {
        let summary = simulation::simulate(seed, STEPS.min(steps - done));
        done += summary.steps;
        changes += summary.changes;
        uncertain += summary.uncertain;
        stale += summary.stale;
        seed += 1;
    }
    println!(
        "{done} calls of failing stores, {stale} answers out of date, {changes} changes, {uncertain} \
         uncertain ones, 0 lost"
    );
}
