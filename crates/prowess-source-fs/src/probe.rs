//! What the kernel is asked about one `SKILL.md`, and what it answers. Nobody is told of it here.

use prowess_core::{Stamp, Timestamp};
use prowess_dir::{Dir, Epoch, Error, File, Head, Kind, Links, RelativePath, UncheckedFile};

use crate::stamp::{self, Verdict};

/// The size limit of a `SKILL.md` in bytes, which is also the most that a sink may ask for and the
/// default limit of a read.
pub(crate) const MAX_FILE_BYTES: usize = 2 * 1024 * 1024;

/// The present, by the host's clock and by that of the files where it is of use.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    pub(crate) now: Timestamp,
    pub(crate) epoch: Option<Epoch>,
    /// Whether a file that is read for the first time gets a provisional stamp.
    pub(crate) is_provisional: bool,
}

/// How the directory of a package was come to.
#[derive(Clone, Copy)]
pub(crate) enum Origin {
    /// By a listing, which gave it this inode.
    Listing(u64),
    /// By that of the last scan, which would be the same now.
    LastListing,
    /// It was opened itself, or through a link: nothing says that what is known is of this file.
    Opened,
}

/// Which file is asked about.
#[derive(Clone, Copy)]
pub(crate) struct ProbeRequest<'q> {
    pub(crate) package: &'q str,
    pub(crate) file: &'static str,
    pub(crate) origin: Origin,
    /// The stamp of an earlier scan.
    pub(crate) known: Option<Stamp>,
}

/// How the file is reached.
#[derive(Clone, Copy)]
pub(crate) struct FileLocation<'w> {
    pub(crate) directory: &'w Dir,
    /// The package from that directory; empty if it is that directory.
    pub(crate) package: &'w str,
    /// The file from that directory.
    pub(crate) path: RelativePath<'w>,
    pub(crate) links: Links,
}

/// What is to be reported of it.
pub(crate) enum ProbeResult {
    /// It is as the earlier scan saw it.
    Unchanged,
    /// It was read.
    Read(Prefix),
    /// It could not be opened.
    NotOpened(Error),
    /// It was opened and cannot be read.
    Unreadable(Error),
}

/// The beginning of a file, of which the bytes lie elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct Prefix {
    pub(crate) stamp: Option<Stamp>,
    pub(crate) size: Option<u64>,
    pub(crate) head: Head,
}

/// Asks, with all that is the same for each file of a scan.
pub(crate) struct FileProber {
    pub(crate) times: Times,
    /// Whether the sink has asked for the size of each file, at the cost of a call.
    pub(crate) needs_size: bool,
    /// Whether each file has most likely changed, so that its dates are asked for once it is open.
    pub(crate) expects_changes: bool,
}

impl FileProber {
    /// Asks about a file; of one that is new or may have changed, reads as much as `head` holds.
    pub(crate) fn probe(
        &self,
        request: &ProbeRequest<'_>,
        location: FileLocation<'_>,
        head: &mut [u8],
    ) -> ProbeResult {
        // The dates of a link are not those of the file. Those of an open one say too little of a provisional
        // stamp.
        let is_asked_first = |known: &Stamp| {
            location.links == Links::Refuse && (known.is_provisional() || !self.expects_changes)
        };
        let known = request.known.filter(is_asked_first);
        let told = known.map(|known| self.told(request, known, location));
        if told == Some(Verdict::Unchanged) {
            return ProbeResult::Unchanged;
        }
        match location.directory.open_unchecked(location.path, location.links) {
            Ok(file) => {
                self.opened(request, told, file, head).unwrap_or_else(ProbeResult::Unreadable)
            }
            Err(error) => ProbeResult::NotOpened(error),
        }
    }

    /// Reads a file once more, as much of it as `head` holds. It gets another stamp if it has changed since
    /// `earlier`.
    pub(crate) fn read_again(
        &self,
        request: &ProbeRequest<'_>,
        location: FileLocation<'_>,
        earlier: Prefix,
        head: &mut [u8],
    ) -> Result<Prefix, Error> {
        let file = location.directory.open_unchecked(location.path, location.links)?;
        let file = within_limit(file.into_file()?)?;
        let stamp = stamp::proper(request.file, file.stat(), self.times.now);
        let is_the_one = |given: &Stamp| given.is_provisional() || stamp::is_proper(*given, stamp);
        let stamp = earlier.stamp.filter(is_the_one).or(Some(stamp));
        Ok(Prefix { stamp, size: Some(file.stat().size), head: file.read_head(head)? })
    }

    /// What the dates of a file say of a stamp of an earlier scan, in one system call.
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
        location.directory.stat_on_mount(location.path).map_or(Verdict::Changed, |(stat, mount)| {
            match stat.size > MAX_FILE_BYTES as u64 {
                // The scan that gave the stamp did not know the size.
                true => Verdict::Changed,
                false => stamp::verdict(known, &epoch, (&stat, mount)),
            }
        })
    }

    /// What a provisional stamp is made of, where there may be one.
    fn provisional<'q>(
        &'q self,
        request: &ProbeRequest<'q>,
    ) -> Option<(stamp::Found<'q>, &'q Epoch)> {
        Some((found(request)?, self.times.epoch.as_ref()?))
    }

    fn opened(
        &self,
        request: &ProbeRequest<'_>,
        told: Option<Verdict>,
        file: UncheckedFile<'_>,
        head: &mut [u8],
    ) -> Result<ProbeResult, Error> {
        if request.known.is_none()
            && self.times.is_provisional
            && !self.needs_size
            && !file.refuses_hard_links()
            && let Some((found, epoch)) = self.provisional(request)
        {
            let stamp = Some(stamp::provisional(found, epoch));
            let head = file.read_head(head)?;
            return Ok(ProbeResult::Read(Prefix { stamp, size: None, head }));
        }
        let file = within_limit(file.into_file()?)?;
        let mut stamp = stamp::proper(request.file, file.stat(), self.times.now);
        if request.known.is_some_and(|known| stamp::is_proper(known, stamp)) {
            return Ok(ProbeResult::Unchanged);
        }
        if told == Some(Verdict::Unknown) && !stamp.is_racy() {
            stamp = stamp.confirmed();
        }
        let head = file.read_head(head)?;
        Ok(ProbeResult::Read(Prefix { stamp: Some(stamp), size: Some(file.stat().size), head }))
    }
}

/// Refuses a file that no read would return.
fn within_limit(file: File<'_>) -> Result<File<'_>, Error> {
    let limit = MAX_FILE_BYTES as u64;
    if file.stat().size > limit { Err(file.too_large()) } else { Ok(file) }
}

/// The file in the directory that a listing gave.
fn found<'q>(request: &ProbeRequest<'q>) -> Option<stamp::Found<'q>> {
    match request.origin {
        Origin::Listing(directory) => Some(stamp::Found { file: request.file, directory }),
        Origin::LastListing | Origin::Opened => None,
    }
}

/// Whether the directory is the one in which a provisional stamp was given.
fn is_there(request: &ProbeRequest<'_>, known: Stamp, epoch: &Epoch) -> bool {
    matches!(request.origin, Origin::LastListing)
        || found(request).is_some_and(|found| stamp::is_of(known, found, epoch))
}
