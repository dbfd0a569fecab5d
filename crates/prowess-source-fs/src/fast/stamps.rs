//! Provisional stamps, which cost no system call.
//!
//! A proper stamp costs a system call for each file, in a scan that otherwise has three per file.
//! So a first scan uses **provisional** stamps where the file system allows it (see [`Epoch`]):
//! they contain the start of the scan and the directory of the file. The next scan reads the file's
//! times anyway. If these are before the start of the earlier scan, by more than the resolution of
//! the clock, the file is unchanged. If not, it is read again, and gets a proper stamp. In the same
//! way a provisional stamp records when a directory was listed and which names it had.

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicI64, Ordering};

use prowess_core::Stamp;
use prowess_dir::{Epoch, FileTime, Kind, Stat};

use crate::stamp::{Verdict, letter, mix, nanoseconds};

/// A file of one name in one directory, which is known by its inode.
#[derive(Clone, Copy)]
pub(crate) struct Found<'f> {
    pub(crate) file: &'f str,
    pub(crate) directory: u64,
}

impl Found<'_> {
    fn words(self) -> [u64; 2] {
        [letter(self.file), self.directory]
    }
}

/// A version of a directory, and the names in it, by their number and the sum of their hashes.
#[derive(Clone, Copy)]
pub(crate) struct Listed {
    pub(crate) inode: u64,
    pub(crate) device: u64,
    pub(crate) changed: FileTime,
    pub(crate) count: u64,
    pub(crate) sum: u64,
}

impl Listed {
    fn words(self) -> [u64; 5] {
        [self.inode, self.device, nanoseconds(self.changed), self.count, self.sum]
    }
}

/// The bits of a provisional stamp for the seconds; the rest is a hash. This works until the year
/// 2106, and one in a billion replaced directories is not detected.
const SECONDS_BITS: u32 = 32;
const HASH_BITS: u32 = 30;

/// Returns the stamp of a file that is read by a scan that started at `epoch`.
pub(crate) fn provisional(found: Found<'_>, epoch: &Epoch) -> Stamp {
    of_words(&found.words(), epoch)
}

/// Returns the stamp of a listing by a scan that started at `epoch`; `None` if the directory
/// changed so recently that a later change may not show.
pub(crate) fn listing(listed: Listed, epoch: &Epoch) -> Option<Stamp> {
    let is_settled = Epoch::is_older(listed.changed, epoch.moment.seconds);
    is_settled.then(|| of_words(&listed.words(), epoch))
}

/// Returns whether a stamp is about these words, and the change is older than it.
pub(super) fn stands(given: Stamp, words: &[u64], changed: FileTime, now: &Epoch) -> bool {
    let began = began_at(given);
    given.value() & low(HASH_BITS) == hash(words, now)
        && began <= now.moment.seconds
        && Epoch::is_older(changed, began)
}

/// Returns the stamp of what a scan that started at `epoch` has found.
pub(super) fn of_words(words: &[u64], epoch: &Epoch) -> Stamp {
    let seconds = epoch.moment.seconds.cast_unsigned() & low(SECONDS_BITS);
    Stamp::provisional((seconds << HASH_BITS) | hash(words, epoch))
}

/// The last second for which a source has used provisional stamps.
#[derive(Debug)]
pub(crate) struct LastSecond(AtomicI64);

impl Default for LastSecond {
    fn default() -> Self {
        Self(AtomicI64::new(i64::MIN))
    }
}

impl LastSecond {
    /// Returns whether a scan that starts now may use provisional stamps. All of one second are
    /// equal, so only one scan uses them: a file that two scans read may have changed in between.
    pub(crate) fn is_free(&self, epoch: &Epoch) -> bool {
        let second = epoch.moment.seconds;
        self.0.fetch_max(second, Ordering::Relaxed) < second
    }
}

/// Returns whether a provisional stamp belongs to a file of this name in this directory.
pub(crate) fn is_of(given: Stamp, found: Found<'_>, epoch: &Epoch) -> bool {
    given.value() & low(HASH_BITS) == hash(&found.words(), epoch)
}

/// Returns whether a listing would still return these names.
pub(crate) fn is_as_listed(given: Stamp, listed: Listed, now: &Epoch) -> bool {
    stands(given, &listed.words(), listed.changed, now)
}

/// Compares a provisional stamp with the file that now has these times on this mount.
pub(crate) fn verdict(given: Stamp, epoch: &Epoch, (stat, mount): (&Stat, Option<u64>)) -> Verdict {
    let began = began_at(given);
    let is_here = mount == Some(epoch.mount);
    match () {
        () if !is_here || stat.kind != Kind::File || began > epoch.moment.seconds => {
            Verdict::Changed
        }
        () if Epoch::is_older(stat.changed, began) => Verdict::Unchanged,
        () if stat.changed.seconds <= began => Verdict::Unknown,
        () => Verdict::Changed,
    }
}

/// Returns the start of the scan that created a provisional stamp.
fn began_at(given: Stamp) -> i64 {
    ((given.value() >> HASH_BITS) & low(SECONDS_BITS)).cast_signed()
}

fn hash(words: &[u64], epoch: &Epoch) -> u64 {
    words.iter().copied().chain(epoch.place()).fold(0, mix) & low(HASH_BITS)
}

fn low(bits: u32) -> u64 {
    (1 << bits) - 1
}
