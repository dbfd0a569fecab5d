//! CPU time and memory of a process.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// Measures the CPU time of a piece of work.
pub fn cpu_time<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = cpu_time_so_far();
    let result = std::hint::black_box(work());
    (result, cpu_time_so_far().saturating_sub(start))
}

/// Returns the CPU time of the process since its start.
pub fn cpu_time_so_far() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Returns the peak memory of the process in KiB.
pub fn peak_kib() -> u64 {
    status("VmHWM:")
}

/// Returns the peak memory of another process in KiB.
pub fn peak_kib_of(process: u32) -> u64 {
    status_of(&process.to_string(), "VmHWM:")
}

/// Returns the CPU time of the threads of a process in nanoseconds, and the number of their context
/// switches.
pub fn work_of(process: u32) -> [u64; 2] {
    entries(process, "task").fold([0; 2], |[time, switches], thread| {
        let thread = format!("{process}/task/{}", thread.file_name().display());
        let run = std::fs::read_to_string(format!("/proc/{thread}/schedstat")).unwrap_or_default();
        let run = run.split(' ').next().and_then(|time| time.parse::<u64>().ok());
        let kinds = ["voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"];
        let switched: u64 = kinds.map(|kind| status_of(&thread, kind)).iter().sum();
        [time + run.unwrap_or_default(), switches + switched]
    })
}

/// Returns the memory that a process uses now in MiB, its descriptors and its threads.
pub fn held_by(process: u32) -> [f64; 3] {
    let resident = status_of(&process.to_string(), "VmRSS:") as f64 / 1024.0;
    let [descriptors, threads] = ["fd", "task"].map(|of| entries(process, of).count() as f64);
    [resident, descriptors, threads]
}

fn entries(process: u32, of: &str) -> impl Iterator<Item = std::fs::DirEntry> {
    std::fs::read_dir(format!("/proc/{process}/{of}")).into_iter().flatten().flatten()
}

fn status(field: &str) -> u64 {
    status_of("self", field)
}

fn status_of(process: &str, field: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or_default()
}

/// Returns the memory that the process uses now and shares with no file, in KiB: its heap and its
/// stacks.
pub fn private_kib() -> u64 {
    status("RssAnon:")
}

/// Returns the memory that the process uses now, in KiB, with the pages of its code that the kernel
/// has mapped or read ahead.
pub fn resident_kib() -> u64 {
    status("VmRSS:")
}

/// Wall-clock times of single calls.
pub struct CallTimes {
    /// The median.
    pub half: Duration,
    /// The 99th percentile.
    pub most: Duration,
}

/// Measures single calls, in ten parts, of which that with the least median counts: whether threads
/// that wait for each other are awake changes from one moment to the next.
pub fn times_of_calls(calls: usize, mut call: impl FnMut() -> usize) -> CallTimes {
    let parts = (0..10).map(|_| {
        let mut times: Vec<_> = (0..calls / 10)
            .map(|_| {
                let start = Instant::now();
                std::hint::black_box(call());
                start.elapsed()
            })
            .collect();
        times.sort_unstable();
        CallTimes { half: times[times.len() / 2], most: times[times.len() * 99 / 100] }
    });
    parts.min_by_key(|times| times.half).expect("there are parts")
}

/// Returns the number of rounds for a corpus of this size: a small one is measured more often, so
/// that each size is measured for about as long. A short measurement depends more on the moment
/// than on the work.
pub fn rounds_at(count: usize, rounds: usize) -> usize {
    rounds * (10_000 / count).max(1)
}

/// Returns the least CPU time of several works, each done once in each of `rounds` rounds, so that
/// other load of the machine affects them alike. A work returns a number, so that no compiler
/// removes it.
pub fn least<const N: usize>(
    rounds: usize,
    works: [&mut dyn FnMut() -> usize; N],
) -> [Duration; N] {
    least_of(rounds, || {}, works, |work| cpu_time(work).1)
}

/// As [`least`], after a preparation of each round that is not measured.
pub fn least_after<const N: usize>(
    rounds: usize,
    before: impl FnMut(),
    works: [&mut dyn FnMut() -> usize; N],
) -> [Duration; N] {
    least_of(rounds, before, works, |work| cpu_time(work).1)
}

/// As [`least`], in wall-clock time, for work of other processes.
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
