//! Locks and the atomic swap: those of the standard library and `arc-swap`, or with `--cfg loom`
//! those of the model checker, so that it checks the same code.

use std::sync::{Arc, PoisonError};

#[cfg(loom)]
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(loom))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};

/// Takes a lock and ignores poisoning: the values behind the locks of this crate stay valid when a
/// source or a listener panics.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a notification, at most this long.
pub(crate) fn wait_for<'a, T>(
    condition: &Condvar,
    guard: MutexGuard<'a, T>,
    time: std::time::Duration,
) -> MutexGuard<'a, T> {
    condition.wait_timeout(guard, time).unwrap_or_else(PoisonError::into_inner).0
}

/// Waits while the condition holds, at most this long, ignoring spurious wake-ups.
#[cfg(not(loom))]
pub(crate) fn wait_while_for<'a, T>(
    condition: &Condvar,
    guard: MutexGuard<'a, T>,
    time: std::time::Duration,
    is_so: impl FnMut(&mut T) -> bool,
) -> MutexGuard<'a, T> {
    let waited = condition.wait_timeout_while(guard, time, is_so);
    waited.unwrap_or_else(PoisonError::into_inner).0
}

/// The model checker has no spurious wake-ups.
#[cfg(loom)]
pub(crate) fn wait_while_for<'a, T>(
    condition: &Condvar,
    mut guard: MutexGuard<'a, T>,
    time: std::time::Duration,
    mut is_so: impl FnMut(&mut T) -> bool,
) -> MutexGuard<'a, T> {
    if is_so(&mut guard) { wait_for(condition, guard, time) } else { guard }
}

/// A shared value that is replaced atomically.
#[cfg(not(loom))]
pub(crate) struct Swap<T>(arc_swap::ArcSwap<T>);

#[cfg(not(loom))]
impl<T> Swap<T> {
    pub(crate) fn new(value: Arc<T>) -> Self {
        Self(arc_swap::ArcSwap::new(value))
    }

    pub(crate) fn load(&self) -> Arc<T> {
        self.0.load_full()
    }

    pub(crate) fn store(&self, value: Arc<T>) {
        self.0.store(value);
    }
}

/// The model checker cannot see the atomics of `arc-swap`. A lock around the pointer gives the same
/// guarantees, so it replaces `arc-swap` here.
#[cfg(loom)]
pub(crate) struct Swap<T>(loom::sync::RwLock<Arc<T>>);

#[cfg(loom)]
impl<T> Swap<T> {
    pub(crate) fn new(value: Arc<T>) -> Self {
        Self(loom::sync::RwLock::new(value))
    }

    pub(crate) fn load(&self) -> Arc<T> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn store(&self, value: Arc<T>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = value;
    }
}
