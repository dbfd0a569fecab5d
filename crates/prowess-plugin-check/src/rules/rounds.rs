//! Calls from several threads at once.

use crate::probe::Probe;

pub(super) const THREADS: usize = 8;
pub(super) const ROUNDS: usize = 20;

/// Returns whether a condition holds in several threads at once, in each of several rounds.
///
/// Each round is a step, so that the deadline is for one round.
pub(super) fn hold_at_once(
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
