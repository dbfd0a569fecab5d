//! What the kernel is asked about one `SKILL.md`, and what it answers. Nobody is told of it here.

use prowess_core::{Stamp, Timestamp};
use prowess_dir::{Dir, Epoch, Error, Glance, Head, Kind, Links, PathBelow};

use crate::stamp::{self, Verdict};

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
pub(crate) struct Question<'q> {
    pub(crate) package: &'q str,
    pub(crate) file: &'static str,
    pub(crate) origin: Origin,
    /// The stamp of an earlier scan.
    pub(crate) known: Option<Stamp>,
}

/// How the file is reached.
#[derive(Clone, Copy)]
pub(crate) struct Way<'w> {
    pub(crate) directory: &'w Dir,
    /// The package from that directory; empty if it is that directory.
    pub(crate) package: &'w str,
    /// The file from that directory.
    pub(crate) path: PathBelow<'w>,
    pub(crate) links: Links,
}

/// What is to be reported of it.
pub(crate) enum Answer {
    /// It is as the earlier scan saw it.
    Unchanged,
    /// It was read.
    Read(Beginning),
    /// It could not be opened.
    NotOpened(Error),
    /// It was opened and cannot be read.
    Unreadable(Error),
}

/// The beginning of a file, of which the bytes lie elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct Beginning {
    pub(crate) stamp: Option<Stamp>,
    pub(crate) size: Option<u64>,
    pub(crate) head: Head,
}

/// Asks, with all that is the same for each file of a scan.
pub(crate) struct Asker {
    pub(crate) times: Times,
    /// Whether the size of each file is wanted, at the cost of a call.
    pub(crate) needs_size: bool,
    /// Whether each file has most likely changed, so that its dates are asked for once it is open.
    pub(crate) expects_changes: bool,
}

impl Asker {
    /// Asks about a file; of one that is new or may have changed, reads as much as `head` holds.
    pub(crate) fn ask(&self, question: &Question<'_>, way: Way<'_>, head: &mut [u8]) -> Answer {
        // The dates of a link are not those of the file. Those of an open one say too little of a provisional
        // stamp.
        let is_asked_first = |known: &Stamp| {
            way.links == Links::Refuse && (known.is_provisional() || !self.expects_changes)
        };
        let known = question.known.filter(is_asked_first);
        let told = known.map(|known| self.told(question, known, way));
        if told == Some(Verdict::Unchanged) {
            return Answer::Unchanged;
        }
        match way.directory.glance(way.path, way.links) {
            Ok(glance) => {
                self.opened(question, told, glance, head).unwrap_or_else(Answer::Unreadable)
            }
            Err(error) => Answer::NotOpened(error),
        }
    }

    /// Reads a file once more, as much of it as `head` holds. It gets another stamp if it has changed since
    /// `earlier`.
    pub(crate) fn read_again(
        &self,
        question: &Question<'_>,
        way: Way<'_>,
        earlier: Beginning,
        head: &mut [u8],
    ) -> Result<Beginning, Error> {
        let file = way.directory.glance(way.path, way.links)?.look()?;
        let stamp = stamp::proper(question.file, file.stat(), self.times.now);
        let is_the_one = |given: &Stamp| given.is_provisional() || stamp::is_proper(*given, stamp);
        let stamp = earlier.stamp.filter(is_the_one).or(Some(stamp));
        Ok(Beginning { stamp, size: Some(file.stat().size), head: file.read_head(head)? })
    }

    /// What the dates of a file say of a stamp of an earlier scan, in one system call.
    fn told(&self, question: &Question<'_>, known: Stamp, way: Way<'_>) -> Verdict {
        if !known.is_provisional() {
            let is_same = way.directory.stat_unconfined(way.path).is_ok_and(|stat| {
                let stamp = stamp::proper(question.file, &stat, self.times.now);
                stat.kind == Kind::File && stamp::is_proper(known, stamp)
            });
            return if is_same { Verdict::Unchanged } else { Verdict::Changed };
        }
        let Some(epoch) = self.times.epoch.filter(|epoch| is_there(question, known, epoch)) else {
            return Verdict::Changed;
        };
        way.directory
            .stat_on_mount(way.path)
            .map_or(Verdict::Changed, |(stat, mount)| stamp::verdict(known, &epoch, (&stat, mount)))
    }

    /// What a provisional stamp is made of, where there may be one.
    fn provisional<'q>(&'q self, question: &Question<'q>) -> Option<(stamp::Found<'q>, &'q Epoch)> {
        Some((found(question)?, self.times.epoch.as_ref()?))
    }

    fn opened(
        &self,
        question: &Question<'_>,
        told: Option<Verdict>,
        glance: Glance<'_>,
        head: &mut [u8],
    ) -> Result<Answer, Error> {
        if question.known.is_none()
            && self.times.is_provisional
            && !self.needs_size
            && let Some((found, epoch)) = self.provisional(question)
        {
            let stamp = Some(stamp::provisional(found, epoch));
            let head = glance.read_head(head)?;
            return Ok(Answer::Read(Beginning { stamp, size: None, head }));
        }
        let file = glance.look()?;
        let mut stamp = stamp::proper(question.file, file.stat(), self.times.now);
        if question.known.is_some_and(|known| stamp::is_proper(known, stamp)) {
            return Ok(Answer::Unchanged);
        }
        if told == Some(Verdict::Unknown) && !stamp.is_young() {
            stamp = stamp::settling(stamp);
        }
        let head = file.read_head(head)?;
        Ok(Answer::Read(Beginning { stamp: Some(stamp), size: Some(file.stat().size), head }))
    }
}

/// The file in the directory that a listing gave.
fn found<'q>(question: &Question<'q>) -> Option<stamp::Found<'q>> {
    match question.origin {
        Origin::Listing(directory) => Some(stamp::Found { file: question.file, directory }),
        Origin::LastListing | Origin::Opened => None,
    }
}

/// Whether the directory is the one in which a provisional stamp was given.
fn is_there(question: &Question<'_>, known: Stamp, epoch: &Epoch) -> bool {
    matches!(question.origin, Origin::LastListing)
        || found(question).is_some_and(|found| stamp::is_of(known, found, epoch))
}
