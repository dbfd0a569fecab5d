//! Short waits without sleep, where they have paid off lately.
//!
//! To be woken takes longer than a short call. On a machine with a free processor, the thread that
//! answers runs there, and a look at memory sees its answer. On a busy one it waits for the very
//! processor that this thread keeps by looking: there the thread goes to sleep at once.

use std::hint::spin_loop;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long a thread looks: longer than another one takes to wake up.
const AWAKE: Duration = Duration::from_micros(30);
/// The score of waits that pay off.
const MOST: i32 = 16;
/// How many waits go without a look once looks have failed.
const SKIPPED: i32 = 256;
/// How many waits look after that.
const TRIED: i32 = 4;

/// A kind of waits, with what looking was worth so far.
pub(crate) struct Spin {
    /// Above zero, a wait looks; below, it is one of those that do not.
    score: AtomicI32,
    /// How many looks there are between two looks at the clock.
    looks: u32,
}

impl Spin {
    pub(crate) const fn new(looks: u32) -> Self {
        Self { score: AtomicI32::new(MOST), looks }
    }

    /// Looks for some microseconds whether something is there. Returns whether it is.
    pub(crate) fn until(&self, is_there: impl FnMut() -> bool) -> bool {
        if !has_other_processors() {
            return false;
        }
        // Threads that change the score at once lose a change, which matters to none of them.
        let score = self.score.load(Ordering::Relaxed);
        if score <= 0 {
            let next = if score < 0 { score + 1 } else { TRIED };
            self.score.store(next, Ordering::Relaxed);
            return false;
        }
        let is_found = self.look(is_there);
        let next = match (is_found, score) {
            (true, _) => (score + 1).min(MOST),
            (false, 1) => -SKIPPED,
            (false, _) => score - 1,
        };
        self.score.store(next, Ordering::Relaxed);
        is_found
    }

    fn look(&self, mut is_there: impl FnMut() -> bool) -> bool {
        let begun = Instant::now();
        loop {
            for _ in 0..self.looks {
                if is_there() {
                    return true;
                }
                spin_loop();
            }
            if begun.elapsed() >= AWAKE {
                return false;
            }
        }
    }
}

/// Whether another thread can run while this one looks for it.
fn has_other_processors() -> bool {
    static OTHERS: OnceLock<bool> = OnceLock::new();
    *OTHERS.get_or_init(|| thread::available_parallelism().is_ok_and(|count| count.get() > 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_that_fail_become_rare() {
        let spin = Spin::new(1);
        let mut looked = 0;
        for _ in 0..1_000 {
            let mut has_looked = false;
            spin.until(|| {
                has_looked = true;
                false
            });
            looked += u32::from(has_looked);
        }
        assert!(looked <= 32, "at most sixteen at first and a few from time to time: {looked}");
    }

    #[test]
    fn looks_that_succeed_go_on() {
        let spin = Spin::new(1);
        let is_alone = !has_other_processors();
        assert!((0..1_000).all(|_| spin.until(|| true) || is_alone), "each one looks");
    }
}
