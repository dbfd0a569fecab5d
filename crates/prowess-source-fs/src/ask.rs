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

/// Which file is asked about.
#[derive(Clone, Copy)]
pub(crate) struct Question<'q> {
    pub(crate) package: &'q str,
    pub(crate) file: &'static str,
    /// The inode of the package's directory, if it was found by a listing.
    pub(crate) inode: Option<u64>,
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
        let stamp = earlier.stamp.filter(is_the_one).or(stamp);
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
        match (self.provisional(question), way.directory.stat_on_mount(way.path)) {
            (Some((found, epoch)), Ok((stat, mount))) => {
                stamp::verdict(known, found, epoch, (&stat, mount))
            }
            _ => Verdict::Changed,
        }
    }

    /// What a provisional stamp is made of, where there may be one.
    fn provisional<'q>(&'q self, question: &Question<'q>) -> Option<(stamp::Found<'q>, &'q Epoch)> {
        let found = stamp::Found { file: question.file, directory: question.inode? };
        Some((found, self.times.epoch.as_ref()?))
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
        if told == Some(Verdict::Unknown) {
            stamp = stamp.map(stamp::settling);
        }
        let head = file.read_head(head)?;
        Ok(Answer::Read(Beginning { stamp, size: Some(file.stat().size), head }))
    }
}
