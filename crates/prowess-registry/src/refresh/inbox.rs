//! The changes that sources have reported and the driver has not processed.

use std::collections::BTreeMap;
use std::time::Duration;

use prowess_core::{SourceChange, SourceError};

use crate::scope::{OnMissingSkill, Part};
use crate::single_flight::Merge;
use crate::sync::{Condvar, Mutex, lock, wait, wait_while_for};

/// A queue of reports. Listeners only append to it, so no source waits for a scan.
#[derive(Default)]
pub(super) struct Inbox {
    messages: Mutex<Messages>,
    added: Condvar,
}

/// The merged reports since the last call of [`Inbox::take`].
#[derive(Default)]
pub(super) struct Messages {
    pub(super) changed: BTreeMap<usize, Part>,
    /// Packages that were missing or broken and are scanned again later, by source.
    pub(super) unconfirmed: BTreeMap<usize, Part>,
    /// The sources whose watch has failed.
    pub(super) lost: Vec<(usize, SourceError)>,
    pub(super) is_over: bool,
}

impl Inbox {
    pub(super) fn add(&self, source: usize, change: SourceChange) {
        self.update(|messages| match change {
            SourceChange::Packages(packages) => {
                let packages = packages.into_iter().collect();
                add(
                    &mut messages.changed,
                    source,
                    Part::packages(packages, OnMissingSkill::Confirm),
                );
            }
            SourceChange::WatchLost(error) => messages.lost.push((source, error)),
            // A variant that was added later: anything may have changed.
            _ => add(&mut messages.changed, source, Part::whole(OnMissingSkill::Confirm)),
        });
    }

    pub(super) fn update(&self, change: impl FnOnce(&mut Messages)) {
        change(&mut lock(&self.messages));
        self.added.notify_one();
    }

    /// Returns all reports, after waiting for one for at most `time`.
    pub(super) fn take(&self, time: Option<Duration>) -> Messages {
        let mut messages = lock(&self.messages);
        match time {
            Some(time) => {
                messages =
                    wait_while_for(&self.added, messages, time, |waiting| waiting.is_empty());
            }
            None => {
                while messages.is_empty() {
                    messages = wait(&self.added, messages);
                }
            }
        }
        std::mem::take(&mut *messages)
    }
}

impl Messages {
    pub(super) fn is_empty(&self) -> bool {
        let Self { changed, unconfirmed, lost, is_over } = self;
        changed.is_empty() && unconfirmed.is_empty() && lost.is_empty() && !is_over
    }
}

pub(super) fn add(parts: &mut BTreeMap<usize, Part>, source: usize, part: Part) {
    match parts.get_mut(&source) {
        Some(known) => known.merge(part),
        None => drop(parts.insert(source, part)),
    }
}
