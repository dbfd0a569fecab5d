//! Distributes the messages of one socket to waiting threads. One of them reads for all.
//!
//! So a message usually wakes only its recipient, and there is no separate reader thread.

use std::collections::{HashMap, VecDeque};
use std::io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::ptr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

use super::frame::FrameReader;
use crate::guard::lock;
use crate::spin::Spin;

/// How long a thread waits before it checks again whether to continue.
pub(super) const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// The messages of one socket, by call number.
pub(super) struct Inbox<E> {
    reader: Mutex<FrameReader>,
    waiting: Mutex<HashMap<u64, Arc<Slot<E>>>>,
}

/// The messages for one waiting thread.
pub(super) struct Slot<E> {
    messages: Mutex<VecDeque<E>>,
    changed: Condvar,
}

impl<E> Inbox<E> {
    pub(super) fn new(reader: FrameReader) -> Self {
        Self { reader: Mutex::new(reader), waiting: Mutex::default() }
    }

    /// Returns the reader. It blocks while a thread waits for a message.
    pub(super) fn reader(&self) -> MutexGuard<'_, FrameReader> {
        lock(&self.reader)
    }

    /// Opens a slot for the messages with this number.
    pub(super) fn open(&self, id: u64) -> Arc<Slot<E>> {
        let slot = Arc::new(Slot { messages: Mutex::default(), changed: Condvar::new() });
        lock(&self.waiting).insert(id, Arc::clone(&slot));
        slot
    }

    /// Removes a slot. Later messages for it are dropped.
    pub(super) fn remove(&self, id: u64) {
        lock(&self.waiting).remove(&id);
        // Another thread may have to become the reader.
        self.wake_all();
    }

    pub(super) fn is_empty(&self) -> bool {
        lock(&self.waiting).is_empty()
    }

    /// Wakes every waiting thread.
    pub(super) fn wake_all(&self) {
        let slots: Vec<_> = lock(&self.waiting).values().cloned().collect();
        slots.iter().for_each(|slot| slot.wake());
    }

    /// Waits for a message for this slot, at most for [`CHECK_INTERVAL`]. `read` reads one message
    /// for any slot, from a socket with a read timeout.
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
                let has_reader = || matches!(self.reader.try_lock(), Err(TryLockError::WouldBlock));
                slot.wait(has_reader);
                return Ok(slot.take());
            }
        };
        // The previous reader may have delivered a message.
        if let Some(message) = slot.take() {
            return Ok(Some(message));
        }
        // Delivered before another thread reads, so that the messages of a slot stay in order.
        match read(&mut reader) {
            Ok((id, message)) => Ok(self.deliver(id, message, slot)),
            Err(error) if matches!(error.kind(), WouldBlock | TimedOut | Interrupted) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Delivers a message to its slot, if that is still open. Returns a message for `own`.
    fn deliver(&self, id: u64, message: E, own: &Slot<E>) -> Option<E> {
        let slot = lock(&self.waiting).get(&id).cloned()?;
        if ptr::eq(&*slot, own) {
            return Some(message);
        }
        slot.push(message);
        None
    }
}

impl<E> Slot<E> {
    fn take(&self) -> Option<E> {
        lock(&self.messages).pop_front()
    }

    /// Waits for a message or a [`wake`](Self::wake), unless there is a message or `is_needed`
    /// returns `false`.
    fn wait(&self, is_needed: impl FnOnce() -> bool) {
        let messages = lock(&self.messages);
        // Under the lock that `wake` takes, so that no wake is missed between the check and the
        // wait.
        if messages.is_empty() && is_needed() {
            let waited = self.changed.wait_timeout(messages, CHECK_INTERVAL);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        }
    }

    fn push(&self, message: E) {
        lock(&self.messages).push_back(message);
        self.changed.notify_one();
    }

    fn wake(&self) {
        drop(lock(&self.messages));
        self.changed.notify_one();
    }
}

/// The spin before a read blocks. Each check is a system call.
static SPIN: Spin = Spin::new(1);

/// A socket whose reads poll for data for some microseconds before they block.
pub(super) struct SpinReader<'a>(pub(super) &'a UnixStream);

impl Read for SpinReader<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let mut got = Err(Errno::AGAIN);
        let has_data = || {
            got = recv(self.0, &mut *to, RecvFlags::DONTWAIT).map(|(count, _)| count);
            got != Err(Errno::AGAIN)
        };
        if SPIN.until(has_data) {
            return Ok(got?);
        }
        (&mut &*self.0).read(to)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    static INBOX: LazyLock<Inbox<Message>> = LazyLock::new(|| Inbox::new(FrameReader::new(1, 1)));
    struct Message;

    impl Drop for Message {
        fn drop(&mut self) {
            assert!(INBOX.reader.try_lock().is_err(), "no other thread reads the next message");
        }
    }

    #[test]
    fn message_is_delivered_before_the_next_read() {
        // No slot is open for it, so it is dropped where others are delivered.
        assert!(INBOX.wait(&INBOX.open(1), |_| Ok((2, Message))).is_ok_and(|own| own.is_none()));
    }
}
