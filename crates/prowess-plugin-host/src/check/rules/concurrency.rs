//! Concurrent calls from several threads.

use crate::check::probe::Probe;

pub(super) const THREADS: usize = 8;
pub(super) const ROUNDS: usize = 20;

/// Returns whether a condition holds in several concurrent threads, in each of several rounds.
///
/// Each round is a step with its own time limit.
pub(super) fn holds_concurrently(
    probe: &Probe,
    calls: &str,
    condition: impl Fn() -> bool + Sync,
) -> bool {
    (1..=ROUNDS).all(|round| {
        probe.step(format!("{THREADS} threads that {calls}, round {round} of {ROUNDS},"));
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(&condition)).collect();
            threads.into_iter().all(|thread| thread.join().unwrap_or(false))
        })
    })
}
