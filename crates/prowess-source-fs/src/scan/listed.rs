//! Roots that need not be listed again.
//!
//! Where a listing gave nothing but packages, and the kernel has not dated the directory since, the next one
//! would give the same names, which the sink knows.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use prowess_core::ScanSink;
use prowess_dir::{Dir, EntryBuffer, Epoch, Error, Kind, Stat};

use super::name::Look;
use super::{Pending, Walk};
use crate::Nested;

/// The last listing of a root, if there was nothing but packages in it.
#[derive(Debug, Default)]
pub(crate) struct LastListing(Mutex<Option<Listing>>);

#[derive(Clone, Copy, Debug)]
struct Listing {
    inode: u64,
    device: u64,
    /// When the scan began that listed it.
    epoch: Epoch,
    names: Names,
    /// How many entries there were, packages or not.
    entries: usize,
}

/// A set of names, by their number and the sum of their hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    count: usize,
    sum: u64,
}

impl Names {
    pub(super) fn add(&mut self, hash: u64) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(hash);
    }

    /// Those of the packages that a sink knows of.
    fn known(sink: &dyn ScanSink) -> Self {
        let mut names = Self::default();
        sink.each_known(0, &mut |package, _| {
            names.add(Look::at(package.as_bytes()).hash);
            ControlFlow::Continue(())
        });
        names
    }
}

impl LastListing {
    fn get(&self) -> Option<Listing> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, listing: Option<Listing>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = listing;
    }
}

impl Listing {
    /// Whether a listing of the directory would give the same.
    fn stands(&self, directory: &Stat, now: &Epoch) -> bool {
        (self.inode, self.device) == (directory.inode, directory.device)
            && (self.epoch.mount, self.epoch.started) == (now.mount, now.started)
            && self.epoch.moment.seconds <= now.moment.seconds
            && Epoch::is_older(directory.changed, self.epoch.moment.seconds)
    }
}

impl Walk<'_> {
    /// Whether the names in the root are those of the last listing, and the sink knows each of them.
    pub(super) fn is_as_listed(&mut self, root: &Dir, last: &LastListing) -> bool {
        let (Some(listing), Some(now)) = (last.get(), self.epoch()) else { return false };
        let stands = root.stat_unconfined("").is_ok_and(|stat| listing.stands(&stat, &now))
            && listing.names == Names::known(self.prober.reporter.sink);
        if stands {
            self.entries_left -= listing.entries;
        }
        stands
    }

    /// Keeps what the listing of the root gave, if it was whole and there was nothing but packages in it.
    pub(super) fn keep_listing(&self, root: &Dir, last: &LastListing) {
        let is_whole = self.config.nested == Nested::Stop
            && self.config.gitignore.is_none()
            && self.bounds.is_none()
            && !self.cancel.is_cancelled();
        let entries = self.config.max_entries - self.entries_left;
        let names = self.names.filter(|_| is_whole);
        last.set(names.zip(self.epoch()).and_then(|(names, epoch)| {
            let Stat { inode, device, .. } = root.stat_unconfined("").ok()?;
            Some(Listing { inode, device, epoch, names, entries })
        }));
    }

    /// Probes each package that the sink knows of, in a root in which those are.
    pub(super) fn probe_known(
        &mut self,
        root: &mut Dir,
        pending: &Pending,
        names: &mut EntryBuffer,
    ) -> Result<(), Error> {
        let mut level = self.enter(root, pending);
        let mut start = 0;
        while !self.cancel.is_cancelled() && !self.is_out_of_time() {
            match self.gather_known(start) {
                0 => break,
                count => start += count,
            }
            self.probe_gathered(&mut level);
        }
        let device = level.device();
        // Links may lie in a directory that is no package any more.
        if self.pending.is_empty() { Ok(()) } else { self.see_known(root, device, names) }
    }

    /// Takes note of the directories of the packages, with which links are compared.
    fn see_known(
        &mut self,
        root: &mut Dir,
        device: Option<u64>,
        names: &mut EntryBuffer,
    ) -> Result<(), Error> {
        let Some(device) = device else { return Ok(()) };
        let no_more: HashSet<_> =
            self.pending.iter().map(|pending| pending.path.as_bytes()).collect();
        let visited = root.entries(names)?.visit(|entry| {
            let name = entry.name_bytes();
            if entry.kind() == Kind::Directory
                && !self.config.skips(name)
                && !no_more.contains(name)
            {
                self.prober.seen.push((entry.inode(), device));
            }
            ControlFlow::<()>::Continue(())
        });
        visited.map(drop)
    }

    fn epoch(&self) -> Option<Epoch> {
        self.prober.reporter.asker.times.epoch
    }
}
