//! Runs bad scripts, 5,000 unless another number is given: none may outlive its time limit by more
//! than a second, and no process, zombie, file or descriptor may be left.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "it is a test for a terminal")]
#![allow(dead_code, reason = "it shares a fixture with the tests")]

#[path = "../tests/it/bad.rs"]
mod bad;
#[path = "../tests/it/fixture.rs"]
mod fixture;

use std::time::Duration;

/// The number of threads that run scripts.
const THREADS: usize = 4;
/// The most time of a script with a time limit of 150 ms.
const MOST: Duration = Duration::from_millis(1_150);

fn main() {
    let count: usize = std::env::args().nth(1).map_or(5_000, |count| count.parse().unwrap());
    // The first one builds the stage.
    bad::run(2);
    let descriptors = entries("/proc/self/fd");
    let longest = std::thread::scope(|scope| {
        let threads = [(); THREADS].map(|()| scope.spawn(|| bad::run(count.div_ceil(THREADS))));
        threads.map(|thread| thread.join().unwrap()).into_iter().max().unwrap()
    });
    assert_eq!(entries("/proc/self/fd"), descriptors, "no descriptor is left");
    let children = std::fs::read_to_string("/proc/thread-self/children").unwrap();
    assert_eq!(children, "", "no process and no zombie is left");
    assert!(longest <= MOST, "a script took {longest:?}");
    println!(
        "{count} bad scripts: no process, zombie, file or descriptor is left; the longest took {longest:?}"
    );
}

fn entries(directory: &str) -> usize {
    std::fs::read_dir(directory).unwrap().count()
}
