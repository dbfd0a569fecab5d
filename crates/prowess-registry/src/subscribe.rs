//! Subscriptions to changes: a bounded queue for each subscriber, so that none delays a reload.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::CatalogChange;
use crate::sync::{Condvar, Mutex, MutexGuard, lock, wait, wait_while_for};

/// The capacity of a subscriber's queue, beyond which the oldest changes are dropped.
const CAPACITY: usize = 64;

/// A subscription to changes of a registry's catalog, which ends when it is dropped.
///
/// A slow subscriber never delays a reload: beyond 64 pending changes, the oldest are dropped, and
/// the subscriber receives their number.
pub struct Subscription(Handle<Arc<CatalogChange>>);

/// A notification to a subscriber.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice<C = Arc<CatalogChange>> {
    /// The catalog has changed; the new one is already published.
    Changed(C),
    /// This many changes were dropped before they were received: read the catalog again.
    Lagged(u64),
}

impl Subscription {
    pub(crate) fn new(handle: Handle<Arc<CatalogChange>>) -> Self {
        Self(handle)
    }

    /// Waits for the next notification; returns `None` once the registry is dropped.
    pub fn recv(&self) -> Option<Notice> {
        self.0.recv()
    }

    /// Waits for the next notification, at most this long; returns `None` if there was none or the
    /// registry is dropped.
    pub fn recv_timeout(&self, time: Duration) -> Option<Notice> {
        self.0.recv_timeout(time)
    }

    /// Returns the next notification, if there is one.
    pub fn try_recv(&self) -> Option<Notice> {
        self.0.try_recv()
    }
}

impl std::fmt::Debug for Subscription {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Subscription")
    }
}

/// The callback for pending notifications.
pub(crate) type Wake = Box<dyn Fn() + Send + Sync>;

pub(crate) struct Subscribers<C>(Mutex<Vec<Arc<Queue<C>>>>);

/// The subscriber's end of a queue.
pub(crate) struct Handle<C> {
    subscribers: Arc<Subscribers<C>>,
    queue: Arc<Queue<C>>,
}

struct Queue<C> {
    waiting: Mutex<Waiting<C>>,
    changed: Condvar,
    wake: Wake,
}

struct Waiting<C> {
    changes: VecDeque<C>,
    forgotten: u64,
    is_closed: bool,
}

impl<C: Clone> Subscribers<C> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    pub(crate) fn subscribe(self: &Arc<Self>, wake: Wake) -> Handle<C> {
        let waiting = Waiting { changes: VecDeque::new(), forgotten: 0, is_closed: false };
        let queue = Arc::new(Queue { waiting: Mutex::new(waiting), changed: Condvar::new(), wake });
        lock(&self.0).push(Arc::clone(&queue));
        Handle { subscribers: Arc::clone(self), queue }
    }

    /// Queues a change for each subscriber, without waiting.
    pub(crate) fn notify(&self, change: &C) {
        // A copy, so that `wake` may add or remove subscribers.
        let queues = lock(&self.0).clone();
        for queue in queues {
            queue.update(|waiting| {
                if waiting.changes.len() == CAPACITY {
                    waiting.changes.pop_front();
                    waiting.forgotten += 1;
                }
                waiting.changes.push_back(change.clone());
            });
        }
    }
}

impl<C> Subscribers<C> {
    /// Closes the queue of each subscriber.
    pub(crate) fn close(&self) {
        let queues = lock(&self.0).clone();
        for queue in queues {
            queue.update(|waiting| waiting.is_closed = true);
        }
    }
}

impl<C> Queue<C> {
    fn update(&self, change: impl FnOnce(&mut Waiting<C>)) {
        change(&mut lock(&self.waiting));
        self.changed.notify_all();
        (self.wake)();
    }
}

impl<C> Waiting<C> {
    /// Returns whether the queue is empty and still open.
    fn is_quiet(&self) -> bool {
        self.changes.is_empty() && self.forgotten == 0 && !self.is_closed
    }

    fn take(&mut self) -> Option<Notice<C>> {
        match std::mem::take(&mut self.forgotten) {
            0 => self.changes.pop_front().map(Notice::Changed),
            forgotten => Some(Notice::Lagged(forgotten)),
        }
    }
}

impl<C> Handle<C> {
    pub(crate) fn recv(&self) -> Option<Notice<C>> {
        let mut waiting = self.waiting();
        loop {
            let notice = waiting.take();
            if notice.is_some() || waiting.is_closed {
                return notice;
            }
            waiting = wait(&self.queue.changed, waiting);
        }
    }

    pub(crate) fn recv_timeout(&self, time: Duration) -> Option<Notice<C>> {
        let is_quiet = |waiting: &mut Waiting<C>| waiting.is_quiet();
        wait_while_for(&self.queue.changed, self.waiting(), time, is_quiet).take()
    }

    pub(crate) fn try_recv(&self) -> Option<Notice<C>> {
        self.waiting().take()
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting<C>> {
        lock(&self.queue.waiting)
    }
}

impl<C> Drop for Handle<C> {
    fn drop(&mut self) {
        lock(&self.subscribers.0).retain(|queue| !Arc::ptr_eq(queue, &self.queue));
    }
}
