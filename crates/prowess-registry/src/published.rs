//! The newest value and its subscribers, shared by readers and the writer.

use std::sync::Arc;

use crate::subscribe::{Handle, Subscribers, Wake};
use crate::sync::Swap;

/// The value that readers see. Generation and records are one value, so that no reader sees one
/// without the other; it is stored before subscribers are notified, so that they find it.
pub(crate) struct Published<T, C> {
    current: Swap<T>,
    subscribers: Arc<Subscribers<C>>,
}

impl<T, C: Clone> Published<T, C> {
    pub(crate) fn new(first: Arc<T>) -> Self {
        Self { current: Swap::new(first), subscribers: Arc::new(Subscribers::new()) }
    }

    /// Returns the newest value, without waiting for a writer.
    pub(crate) fn load(&self) -> Arc<T> {
        self.current.load()
    }

    /// Replaces the value by `next`, then notifies subscribers of the change, which is computed
    /// afterwards, so that no reader waits for it. Only one writer at a time may call this.
    pub(crate) fn publish(&self, next: &Arc<T>, change: impl FnOnce(&T, &Arc<T>) -> C) -> C {
        let earlier = self.current.load();
        self.current.store(Arc::clone(next));
        let change = change(&earlier, next);
        self.subscribers.notify(&change);
        change
    }

    pub(crate) fn subscribe(&self, wake: Wake) -> Handle<C> {
        self.subscribers.subscribe(wake)
    }
}

impl<T, C> Drop for Published<T, C> {
    fn drop(&mut self) {
        self.subscribers.close();
    }
}
