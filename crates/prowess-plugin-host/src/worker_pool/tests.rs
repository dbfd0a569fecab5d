//! Results, timeouts and abandoned calls of a pool.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use prowess_core::Cancel;
use prowess_plugin_abi::{AbiError, codes};

use super::{CallError, CallOptions, Questions, WorkerPool};
use crate::conversation::{Answer, Mailbox};

fn options(timeout: Duration) -> CallOptions<'static> {
    CallOptions { timeout, grace: Duration::ZERO, cancel: None, progress: None, questions: None }
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
                    assert_eq!(
                        answer,
                        Ok(caller * 10_000 + round),
                        "each caller gets the result of its own call"
                    );
                }
            });
        }
    });
    assert_eq!(pool.abandoned(), 0, "no call is abandoned");
    let idle = pool.0.lock().idle.len();
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

/// Returns each question as its answer, and checks that the caller's thread answers.
struct Echo(thread::ThreadId);

impl Answer for Echo {
    fn answer(&self, question: &str) -> Result<Vec<u8>, AbiError> {
        assert_eq!(thread::current().id(), self.0, "the caller's thread answers");
        assert_ne!(question, "panic", "the test asks for a panic");
        Ok(question.as_bytes().to_vec())
    }
}

#[test]
fn caller_answers_questions_while_it_waits() {
    let pool = WorkerPool::new(1);
    let answers = Echo(thread::current().id());
    for _ in 0..200 {
        let mailbox = Arc::new(Mailbox::of_this_thread());
        let questions = Some(Questions { mailbox: &mailbox, answers: &answers });
        let options = CallOptions { questions, ..options(LONG) };
        let asker = Arc::clone(&mailbox);
        let ask = move || {
            thread::scope(|scope| {
                let other = scope.spawn(|| asker.answer("from another thread"));
                (asker.answer("one"), asker.answer("panic"), other.join().unwrap())
            })
        };
        let (one, panicked, other) = pool.run(&options, ask).unwrap();
        assert_eq!(one, Ok(b"one".to_vec()));
        assert_eq!(
            panicked.unwrap_err().code,
            codes::INTERNAL,
            "a panic fails this question alone"
        );
        assert_eq!(other, Ok(b"from another thread".to_vec()));
    }
}

#[test]
fn question_after_the_call_is_an_error() {
    let pool = WorkerPool::new(1);
    let mailbox = Arc::new(Mailbox::of_this_thread());
    let answers = Echo(thread::current().id());
    let questions = Some(Questions { mailbox: &mailbox, answers: &answers });
    let (gone, is_gone) = mpsc::channel::<()>();
    let (sender, asked) = mpsc::channel();
    let asker = Arc::clone(&mailbox);
    let late = move || {
        // The channel closes after the caller has returned.
        let _ = is_gone.recv();
        sender.send(asker.answer("late")).unwrap();
    };
    let result = pool.run(&CallOptions { questions, ..options(SHORT) }, late);
    assert_eq!(result, Err(CallError::Timeout));
    drop(gone);
    assert_eq!(asked.recv().unwrap().unwrap_err().code, codes::CANCELLED, "the call has ended");
}
