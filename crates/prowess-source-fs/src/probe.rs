//! Probes one `SKILL.md` by system calls, without reporting the result.

use prowess_core::{Stamp, Timestamp};
use prowess_dir::{
    Dir, Epoch, Error, ErrorKind, Head, Kind, Links, RelativePath, SpentFiles, UncheckedFile,
};

use crate::stamp::{self, Verdict};

/// The maximum number of bytes that a sink may request. A larger file is not a skill.
pub(crate) const MAX_FILE_BYTES: usize = 2 * 1024 * 1024;

/// The current time, by the host's clock and, if usable, by that of the files.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    pub(crate) now: Timestamp,
    pub(crate) epoch: Option<Epoch>,
    /// Whether a file that is read for the first time gets a provisional stamp.
    pub(crate) is_provisional: bool,
}

/// The way in which a package's directory was found.
#[derive(Clone, Copy)]
pub(crate) enum Origin {
    /// By a listing, which gave it this inode.
    Listing(u64),
    /// By the listing of the last scan, which is still valid.
    LastListing,
    /// Opened directly or through a link, so no earlier stamp applies.
    Opened,
}

/// The file to probe.
#[derive(Clone, Copy)]
pub(crate) struct ProbeRequest<'q> {
    pub(crate) package: &'q str,
    pub(crate) file: &'static str,
    pub(crate) origin: Origin,
    /// The stamp of an earlier scan.
    pub(crate) known: Option<Stamp>,
}

/// The location of the file.
#[derive(Clone, Copy)]
pub(crate) struct FileLocation<'w> {
    pub(crate) directory: &'w Dir,
    /// The package, relative to that directory; empty if it is that directory.
    pub(crate) package: &'w str,
    /// The file, relative to that directory.
    pub(crate) path: RelativePath<'w>,
    pub(crate) links: Links,
}

/// The result of a probe.
pub(crate) enum ProbeResult {
    /// The file has not changed since the earlier scan.
    Unchanged,
    /// The file was read.
    Read(Prefix),
    /// The file could not be opened.
    NotOpened(Error),
    /// The file was opened and cannot be read.
    Unreadable(Error),
}

/// The first bytes of a file, which are stored elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct Prefix {
    pub(crate) stamp: Option<Stamp>,
    pub(crate) size: u64,
    pub(crate) head: Head,
}

/// Probes files, with the state that is common to a scan.
pub(crate) struct FileProber {
    pub(crate) times: Times,
    /// Whether files have most likely changed, so that their times are read only after opening.
    pub(crate) expects_changes: bool,
    /// Files that were read. Closing them together is faster.
    pub(crate) spent: SpentFiles,
}

impl FileProber {
    /// Probes a file; if it is new or may have changed, reads as much as `head` holds.
    pub(crate) fn probe(
        &mut self,
        request: &ProbeRequest<'_>,
        location: FileLocation<'_>,
        head: &mut [u8],
    ) -> ProbeResult {
        // The times of a link are not those of the file, and those of an open file are not enough
        // to check a provisional stamp.
        let known = request.known.filter(|known| {
            location.links == Links::Refuse && (known.is_provisional() || !self.expects_changes)
        });
        let told = known.map(|known| self.told(request, known, location));
        if told == Some(Verdict::Unchanged) {
            return ProbeResult::Unchanged;
        }
        match self.open(location) {
            Ok(file) => {
                self.opened(request, told, file, head).unwrap_or_else(ProbeResult::Unreadable)
            }
            Err(error) => ProbeResult::NotOpened(error),
        }
    }

    fn open<'l>(&mut self, location: FileLocation<'l>) -> Result<UncheckedFile<'l>, Error> {
        let open = || location.directory.open_unchecked(location.path, location.links);
        match open() {
            // The process may have no descriptor left.
            Err(error) if error.kind() == ErrorKind::Unavailable && !self.spent.is_empty() => {
                self.spent.close();
                open()
            }
            opened => opened,
        }
    }

    /// Reads a file again, as much of it as `head` holds. It gets another stamp if it has changed
    /// since `earlier`.
    pub(crate) fn read_again(
        &self,
        request: &ProbeRequest<'_>,
        location: FileLocation<'_>,
        earlier: Prefix,
        head: &mut [u8],
    ) -> Result<Prefix, Error> {
        let file = location.directory.open_unchecked(location.path, location.links)?;
        let file = file.into_file()?;
        let stamp = stamp::proper(request.file, file.stat(), self.times.now);
        let stamp = earlier
            .stamp
            .filter(|given| given.is_provisional() || stamp::is_proper(*given, stamp))
            .or(Some(stamp));
        Ok(Prefix { stamp, size: file.stat().size, head: file.read_head(head)? })
    }

    /// Compares a file's times with the stamp of an earlier scan, in one system call.
    fn told(
        &self,
        request: &ProbeRequest<'_>,
        known: Stamp,
        location: FileLocation<'_>,
    ) -> Verdict {
        if !known.is_provisional() {
            let is_same = location.directory.stat_unconfined(location.path).is_ok_and(|stat| {
                let stamp = stamp::proper(request.file, &stat, self.times.now);
                stat.kind == Kind::File && stamp::is_proper(known, stamp)
            });
            return if is_same { Verdict::Unchanged } else { Verdict::Changed };
        }
        let Some(epoch) = self.times.epoch.filter(|epoch| is_there(request, known, epoch)) else {
            return Verdict::Changed;
        };
        location
            .directory
            .stat_on_mount(location.path)
            .map_or(Verdict::Changed, |(stat, mount)| stamp::verdict(known, &epoch, (&stat, mount)))
    }

    /// Returns the provisional stamp of a file, if it may have one.
    fn provisional(&self, request: &ProbeRequest<'_>) -> Option<Stamp> {
        let is_first_look = request.known.is_none() && self.times.is_provisional;
        let found = found(request).filter(|_| is_first_look)?;
        Some(stamp::provisional(found, self.times.epoch.as_ref()?))
    }

    fn opened(
        &mut self,
        request: &ProbeRequest<'_>,
        told: Option<Verdict>,
        file: UncheckedFile<'_>,
        head: &mut [u8],
    ) -> Result<ProbeResult, Error> {
        if !file.refuses_hard_links()
            && let Some(stamp) = self.provisional(request)
        {
            let head = file.read_head(head)?;
            let size = if head.is_whole_file { head.length as u64 } else { file.size()? };
            self.spent.push(file);
            return Ok(ProbeResult::Read(Prefix { stamp: Some(stamp), size, head }));
        }
        let file = file.into_file()?;
        let mut stamp = stamp::proper(request.file, file.stat(), self.times.now);
        if request.known.is_some_and(|known| stamp::is_proper(known, stamp)) {
            return Ok(ProbeResult::Unchanged);
        }
        if told == Some(Verdict::Unknown) && !stamp.is_racy() {
            stamp = stamp.confirmed();
        }
        let head = file.read_head(head)?;
        Ok(ProbeResult::Read(Prefix { stamp: Some(stamp), size: file.stat().size, head }))
    }
}

/// Returns the file with the directory that a listing returned.
fn found<'q>(request: &ProbeRequest<'q>) -> Option<stamp::Found<'q>> {
    match request.origin {
        Origin::Listing(directory) => Some(stamp::Found { file: request.file, directory }),
        Origin::LastListing | Origin::Opened => None,
    }
}

/// Returns whether the directory is the one of a provisional stamp.
fn is_there(request: &ProbeRequest<'_>, known: Stamp, epoch: &Epoch) -> bool {
    matches!(request.origin, Origin::LastListing)
        || found(request).is_some_and(|found| stamp::is_of(known, found, epoch))
}
