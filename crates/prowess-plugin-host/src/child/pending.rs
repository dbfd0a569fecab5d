//! Calls that wait for answers of a plugin's process.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::locked;
use super::protocol::{Answer, Failed, Reply};

/// A message about a call.
pub(super) enum Event {
    /// A part of a scan.
    Part(Box<Reply>, Vec<u8>),
    /// A question about the conversation, with its number.
    Ask(u64, String),
    /// The answer and its bytes.
    Done(Result<Answer, Failed>, Vec<u8>),
}

/// A call that waits.
#[derive(Default)]
pub(super) struct PendingCall {
    events: Mutex<VecDeque<Event>>,
    changed: Condvar,
}

impl PendingCall {
    /// Takes the next message.
    pub(super) fn take(&self) -> Option<Event> {
        locked(&self.events).pop_front()
    }

    /// Waits for a message or a [`wake`](Self::wake) for at most so long, unless there is a message
    /// or `is_needed` returns `false`.
    pub(super) fn wait(&self, most: Duration, is_needed: impl FnOnce() -> bool) {
        let events = locked(&self.events);
        // Under the lock that `wake` takes, so that no wake comes between the question and the
        // wait.
        if events.is_empty() && is_needed() {
            drop(self.changed.wait_timeout(events, most).unwrap_or_else(PoisonError::into_inner));
        }
    }

    fn push(&self, event: Event) {
        locked(&self.events).push_back(event);
        self.changed.notify_one();
    }

    fn wake(&self) {
        drop(locked(&self.events));
        self.changed.notify_one();
    }
}

/// The calls of one process that wait, by their numbers.
#[derive(Default)]
pub(super) struct PendingCalls(Mutex<HashMap<u64, Arc<PendingCall>>>);

impl PendingCalls {
    pub(super) fn insert(&self, id: u64) -> Arc<PendingCall> {
        let call = Arc::<PendingCall>::default();
        locked(&self.0).insert(id, Arc::clone(&call));
        call
    }

    /// Removes a call. Messages about it are dropped from then on.
    pub(super) fn remove(&self, id: u64) {
        locked(&self.0).remove(&id);
    }

    pub(super) fn is_empty(&self) -> bool {
        locked(&self.0).is_empty()
    }

    /// Hands a message to the call that it is about, if that still waits.
    pub(super) fn deliver(&self, id: u64, event: Event) {
        let call = locked(&self.0).get(&id).cloned();
        if let Some(call) = call {
            call.push(event);
        }
    }

    /// Wakes every call.
    pub(super) fn wake_all(&self) {
        let calls: Vec<_> = locked(&self.0).values().cloned().collect();
        calls.iter().for_each(|call| call.wake());
    }
}
