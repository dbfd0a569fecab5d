//! The questions of the calls in a plugin's process, which its host answers.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};

use prowess_plugin_abi::AbiError;

use super::locked;

/// The host's answer to a question.
pub(super) type HostAnswer = Result<Vec<u8>, AbiError>;

/// The questions that wait for an answer, by their numbers.
#[derive(Default)]
pub(super) struct OpenQuestions {
    next: AtomicU64,
    waiting: Mutex<HashMap<u64, Waiting>>,
}

struct Waiting {
    call: u64,
    answer: Sender<HostAnswer>,
}

impl OpenQuestions {
    /// Opens a question of a call, and returns its number and where its answer will arrive.
    pub(super) fn open(&self, call: u64) -> (u64, Receiver<HostAnswer>) {
        let question = self.next.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = mpsc::channel();
        locked(&self.waiting).insert(question, Waiting { call, answer });
        (question, answered)
    }

    /// Hands an answer to the thread that asked.
    pub(super) fn answer(&self, question: u64, answer: HostAnswer) {
        if let Some(waiting) = locked(&self.waiting).remove(&question) {
            // A thread that no longer waits belongs to a call that has ended.
            let _ = waiting.answer.send(answer);
        }
    }

    /// Ends the questions of a call that has ended.
    pub(super) fn end(&self, call: u64) {
        locked(&self.waiting).retain(|_, waiting| waiting.call != call);
    }
}
