//! Locks and the swap: the standard library's and `arc-swap`, or under `--cfg loom` the model
//! checker's, so that what is checked is the very code that runs.

use std::sync::{Arc, PoisonError};

#[cfg(loom)]
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(loom))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};

/// Takes a lock. A panic of a source or of a listener leaves what the locks of this crate guard as
/// it was before, so a poisoned lock is as good as another.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until told.
pub(crate) fn wait<'a, T>(told: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    told.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

/// Waits until told, or for this long.
pub(crate) fn wait_for<'a, T>(
    told: &Condvar,
    guard: MutexGuard<'a, T>,
    time: std::time::Duration,
) -> MutexGuard<'a, T> {
    told.wait_timeout(guard, time).unwrap_or_else(PoisonError::into_inner).0
}

/// Waits as long as it is so, and at most this long, however often the system wakes the thread for nothing.
#[cfg(not(loom))]
pub(crate) fn wait_while_for<'a, T>(
    told: &Condvar,
    guard: MutexGuard<'a, T>,
    time: std::time::Duration,
    is_so: impl FnMut(&mut T) -> bool,
) -> MutexGuard<'a, T> {
    let waited = told.wait_timeout_while(guard, time, is_so);
    waited.unwrap_or_else(PoisonError::into_inner).0
}

/// The model checker wakes no thread for nothing.
#[cfg(loom)]
pub(crate) fn wait_while_for<'a, T>(
    told: &Condvar,
    mut guard: MutexGuard<'a, T>,
    time: std::time::Duration,
    mut is_so: impl FnMut(&mut T) -> bool,
) -> MutexGuard<'a, T> {
    if is_so(&mut guard) { wait_for(told, guard, time) } else { guard }
}

/// One shared value that is replaced whole.
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

/// `arc-swap` has atomics of its own that the model checker does not see. It promises what a lock
/// around the pointer gives, so that stands here for it.
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
