//! Probes files with provisional stamps.

use prowess_core::Stamp;
use prowess_dir::{Dir, Epoch, Error, FileTime, SpentFiles, Stat, UncheckedFile};

use super::Fast;
use super::stamps::{self, Found};
use crate::probe_request::{FileLocation, Origin, Prefix, ProbeRequest};
use crate::stamp::Verdict;

/// The use of provisional stamps in one scan.
pub(crate) struct Provisional {
    /// The start of the scan, by the clock of the file times.
    pub(crate) epoch: Epoch,
    /// Whether a file that is read for the first time gets a provisional stamp.
    gives_stamps: bool,
    /// Files that were read. Closing them together is faster.
    spent: SpentFiles,
    /// See [`Fast::old_before`].
    pub(super) old_before: FileTime,
}

impl Provisional {
    /// Starts a scan, whose files get provisional stamps if it is the only such scan of its second.
    /// Returns `None` on other file systems than those of [`Dir::epoch`].
    pub(super) fn start(root: &Dir, fast: &Fast) -> Option<Self> {
        let provisional = Self::for_comparison(root)?;
        let gives_stamps = fast.last_second.is_free(&provisional.epoch);
        Some(Self { gives_stamps, old_before: fast.old_before, ..provisional })
    }

    /// Starts a scan that compares the provisional stamps of an earlier one and gives none.
    pub(crate) fn for_comparison(root: &Dir) -> Option<Self> {
        let epoch = root.epoch()?;
        let (spent, old_before) = (SpentFiles::default(), FileTime::default());
        Some(Self { epoch, gives_stamps: false, spent, old_before })
    }

    /// Compares a file's times with a provisional stamp, in one system call.
    pub(crate) fn compare(
        &self,
        request: &ProbeRequest<'_>,
        known: Stamp,
        location: FileLocation<'_>,
    ) -> Verdict {
        let is_of_directory = matches!(request.origin, Origin::LastListing)
            || found(request).is_some_and(|found| stamps::is_of(known, found, &self.epoch));
        if !is_of_directory {
            return Verdict::Changed;
        }
        let stat = location.directory.stat_on_mount(location.path);
        stat.map_or(Verdict::Changed, |(stat, mount)| {
            stamps::verdict(known, &self.epoch, (&self.aged(stat), mount))
        })
    }

    /// Returns the metadata with the time of the change that counts.
    pub(super) fn aged(&self, mut stat: Stat) -> Stat {
        if stat.changed < self.old_before {
            stat.changed.seconds -= 10;
        }
        stat
    }

    /// Returns the provisional stamp of a file, if it may have one: not if it is mounted over the
    /// one that the listing returned, which would be taken for it later.
    pub(crate) fn stamp(
        &self,
        request: &ProbeRequest<'_>,
        file: &UncheckedFile<'_>,
    ) -> Option<Stamp> {
        if file.refuses_hard_links()
            || file.is_mounted()
            || request.known.is_some()
            || !self.gives_stamps
        {
            return None;
        }
        Some(stamps::provisional(found(request)?, &self.epoch))
    }

    /// Reads a file with a provisional stamp.
    pub(crate) fn read(
        &mut self,
        stamp: Stamp,
        file: UncheckedFile<'_>,
        text: &mut [u8],
    ) -> Result<Prefix, Error> {
        let head = file.read_head(text)?;
        // The size of another file shows that it is a device, which has content as well.
        let is_known = head.is_whole_file && text.starts_with(b"---");
        let size = if is_known { head.length as u64 } else { file.size()? };
        self.spent.push(file);
        Ok(Prefix { stamp: Some(stamp), size, head })
    }

    /// Closes the files that were read. Returns whether there were any.
    pub(crate) fn close_files(&mut self) -> bool {
        let were_open = !self.spent.is_empty();
        self.spent.close();
        were_open
    }
}

/// Returns the file with the directory that a listing returned.
fn found<'q>(request: &ProbeRequest<'q>) -> Option<Found<'q>> {
    match request.origin {
        Origin::Listing(directory) => Some(Found { file: request.file, directory }),
        Origin::LastListing | Origin::Opened => None,
    }
}
