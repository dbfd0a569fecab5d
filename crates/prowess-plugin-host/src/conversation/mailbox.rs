//! Passes the questions of a plugin's thread to the caller's thread, which answers them while it
//! waits for the call. So the caller's borrowed values are not shared with another thread.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess_plugin_abi::{AbiError, codes};

use super::Answer;
use crate::guard::contain;
use crate::parker::Parker;

/// The questions of one call.
pub(crate) struct Mailbox {
    /// The caller's thread, which answers.
    pub(crate) caller: Arc<Parker>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Arc<PendingQuestion>>,
    is_closed: bool,
}

/// A question and the thread that waits for its answer.
struct PendingQuestion {
    question: String,
    answer: Mutex<Option<Result<Vec<u8>, AbiError>>>,
    asker: Parker,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PendingQuestion {
    fn finish(&self, answer: Result<Vec<u8>, AbiError>) {
        *lock(&self.answer) = Some(answer);
        self.asker.wake();
    }
}

impl Mailbox {
    /// Creates the mailbox of a call whose caller is the current thread.
    pub(crate) fn of_this_thread() -> Self {
        Self { caller: Arc::new(Parker::of_this_thread()), state: Mutex::default() }
    }

    /// Answers the waiting questions, on the caller's thread.
    pub(crate) fn serve(&self, answers: &dyn Answer) {
        while let Some(asked) = self.next() {
            let failed = Err(AbiError::new(codes::INTERNAL, "the host failed to answer"));
            asked.finish(contain(failed, || answers.answer(&asked.question)));
        }
    }

    fn next(&self) -> Option<Arc<PendingQuestion>> {
        lock(&self.state).waiting.pop_front()
    }

    fn close(&self) {
        let mut state = lock(&self.state);
        state.is_closed = true;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.iter().for_each(|asked| asked.finish(Err(ended())));
    }
}

/// Returns the error of a question that arrives after the call.
pub(crate) fn ended() -> AbiError {
    AbiError::new(codes::CANCELLED, "the call has ended")
}

impl Answer for Mailbox {
    fn answer(&self, question: &str) -> Result<Vec<u8>, AbiError> {
        let asked = Arc::new(PendingQuestion {
            question: question.to_owned(),
            answer: Mutex::default(),
            asker: Parker::of_this_thread(),
        });
        let mut state = lock(&self.state);
        if state.is_closed {
            return Err(ended());
        }
        state.waiting.push_back(Arc::clone(&asked));
        drop(state);
        self.caller.wake();
        loop {
            asked.asker.park(None);
            if let Some(answer) = lock(&asked.answer).take() {
                return answer;
            }
        }
    }
}

/// Closes a mailbox when it is dropped. A later question gets an error.
pub(crate) struct CloseOnDrop<'a>(pub(crate) &'a Mailbox);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
