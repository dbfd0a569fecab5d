//! Calls on other threads: answers, deadlines, and what is lost.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use prowess_core::Cancel;
use prowess_plugin_abi::{AbiError, codes};

use super::{Calls, GaveUp, Patience, Questions};
use crate::conversation::{Answer, Mailbox};

fn patience(limit: Duration) -> Patience<'static> {
    Patience { limit, grace: Duration::ZERO, cancel: None, progress: None, questions: None }
}

const LONG: Duration = Duration::from_secs(600);
const SHORT: Duration = Duration::from_millis(1);

#[test]
fn each_caller_gets_its_own_answer() {
    let calls = Calls::new(4);
    thread::scope(|scope| {
        for caller in 0..8_u64 {
            let calls = &calls;
            scope.spawn(move || {
                for round in 0..2_000 {
                    let answer = calls.run(&patience(LONG), move || caller * 10_000 + round);
                    assert_eq!(answer, Ok(caller * 10_000 + round), "nobody else's");
                }
            });
        }
    });
    assert_eq!(calls.lost(), 0, "all have returned");
    let idle = calls.0.lock().idle.len();
    assert!((1..=4).contains(&idle), "{idle} threads wait, and no more than may run at once");
}

#[test]
fn call_after_a_sleep_is_answered() {
    let calls = Calls::new(1);
    for round in 0..3 {
        assert_eq!(calls.run(&patience(LONG), move || round), Ok(round));
        // Longer than a worker looks for its next job.
        thread::park_timeout(Duration::from_millis(2));
    }
}

#[test]
fn lost_call_takes_its_place_until_it_returns() {
    let calls = Calls::new(1);
    let (release, released) = mpsc::channel::<()>();
    let hung = calls.run(&patience(SHORT), move || released.recv().is_ok());
    assert_eq!(hung, Err(GaveUp::Deadline));
    assert_eq!(calls.lost(), 1, "its place is taken");
    assert_eq!(calls.run(&patience(LONG), || ()), Err(GaveUp::Stuck), "no other is left");
    release.send(()).expect("the call still waits");
    while calls.lost() > 0 {
        thread::yield_now();
    }
    assert_eq!(calls.run(&patience(LONG), || 7), Ok(7), "the place is free again");
}

#[test]
fn cancelled_call_is_given_up_after_its_grace() {
    let calls = Calls::new(1);
    let cancel = Cancel::default();
    cancel.cancel();
    let (_keep, never) = mpsc::channel::<()>();
    let patience = Patience { cancel: Some(&cancel), ..patience(LONG) };
    assert_eq!(calls.run(&patience, move || never.recv().is_ok()), Err(GaveUp::Cancelled));
}

#[test]
fn progress_extends_the_deadline() {
    let calls = Calls::new(1);
    let progress = Arc::new(AtomicU64::new(0));
    let own = Arc::clone(&progress);
    let limit = Duration::from_millis(800);
    let patience = Patience { progress: Some(&progress), ..patience(limit) };
    let answer = calls.run(&patience, move || {
        for _ in 0..6 {
            thread::park_timeout(Duration::from_millis(200));
            own.fetch_add(1, Ordering::Relaxed);
        }
        "whole"
    });
    assert_eq!(answer, Ok("whole"), "it took longer than the limit and went on");
}

#[test]
fn panic_of_the_host_s_code_goes_on_at_the_caller() {
    let calls = Calls::new(1);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        calls.run(&patience(LONG), || panic!("the host's own"))
    }));
    assert!(panicked.is_err(), "the caller panics");
    assert_eq!(calls.run(&patience(LONG), || 7), Ok(7), "and the next call is answered");
}

#[test]
fn idle_threads_end_with_the_calls() {
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    thread_local!(static OWN: std::cell::RefCell<Option<Counted>> = const { std::cell::RefCell::new(None) });
    let ended = Arc::<AtomicUsize>::default();
    let calls = Calls::new(2);
    let counted = Counted(Arc::clone(&ended));
    let kept = calls.run(&patience(LONG), || OWN.set(Some(counted)));
    kept.expect("it is answered");
    drop(calls);
    // What a thread keeps is dropped when it ends.
    while ended.load(Ordering::SeqCst) == 0 {
        thread::yield_now();
    }
}

/// Answers with the question, on the thread that it was made on.
struct Echo(thread::ThreadId);

impl Answer for Echo {
    fn answer(&self, question: &str) -> Result<Vec<u8>, AbiError> {
        assert_eq!(thread::current().id(), self.0, "the caller answers");
        assert_ne!(question, "panic", "a question of the test");
        Ok(question.as_bytes().to_vec())
    }
}

#[test]
fn caller_answers_questions_while_it_waits() {
    let calls = Calls::new(1);
    let answers = Echo(thread::current().id());
    for _ in 0..200 {
        let mailbox = Arc::new(Mailbox::of_this_thread());
        let questions = Some(Questions { mailbox: &mailbox, answers: &answers });
        let patience = Patience { questions, ..patience(LONG) };
        let asker = Arc::clone(&mailbox);
        let ask = move || {
            thread::scope(|scope| {
                let other = scope.spawn(|| asker.answer("from another thread"));
                (asker.answer("one"), asker.answer("panic"), other.join().unwrap())
            })
        };
        let (one, panicked, other) = calls.run(&patience, ask).unwrap();
        assert_eq!(one, Ok(b"one".to_vec()));
        assert_eq!(
            panicked.unwrap_err().code,
            codes::INTERNAL,
            "a panic is an error of one question"
        );
        assert_eq!(other, Ok(b"from another thread".to_vec()));
    }
}

#[test]
fn question_after_the_caller_has_left_is_an_error() {
    let calls = Calls::new(1);
    let mailbox = Arc::new(Mailbox::of_this_thread());
    let answers = Echo(thread::current().id());
    let questions = Some(Questions { mailbox: &mailbox, answers: &answers });
    let (gone, is_gone) = mpsc::channel::<()>();
    let (sender, asked) = mpsc::channel();
    let asker = Arc::clone(&mailbox);
    let late = move || {
        // The channel closes once the caller has given up.
        let _ = is_gone.recv();
        sender.send(asker.answer("late")).unwrap();
    };
    let gave_up = calls.run(&Patience { questions, ..patience(SHORT) }, late);
    assert_eq!(gave_up, Err(GaveUp::Deadline));
    drop(gone);
    assert_eq!(asked.recv().unwrap().unwrap_err().code, codes::CANCELLED, "the call has ended");
}
