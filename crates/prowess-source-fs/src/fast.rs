//! The fast walk: finds what the plain walk finds, with fewer instructions and system calls.
//!
//! Everything here exists for speed alone, and `FsSource::new` is the one place that turns it on:
//!
//! - Directories are probed in [batches](batch) whose names are checked [eight bytes at a
//!   time](name).
//! - A first scan gives [provisional stamps](stamps), so that it need not get the times of each
//!   file, and closes many files with one call.
//! - A root in which there was nothing but packages is [not listed again](listing_cache) until the
//!   kernel dates a change of it.
//! - Directories in packages that led to nothing are [not listed again](quiet) either.
//! - Where the disk is slow, threads [read ahead](readahead).
//!
//! A property test holds it equal to the plain walk.

mod batch;
mod listing_cache;
mod name;
pub(crate) mod provisional;
mod quiet;
mod readahead;
pub(crate) mod stamps;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use prowess_core::Stamp;
use prowess_dir::{Dir, Entry, EntryBuffer, Error, FileTime, Kind};

use crate::admission::{Admission, join, refuses};
use crate::walk::{Inside, Level, Pending, Top, Walk};
use crate::wrong_case::is_wrong_case;
use batch::Batch;
use listing_cache::Names;
use provisional::Provisional;
use quiet::Notes;
use readahead::{Pace, ReadAhead};
use stamps::LastSecond;

/// The state of a source's fast walks.
#[derive(Debug, Default)]
pub(crate) struct Fast {
    last_second: LastSecond,
    /// Changes before this time count as ten seconds older. By default none does.
    pub(crate) old_before: FileTime,
}

impl Fast {
    /// Starts a scan. Returns `None` where the file system allows no provisional stamps.
    pub(crate) fn start(&self, root: &Dir) -> Option<Provisional> {
        Provisional::start(root, self)
    }
}

/// Walks a tree, as [`Walk::run`] does. Returns the stamp of the root's listing, if it has one.
///
/// # Errors
///
/// Returns an error if the root cannot be listed.
pub(crate) fn walk(
    walk: &mut Walk<'_>,
    root: &mut Dir,
    pending: &Pending,
) -> Result<Option<Stamp>, Error> {
    let mut buffer = EntryBuffer::default();
    let notes = Notes::new(walk.prober.reporter.previous.notes(), walk.config);
    let mut fast = FastWalk {
        walk,
        batch: None,
        names: Some(Names::default()),
        pace: Pace::new(),
        ahead: None,
        notes,
    };
    let valid = fast.valid_listing(root);
    if valid.is_some() {
        fast.probe_known(root, pending, &mut buffer)?;
    } else {
        fast.list(root, pending, &mut buffer)?;
    }
    let top = Top { directory: root, length: 0 };
    while let Some(mut pending) = fast.walk.next() {
        if fast.passes(&top, &mut pending) {
            continue;
        }
        let listed = top
            .open(&pending)
            .and_then(|mut directory| fast.go_on(&mut directory, &mut pending, &mut buffer));
        fast.walk.report_unlisted(&top, &pending, listed);
    }
    fast.walk.follow_links(root);
    let listing = valid.filter(|_| fast.names.is_some()).or_else(|| fast.listing(root));
    let is_whole = fast.walk.exceeded.is_none();
    if let Some(notes) = fast.notes.finish().filter(|_| is_whole) {
        walk.prober.reporter.sink.notes(notes);
    }
    walk.report_findings();
    Ok(listing)
}

struct FastWalk<'w, 'a> {
    walk: &'w mut Walk<'a>,
    notes: Notes<'a>,
    batch: Option<Batch>,
    /// The names in the root, as long as there is nothing but packages.
    names: Option<Names>,
    pace: Pace,
    /// Reads ahead in the directory that is being listed.
    ahead: Option<ReadAhead>,
}

impl FastWalk<'_, '_> {
    /// Goes on with a directory that was pending.
    fn go_on(
        &mut self,
        directory: &mut Dir,
        pending: &mut Pending,
        buffer: &mut EntryBuffer,
    ) -> Result<(), Error> {
        self.walk.begin_quiet(pending);
        let note = quiet::note(pending);
        match self.walk.look_inside(directory, pending, buffer)? {
            Inside::Names(listing) => {
                let mut level = self.walk.enter(directory, pending);
                let _ = listing.entries().try_for_each(|entry| self.visit(&mut level, &entry));
                self.end_level(&mut level);
            }
            Inside::Unlisted => self.list(directory, pending, buffer)?,
            Inside::Ends => {}
        }
        // What is mounted there is not what the times of the directory are about.
        if let Some(names) = self.walk.end_quiet().filter(|_| !directory.is_mounted()) {
            self.note(note, &names);
        }
        Ok(())
    }

    /// Visits each name of a directory, as the plain walk does.
    fn list(
        &mut self,
        directory: &mut Dir,
        pending: &Pending,
        buffer: &mut EntryBuffer,
    ) -> Result<(), Error> {
        let entries = directory.entries(buffer)?;
        let mut level = self.walk.enter(directory, pending);
        let visited = entries.visit(|entry| self.visit(&mut level, &entry));
        self.end_level(&mut level);
        visited.map(drop)
    }

    fn end_level(&mut self, level: &mut Level<'_>) {
        self.probe_gathered(level);
        self.ahead = None;
    }

    fn visit(&mut self, level: &mut Level<'_>, entry: &Entry<'_>) -> ControlFlow<()> {
        self.walk.count(level)?;
        let name = entry.name_bytes();
        match refuses(self.walk.config, level.depth, name, entry.kind()) {
            None => {}
            Some(Admission::Skipped) => return ControlFlow::Continue(()),
            Some(Admission::File) => {
                if is_wrong_case(entry) {
                    self.names = None;
                }
                self.walk.visit_file(level, entry);
                return ControlFlow::Continue(());
            }
            Some(_) => {
                self.names = None;
                self.walk.visit(level, entry);
                return ControlFlow::Continue(());
            }
        }
        if !level.is_in_package()
            && let Some(hash) = batch::takes(level, entry)
        {
            self.gather(level, entry, hash);
            return ControlFlow::Continue(());
        }
        self.names = None;
        // In the order of the listing. The batch may have used up the limit of skills.
        self.probe_gathered(level);
        if self.walk.skills_left == 0 && self.walk.is_at_limit(level.path) {
            return ControlFlow::Break(());
        }
        if let (Kind::Directory, Some(name)) = (entry.kind(), entry.name()) {
            self.keep_pace(level, name, false);
        }
        self.walk.visit(level, entry);
        ControlFlow::Continue(())
    }

    /// Starts reading ahead of a name once the disk turns out to be slow, and in each later
    /// directory with more names than a batch.
    fn keep_pace(&mut self, level: &Level<'_>, name: &str, is_batch: bool) {
        let is_next = is_batch && self.pace.is_slow() && self.ahead.is_none();
        if self.pace.turns_slow(self.walk.clock) || is_next {
            let previous = &self.walk.prober.reporter.previous;
            let is_known = |name: &str| previous.stamp(&join(level.path, name)).is_some();
            let most = self.walk.entries_left;
            self.ahead = ReadAhead::start(level.directory, name, most, is_known);
        }
    }
}
