//! CPU time and memory of this process.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// How much CPU time a piece of work takes.
pub fn cpu_time<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = now();
    let result = std::hint::black_box(work());
    (result, now().saturating_sub(start))
}

fn now() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// The most memory that the process has had in use, in KiB.
pub fn peak_kib() -> u64 {
    status("VmHWM:")
}

/// A number of the kernel's account of this process.
fn status(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or_default()
}

/// The memory that the process has in use now and shares with no file, in KiB: its heap and its stacks.
/// The pages of the program's own code come and go with the kernel's read-ahead.
pub fn private_kib() -> u64 {
    status("RssAnon:")
}

/// Times of single calls by the clock on the wall.
pub struct CallTimes {
    /// Half of the calls take no longer.
    pub half: Duration,
    /// 99 of 100 calls take no longer.
    pub most: Duration,
}

/// Measures single calls.
pub fn times_of_calls(calls: usize, mut call: impl FnMut() -> usize) -> CallTimes {
    let mut times: Vec<_> = (0..calls)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(call());
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    CallTimes { half: times[calls / 2], most: times[calls - 1 - calls / 100] }
}

/// How often a corpus of this size is looked at: a small one more often, so that all are looked at for as long
/// as one of 10,000 or longer. Less time says more of the moment than of the work.
pub fn rounds_at(count: usize, rounds: usize) -> usize {
    rounds * (10_000 / count).max(1)
}

/// The least times of several works, each done once in each of `rounds` rounds, so that whatever else the
/// machine is doing hits them alike; what it adds to one of them is left out. A work gives a number, so
/// that no compiler leaves it out.
pub fn least<const N: usize>(
    rounds: usize,
    works: [&mut dyn FnMut() -> usize; N],
) -> [Duration; N] {
    least_of(rounds, || {}, works, |work| cpu_time(work).1)
}

/// The same, where something is done before each round that does not count.
pub fn least_after<const N: usize>(
    rounds: usize,
    before: impl FnMut(),
    works: [&mut dyn FnMut() -> usize; N],
) -> [Duration; N] {
    least_of(rounds, before, works, |work| cpu_time(work).1)
}

/// The same by the clock on the wall, for works that have other processes work for them.
pub fn least_by_the_clock<const N: usize>(
    rounds: usize,
    works: [&mut dyn FnMut() -> usize; N],
) -> [Duration; N] {
    least_of(
        rounds,
        || {},
        works,
        |work| {
            let began = Instant::now();
            std::hint::black_box(work());
            began.elapsed()
        },
    )
}

fn least_of<const N: usize>(
    rounds: usize,
    mut before: impl FnMut(),
    mut works: [&mut dyn FnMut() -> usize; N],
    measured: impl Fn(&mut dyn FnMut() -> usize) -> Duration,
) -> [Duration; N] {
    let mut times = [Duration::MAX; N];
    for _ in 0..rounds.max(1) {
        before();
        for (time, work) in times.iter_mut().zip(&mut works) {
            *time = measured(work).min(*time);
        }
    }
    times
}
