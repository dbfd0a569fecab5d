//! The work of the thread that examines the disk.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, PoisonError};

use super::lock;

/// The maximum number of paths that are examined one by one.
const MOST_PLACES: usize = 256;

/// Paths to examine.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// These paths, relative to the root: each may have become a directory or stopped being one.
    Places(BTreeSet<String>),
    /// The whole tree.
    Everything,
}

impl Default for Work {
    fn default() -> Self {
        Self::Places(BTreeSet::new())
    }
}

impl Work {
    pub(super) fn is_none(&self) -> bool {
        matches!(self, Self::Places(places) if places.is_empty())
    }

    pub(super) fn add(&mut self, more: Self) {
        match (self, more) {
            (Self::Everything, _) => {}
            (Self::Places(places), Self::Places(more))
                if places.len() + more.len() <= MOST_PLACES =>
            {
                places.extend(more);
            }
            (this, _) => *this = Self::Everything,
        }
    }
}

/// The merged pending work.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    work: Work,
    is_over: bool,
}

impl Queue {
    pub(super) fn add(&self, work: Work) {
        if !work.is_none() {
            lock(&self.waiting).work.add(work);
            self.changed.notify_one();
        }
    }

    pub(super) fn end(&self) {
        lock(&self.waiting).is_over = true;
        self.changed.notify_one();
    }

    /// Waits for work and returns all of it; `None` at the end.
    pub(super) fn take(&self) -> Option<Work> {
        let waiting = self.changed.wait_while(lock(&self.waiting), |waiting: &mut Waiting| {
            waiting.work.is_none() && !waiting.is_over
        });
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        (!waiting.is_over).then(|| std::mem::take(&mut waiting.work))
    }
}
