//! Directories that are listed before they are probed: those in packages, and those without the
//! first of the files of a package.
//!
//! Nearly all in packages hold scripts or references. Their listing, which the search below them
//! needs anyway, shows that without an attempt to open a `SKILL.md`.

use std::sync::Arc;

use prowess_dir::{Dir, EntryBuffer, Error, ErrorKind, Links, Listing, REPOSITORY, Stat};

use super::{Level, Pending, Walk};
use crate::admission::goes_below;
use crate::package::{FILES, Probe};

/// The number of names that are kept. A larger directory is probed, and listed again.
const MOST_KEPT: usize = 4_096;

/// The directory below which the pending ones lie.
pub(crate) struct Top<'t> {
    pub(crate) directory: &'t Dir,
    /// The length of its path in theirs, with a slash.
    pub(crate) length: usize,
}

impl Top<'_> {
    /// Opens a directory to list it.
    pub(crate) fn open(&self, pending: &Pending) -> Result<Dir, Error> {
        self.directory.open_dir(&pending.path[self.length..], Links::Refuse)
    }
}

/// What is known of a directory before its names are visited.
pub(crate) enum Inside {
    /// Its names.
    Names(Arc<Listing>),
    /// Nothing: it was probed before it was opened, or it is too large.
    Unlisted,
    /// It is not to be searched.
    Ends,
}

impl Walk<'_> {
    /// Queues a directory of a package. It counts as a directory without a skill until its listing
    /// shows one, so that the queue stays within its limit.
    pub(super) fn defer(&mut self, level: &Level<'_>, path: &str, inode: u64) {
        if self.takes_directory(path) {
            self.quiet.leads_to("", &path[level.parent_length..]);
            let pending = Pending { inode, is_unprobed: true, ..Pending::below(level, path) };
            self.pending.push_back(pending);
        }
    }

    /// Lists and probes a directory that was opened, if it was not probed before.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be listed.
    pub(crate) fn look_inside(
        &mut self,
        directory: &mut Dir,
        pending: &mut Pending,
        names: &mut EntryBuffer,
    ) -> Result<Inside, Error> {
        let keeps = self.prober.reporter.files.kept.is_some() && pending.is_in_package();
        if !pending.is_unprobed && !keeps {
            return Ok(Inside::Unlisted);
        }
        let listing = directory.entries(names)?.keep(MOST_KEPT)?.map(Arc::new);
        if listing.as_deref().is_none_or(|it| has(it, REPOSITORY))
            && self.config.leaves_out(directory, "")
        {
            self.quiet.ends();
            return Ok(Inside::Ends);
        }
        if let (Some(kept), Some(listing)) = (&self.prober.reporter.files.kept, &listing) {
            kept.keep_listing(&pending.path, listing);
        }
        if !pending.is_unprobed {
            return Ok(listing.map_or(Inside::Unlisted, Inside::Names));
        }
        pending.is_unprobed = false;
        let probe = if listing.as_deref().is_none_or(|it| has(it, FILES[1])) {
            self.prober.set_path(&pending.path);
            self.prober.probe_listed(directory, pending.inode)
        } else {
            Probe::Nothing
        };
        if probe == Probe::Package {
            self.quiet.ends();
            self.count_deferred(directory.stat_unconfined("").ok());
        }
        if probe == Probe::Closed || !goes_below(self.config, probe == Probe::Package) {
            return Ok(Inside::Ends);
        }
        pending.within = pending.within.below(probe);
        Ok(listing.map_or(Inside::Unlisted, Inside::Names))
    }

    /// Reports a directory that could not be listed. It may be a package all the same: a file can
    /// be opened in a directory that may not be listed.
    pub(crate) fn report_unlisted(
        &mut self,
        top: &Top<'_>,
        pending: &Pending,
        listed: Result<(), Error>,
    ) {
        let Err(error) = listed else { return };
        // Removed or replaced since its name was read, so it is not part of the tree.
        if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
            return;
        }
        if pending.is_unprobed {
            let path = &pending.path[top.length..];
            if self.config.leaves_out(top.directory, path) {
                return;
            }
            self.prober.set_path(&pending.path);
            match self.prober.probe_below(top.directory, top.length, pending.inode) {
                Probe::Package => {
                    self.count_deferred(top.directory.stat_unconfined(path).ok());
                }
                Probe::Nothing => {}
                Probe::Closed => return,
            }
        }
        self.prober.unreadable(&pending.path, &error);
    }

    /// Counts a package that was queued as a directory without a skill.
    fn count_deferred(&mut self, stat: Option<Stat>) {
        self.directories -= 1;
        self.skills_left = self.skills_left.saturating_sub(1);
        if let Some(stat) = stat {
            self.prober.seen.push((stat.inode, stat.device));
        }
    }
}

/// Returns whether a listing has a name under which this file could be opened, also on a file
/// system that ignores the case of letters.
fn has(listing: &Listing, file: &str) -> bool {
    listing.entries().any(|entry| entry.name_bytes().eq_ignore_ascii_case(file.as_bytes()))
}
