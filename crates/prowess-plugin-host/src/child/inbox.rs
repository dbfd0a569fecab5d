//! The messages of one socket, which whichever thread waits for one of them reads for all.
//!
//! So a message wakes the one thread that it is for, as a rule, and no thread is there for reading
//! alone.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use super::frame::FrameReader;
use super::locked;

/// How often a thread that waits checks whether it still needs to.
pub(super) const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// The messages of one socket, by the numbers that they are about.
pub(super) struct Inbox<E> {
    reader: Mutex<FrameReader>,
    waiting: Mutex<HashMap<u64, Arc<Slot<E>>>>,
}

/// The messages for one thread.
pub(super) struct Slot<E> {
    messages: Mutex<VecDeque<E>>,
    changed: Condvar,
}

impl<E> Inbox<E> {
    pub(super) fn new(reader: FrameReader) -> Self {
        Self { reader: Mutex::new(reader), waiting: Mutex::default() }
    }

    /// Returns the reader, while no thread waits.
    pub(super) fn reader(&self) -> MutexGuard<'_, FrameReader> {
        locked(&self.reader)
    }

    /// Opens a slot for the messages about a number.
    pub(super) fn open(&self, id: u64) -> Arc<Slot<E>> {
        let slot = Arc::new(Slot { messages: Mutex::default(), changed: Condvar::new() });
        locked(&self.waiting).insert(id, Arc::clone(&slot));
        slot
    }

    /// Removes a slot. Messages for it are dropped from then on.
    pub(super) fn remove(&self, id: u64) {
        locked(&self.waiting).remove(&id);
        // Another thread may have to read from here on.
        self.wake_all();
    }

    pub(super) fn is_empty(&self) -> bool {
        locked(&self.waiting).is_empty()
    }

    /// Wakes every thread that waits.
    pub(super) fn wake_all(&self) {
        let slots: Vec<_> = locked(&self.waiting).values().cloned().collect();
        slots.iter().for_each(|slot| slot.wake());
    }

    /// Waits for a message for this slot, at most for [`CHECK_INTERVAL`]. `read` reads one message,
    /// for this slot or for another one, from a socket whose reads time out.
    pub(super) fn wait(
        &self,
        slot: &Slot<E>,
        read: impl FnOnce(&mut FrameReader) -> io::Result<(u64, E)>,
    ) -> io::Result<Option<E>> {
        if let Some(message) = slot.take() {
            return Ok(Some(message));
        }
        let mut reader = match self.reader.try_lock() {
            Ok(reader) => reader,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                let is_read = || matches!(self.reader.try_lock(), Err(TryLockError::WouldBlock));
                slot.wait(is_read);
                return Ok(slot.take());
            }
        };
        // The thread that read until now may have left a message.
        if let Some(message) = slot.take() {
            return Ok(Some(message));
        }
        let read = read(&mut reader);
        drop(reader);
        match read {
            Ok((id, message)) => self.deliver(id, message),
            Err(error) if matches!(error.kind(), WouldBlock | TimedOut | Interrupted) => {}
            Err(error) => return Err(error),
        }
        Ok(slot.take())
    }

    /// Hands a message to the slot that it is for, if that is still open.
    fn deliver(&self, id: u64, message: E) {
        let slot = locked(&self.waiting).get(&id).cloned();
        if let Some(slot) = slot {
            slot.push(message);
        }
    }
}

impl<E> Slot<E> {
    fn take(&self) -> Option<E> {
        locked(&self.messages).pop_front()
    }

    /// Waits for a message or a [`wake`](Self::wake), unless there is a message or `is_needed`
    /// returns `false`.
    fn wait(&self, is_needed: impl FnOnce() -> bool) {
        let messages = locked(&self.messages);
        // Under the lock that `wake` takes, so that no wake comes between the question and the
        // wait.
        if messages.is_empty() && is_needed() {
            let waited = self.changed.wait_timeout(messages, CHECK_INTERVAL);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        }
    }

    fn push(&self, message: E) {
        locked(&self.messages).push_back(message);
        self.changed.notify_one();
    }

    fn wake(&self) {
        drop(locked(&self.messages));
        self.changed.notify_one();
    }
}
