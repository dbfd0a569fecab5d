//! Questions that a plugin's thread hands to the caller of the call, which waits for its answer
//! anyway: so nothing of the caller is shared with another thread.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess_plugin_abi::{AbiError, codes};

use super::Answer;
use crate::guard::contain;
use crate::sleeper::Sleeper;

/// The questions of one call.
pub(crate) struct Mailbox {
    /// The thread that answers.
    pub(crate) caller: Arc<Sleeper>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Arc<Asked>>,
    is_closed: bool,
}

/// A question and the thread that waits for its answer.
struct Asked {
    question: String,
    answer: Mutex<Option<Result<Vec<u8>, AbiError>>>,
    asker: Sleeper,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Asked {
    fn finish(&self, answer: Result<Vec<u8>, AbiError>) {
        *lock(&self.answer) = Some(answer);
        self.asker.wake();
    }
}

impl Mailbox {
    /// Creates the mailbox of a call that this thread waits for.
    pub(crate) fn of_this_thread() -> Self {
        Self { caller: Arc::new(Sleeper::of_this_thread()), state: Mutex::default() }
    }

    /// Answers what has been asked so far, on the thread of the caller.
    pub(crate) fn serve(&self, answers: &dyn Answer) {
        while let Some(asked) = self.next() {
            let failed = Err(AbiError::new(codes::INTERNAL, "the host failed while it answered"));
            asked.finish(contain(failed, || answers.answer(&asked.question)));
        }
    }

    fn next(&self) -> Option<Arc<Asked>> {
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

/// Returns the answer to a question about a call that has ended.
pub(crate) fn ended() -> AbiError {
    AbiError::new(codes::CANCELLED, "the call has ended")
}

impl Answer for Mailbox {
    fn answer(&self, question: &str) -> Result<Vec<u8>, AbiError> {
        let asked = Arc::new(Asked {
            question: question.to_owned(),
            answer: Mutex::default(),
            asker: Sleeper::of_this_thread(),
        });
        let mut state = lock(&self.state);
        if state.is_closed {
            return Err(ended());
        }
        state.waiting.push_back(Arc::clone(&asked));
        drop(state);
        self.caller.wake();
        loop {
            asked.asker.sleep(None);
            if let Some(answer) = lock(&asked.answer).take() {
                return answer;
            }
        }
    }
}

/// Closes a mailbox when its caller stops waiting. A later question gets an error.
pub(crate) struct Closing<'a>(pub(crate) &'a Mailbox);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
