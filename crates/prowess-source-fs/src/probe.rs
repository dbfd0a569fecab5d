//! Probes one `SKILL.md` by system calls, without reporting the result.

use std::sync::Arc;

use prowess_core::{Stamp, Timestamp};
use prowess_dir::{Content, Error, ErrorKind, Kind, Links, Stat, Stillness, UncheckedFile};

use crate::fast::provisional::Provisional;
use crate::kept::{Kept, WHOLE_BYTES};
use crate::probe_request::{FileLocation, Prefix, ProbeRequest, ProbeResult};
use crate::stamp::{self, Verdict};

/// The number of bytes to read of each file, enough for nearly every frontmatter. Of twice as many,
/// most would be copied in vain.
pub(crate) const HEAD_BYTES: usize = 2048;

/// The maximum number of bytes that a sink may request. A larger file is not a skill.
pub(crate) const MAX_FILE_BYTES: usize = 2 * 1024 * 1024;

/// The maximum number of times that one scan waits for writers.
pub(crate) const MAX_WAITS: usize = 32;

/// Probes files, with the state that is common to a scan.
pub(crate) struct FileProber {
    /// The current time, by the host's clock.
    pub(crate) now: Timestamp,
    /// That of the root.
    pub(crate) file_system: u64,
    /// Whether files have most likely changed, so that their times are read only after opening.
    pub(crate) expects_changes: bool,
    /// The use of provisional stamps, where the scan and its file system allow it.
    pub(crate) provisional: Option<Provisional>,
    pub(crate) stillness: Stillness,
    /// How often this scan may wait for a writer.
    pub(crate) waits: usize,
    pub(crate) kept: Option<Arc<Kept>>,
}

/// The beginning of a file that may be being saved.
pub(crate) enum Saved {
    /// It is as it was read.
    Whole,
    /// It was read again.
    Again(Prefix, Vec<u8>),
    /// It was being written each time.
    Never,
}

impl FileProber {
    /// Returns the number of bytes to read of each file.
    pub(crate) fn head_bytes(&self) -> usize {
        if self.kept.is_some() { WHOLE_BYTES } else { HEAD_BYTES }
    }

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
        let verdict = known.map(|known| self.compare(request, known, location));
        if verdict == Some(Verdict::Unchanged) {
            return ProbeResult::Unchanged;
        }
        match self.open(location) {
            Ok(file) => {
                self.opened(request, verdict, file, head).unwrap_or_else(ProbeResult::Unreadable)
            }
            Err(error) => ProbeResult::NotOpened(error),
        }
    }

    fn open<'l>(&mut self, location: FileLocation<'l>) -> Result<UncheckedFile<'l>, Error> {
        let opened = location.directory.open_unchecked(location.path, location.links);
        match (opened, &mut self.provisional) {
            // The process may have no descriptor left.
            (Err(error), Some(provisional)) if error.kind() == ErrorKind::Unavailable => {
                if !provisional.close_files() {
                    return Err(error);
                }
                location.directory.open_unchecked(location.path, location.links)
            }
            (opened, _) => opened,
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
    ) -> Result<(Prefix, Stat), Error> {
        let file = location.directory.open_unchecked(location.path, location.links)?;
        let file = file.into_file()?;
        let stat = *file.stat();
        let stamp = self.proper(request, &stat);
        let stamp = earlier
            .stamp
            .filter(|given| given.is_provisional() || stamp::is_proper(*given, stamp))
            .or(Some(stamp));
        Ok((Prefix { stamp, size: stat.size, head: file.read_head(head)? }, stat))
    }

    /// Reads the beginning of a file again once it is still, if a part of it would do harm: it
    /// would replace a record, or its frontmatter has no end.
    pub(crate) fn when_still(
        &mut self,
        request: &ProbeRequest<'_>,
        location: FileLocation<'_>,
        earlier: Prefix,
        head: &[u8],
    ) -> Saved {
        let is_old = |stamp: Stamp| !stamp.is_racy() && !stamp.is_provisional();
        let text = &head[..earlier.head.length];
        let has_end = || !earlier.head.is_whole_file || text.windows(4).any(|it| it == b"\n---");
        let is_harmless = earlier.stamp.is_some_and(is_old) || request.known.is_none() && has_end();
        if is_harmless || self.waits == 0 {
            return Saved::Whole;
        }
        let (mut last, mut waits) = (None, 0);
        let read = self.stillness.read(|attempt| {
            let mut head = [0; HEAD_BYTES];
            waits = attempt;
            let (prefix, stat) = self.read_again(request, location, earlier, &mut head)?;
            last = Some(prefix);
            Ok::<_, Error>(Some(Content::of(head[..prefix.head.length].to_vec(), &stat)))
        });
        self.waits = self.waits.saturating_sub(waits);
        match (read, last) {
            (Ok(Some(head)), Some(prefix)) => Saved::Again(prefix, head),
            (Ok(None), _) => Saved::Never,
            _ => Saved::Whole,
        }
    }

    /// Compares a file's times with the stamp of an earlier scan, in one system call.
    fn compare(
        &self,
        request: &ProbeRequest<'_>,
        known: Stamp,
        location: FileLocation<'_>,
    ) -> Verdict {
        if known.is_provisional() {
            let provisional = self.provisional.as_ref();
            return provisional.map_or(Verdict::Changed, |provisional| {
                provisional.compare(request, known, location)
            });
        }
        let is_same = location.directory.stat_unconfined(location.path).is_ok_and(|stat| {
            let stamp = self.proper(request, &stat);
            stat.kind == Kind::File && stamp::is_proper(known, stamp)
        });
        if is_same { Verdict::Unchanged } else { Verdict::Changed }
    }

    fn proper(&self, request: &ProbeRequest<'_>, stat: &Stat) -> Stamp {
        stamp::proper(request.file, stat, self.file_system, self.now)
    }

    fn opened(
        &mut self,
        request: &ProbeRequest<'_>,
        verdict: Option<Verdict>,
        file: UncheckedFile<'_>,
        head: &mut [u8],
    ) -> Result<ProbeResult, Error> {
        if let Some(provisional) = &mut self.provisional
            && let Some(stamp) = provisional.stamp(request, &file)
        {
            return provisional.read(stamp, file, head).map(ProbeResult::Read);
        }
        let file = file.into_file()?;
        let mut stamp = self.proper(request, file.stat());
        if request.known.is_some_and(|known| stamp::is_proper(known, stamp)) {
            return Ok(ProbeResult::Unchanged);
        }
        if verdict == Some(Verdict::Unknown) && !stamp.is_racy() {
            stamp = stamp.confirmed();
        }
        let head = file.read_head(head)?;
        Ok(ProbeResult::Read(Prefix { stamp: Some(stamp), size: file.stat().size, head }))
    }
}
