//! Results, timeouts and abandoned calls of a pool.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use prowess_core::Cancel;

use super::{CallError, CallOptions, WorkerPool};

fn options(timeout: Duration) -> CallOptions<'static> {
    CallOptions { timeout, grace: Duration::ZERO, cancel: None, progress: None }
}

const LONG: Duration = Duration::from_secs(600);
const SHORT: Duration = Duration::from_millis(1);

#[test]
fn each_caller_gets_its_own_answer() {
    let pool = WorkerPool::new(4);
    thread::scope(|scope| {
        for caller in 0..8_u64 {
            let pool = &pool;
            scope.spawn(move || {
                for round in 0..2_000 {
                    let answer = pool.run(&options(LONG), move || caller * 10_000 + round);
                    assert_eq!(answer, Ok(caller * 10_000 + round), "each gets its own result");
                }
            });
        }
    });
    assert_eq!(pool.abandoned(), 0, "no call is abandoned");
    let idle = super::lock(&pool.0.state).idle.len();
    assert!((1..=4).contains(&idle), "{idle} idle threads; at most the capacity of the pool");
}

#[test]
fn parked_worker_runs_next_call() {
    let pool = WorkerPool::new(1);
    for round in 0..3 {
        assert_eq!(pool.run(&options(LONG), move || round), Ok(round));
        // Longer than a worker spins before it parks.
        thread::park_timeout(Duration::from_millis(2));
    }
}

#[test]
fn abandoned_call_keeps_its_slot_until_it_returns() {
    let pool = WorkerPool::new(1);
    let (release, released) = mpsc::channel::<()>();
    let hung = pool.run(&options(SHORT), move || released.recv().is_ok());
    assert_eq!(hung, Err(CallError::Timeout));
    assert_eq!(pool.abandoned(), 1, "the call still takes its slot");
    assert_eq!(pool.run(&options(LONG), || ()), Err(CallError::Stuck), "no slot is left");
    release.send(()).expect("the call waits for this message");
    while pool.abandoned() > 0 {
        thread::yield_now();
    }
    assert_eq!(pool.run(&options(LONG), || 7), Ok(7), "the slot is free again");
}

#[test]
fn cancelled_call_is_abandoned_after_its_grace_period() {
    let pool = WorkerPool::new(1);
    let cancel = Cancel::default();
    cancel.cancel();
    let (_keep, never) = mpsc::channel::<()>();
    let options = CallOptions { cancel: Some(&cancel), ..options(LONG) };
    assert_eq!(pool.run(&options, move || never.recv().is_ok()), Err(CallError::Cancelled));
}

#[test]
fn progress_restarts_the_timeout() {
    let pool = WorkerPool::new(1);
    let progress = Arc::new(AtomicU64::new(0));
    let own = Arc::clone(&progress);
    let timeout = Duration::from_millis(800);
    let options = CallOptions { progress: Some(&progress), ..options(timeout) };
    let answer = pool.run(&options, move || {
        for _ in 0..6 {
            thread::park_timeout(Duration::from_millis(200));
            own.fetch_add(1, Ordering::Relaxed);
        }
        "whole"
    });
    assert_eq!(answer, Ok("whole"), "it took longer than the timeout");
}

#[test]
fn panic_of_the_host_is_resumed_in_the_caller() {
    let pool = WorkerPool::new(1);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        pool.run(&options(LONG), || panic!("a panic of the host"))
    }));
    assert!(panicked.is_err(), "the caller panics");
    assert_eq!(pool.run(&options(LONG), || 7), Ok(7), "the pool still runs calls");
}

#[test]
fn dropping_the_pool_ends_idle_threads() {
    struct CountDrops(Arc<AtomicUsize>);
    impl Drop for CountDrops {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    thread_local!(static OWN: std::cell::RefCell<Option<CountDrops>> = const { std::cell::RefCell::new(None) });
    let ended = Arc::<AtomicUsize>::default();
    let pool = WorkerPool::new(2);
    let counted = CountDrops(Arc::clone(&ended));
    let kept = pool.run(&options(LONG), || OWN.set(Some(counted)));
    kept.expect("the call returns");
    drop(pool);
    // The values of a thread are dropped when it ends.
    while ended.load(Ordering::SeqCst) == 0 {
        thread::yield_now();
    }
}
