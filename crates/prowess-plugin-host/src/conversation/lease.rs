//! Lends what answers the questions of a call to the plugin's threads, which may outlive the call.
//!
//! A question is answered on the thread that asks, so it costs no hand-over to the caller's thread.

use std::marker::PhantomData;
use std::mem::transmute;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

use prowess_plugin_abi::{AbiError, codes};

use super::Answer;
use crate::guard::lock;

/// Lends answers until it is dropped. The drop waits for a question that is being answered.
pub(crate) struct AnswersLease<'a> {
    lent: Arc<LentAnswers>,
    answers: PhantomData<&'a (dyn Answer + Sync)>,
}

/// The plugin's access to the answers of a call. When the call has ended, each question is an
/// error. It answers one question at a time.
pub(crate) struct LentAnswers(Mutex<Option<Pointer>>);

struct Pointer(NonNull<dyn Answer + Sync>);

#[allow(unsafe_code, reason = "raw pointers are not `Send`")]
// SAFETY: what it points to is `Sync`, so any thread may use a reference to it.
unsafe impl Send for Pointer {}

impl<'a> AnswersLease<'a> {
    pub(crate) fn new(answers: &'a (dyn Answer + Sync)) -> Self {
        let answers = NonNull::from(answers);
        #[allow(unsafe_code, reason = "only the lifetime changes")]
        // SAFETY: the drop of the lease, which cannot outlive `'a`, removes the pointer under the
        // lock, so it is not used later. A lease is never leaked, because it does not leave the
        // function that creates it.
        let answers = unsafe {
            transmute::<NonNull<dyn Answer + Sync + 'a>, NonNull<dyn Answer + Sync + 'static>>(
                answers,
            )
        };
        Self {
            lent: Arc::new(LentAnswers(Mutex::new(Some(Pointer(answers))))),
            answers: PhantomData,
        }
    }

    pub(crate) fn lent(&self) -> &Arc<LentAnswers> {
        &self.lent
    }
}

impl Drop for AnswersLease<'_> {
    fn drop(&mut self) {
        *lock(&self.lent.0) = None;
    }
}

impl LentAnswers {
    /// Answers a question in JSON, unless the call has ended.
    pub(crate) fn answer(&self, question: &str) -> Result<Vec<u8>, AbiError> {
        let slot = lock(&self.0);
        let Some(Pointer(answers)) = &*slot else {
            return Err(AbiError::new(codes::CANCELLED, "the call has ended"));
        };
        #[allow(unsafe_code, reason = "the answers are behind a raw pointer")]
        // SAFETY: as long as the pointer is in the slot, which is locked, the answers are alive.
        let answers = unsafe { answers.as_ref() };
        answers.answer(question)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread;

    use super::*;

    /// Answers with the question, or panics.
    struct Echo;

    impl Answer for Echo {
        fn answer(&self, question: &str) -> Result<Vec<u8>, AbiError> {
            assert_ne!(question, "panic", "the test asks for a panic");
            Ok(question.as_bytes().to_vec())
        }
    }

    #[test]
    fn questions_of_any_thread_are_answered() {
        let lease = AnswersLease::new(&Echo);
        let lent = lease.lent();
        let panicked = catch_unwind(AssertUnwindSafe(|| lent.answer("panic")));
        assert!(panicked.is_err(), "the boundary contains it");
        let other = Arc::clone(lent);
        let other = thread::spawn(move || other.answer("from another thread")).join();
        assert_eq!(other.expect("it is answered"), Ok(b"from another thread".to_vec()));
        assert_eq!(lent.answer("one"), Ok(b"one".to_vec()), "a panic fails its question alone");
    }

    #[test]
    fn question_after_the_call_is_an_error() {
        let lease = AnswersLease::new(&Echo);
        let lent = Arc::clone(lease.lent());
        drop(lease);
        let error = lent.answer("late").expect_err("the call has ended");
        assert_eq!(error.code, codes::CANCELLED);
    }

    /// Answers once a message comes.
    struct Slow {
        begun: Sender<()>,
        go_on: Mutex<Receiver<()>>,
        has_ended: AtomicBool,
    }

    impl Answer for Slow {
        fn answer(&self, _: &str) -> Result<Vec<u8>, AbiError> {
            let _ = self.begun.send(());
            let _ = self.go_on.lock().expect("nothing panics").recv();
            self.has_ended.store(true, Ordering::SeqCst);
            Ok(Vec::new())
        }
    }

    #[test]
    fn lease_ends_after_the_question_that_is_being_answered() {
        let (begun, has_begun) = channel();
        let (go_on, goes_on) = channel();
        let slow = Slow { begun, go_on: Mutex::new(goes_on), has_ended: AtomicBool::new(false) };
        let lease = AnswersLease::new(&slow);
        let lent = Arc::clone(lease.lent());
        let asker = thread::spawn(move || lent.answer("slow"));
        has_begun.recv().expect("it is being answered");
        let releaser = thread::spawn(move || {
            // Gives the drop below time to begin.
            (0..10_000).for_each(|_| thread::yield_now());
            go_on.send(())
        });
        drop(lease);
        assert!(slow.has_ended.load(Ordering::SeqCst), "the drop has waited");
        releaser.join().expect("it ends").expect("the answer waits for it");
        assert_eq!(asker.join().expect("it ends"), Ok(Vec::new()));
    }
}
