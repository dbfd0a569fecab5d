//! What tells one version of a `SKILL.md` from another without reading it.
//!
//! A **proper** stamp is made of all that the file system says of a file. It costs a system call for each
//! file, in a scan that has three for it otherwise. So a first scan gives **provisional** stamps, where the
//! file system allows it (see [`Epoch`]): they say when the scan began and in which directory the file was
//! found. The next scan asks for the file's dates anyway. If they lie before the earlier scan began, by more
//! than clocks are coarse, the file is the one that was read then. If not, it is read again, and gets a
//! proper stamp. In the same way a provisional stamp says when a directory was listed and which names were in
//! it.

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicI64, Ordering};

use prowess_core::{Stamp, Timestamp};
use prowess_dir::{Epoch, FileTime, Kind, Stat};

/// Times of files are no finer than the kernel's tick, on some file systems two seconds: a file that
/// changed this lately may change again without its times changing.
const RACY_MS: i128 = 2_000;

/// The proper stamp of a file; a racy one if it changed so lately that a further change may not show.
pub(crate) fn proper(file: &str, stat: &Stat, now: Timestamp) -> Stamp {
    // The name is part of it: `skill.md` that becomes `SKILL.md` is reported anew.
    let words = [
        letter(file),
        stat.size,
        nanoseconds(stat.modified),
        nanoseconds(stat.changed),
        stat.inode,
        stat.device,
    ];
    let mixed = words.into_iter().fold(0, mix);
    let may_change_again = is_racy(stat.modified, now) || is_racy(stat.changed, now);
    if may_change_again { Stamp::racy(mixed) } else { Stamp::exact(mixed) }
}

/// Whether a stamp that was given is this proper one, confirmed or not, and neither is racy.
pub(crate) fn is_proper(given: Stamp, stamp: Stamp) -> bool {
    !given.is_provisional()
        && !given.is_racy()
        && !stamp.is_racy()
        && stamp.value() == given.value()
}

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

/// What a provisional stamp says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is the one that was read.
    Unchanged,
    /// It may be the one that was read: it changed just before.
    Unknown,
    /// It is another one, or nothing can be said.
    Changed,
}

/// How the seconds of a moment and a hash share a provisional stamp: until the year 2106, and one in a
/// billion directories that take the place of another is taken for it.
const SECONDS_BITS: u32 = 32;
const HASH_BITS: u32 = 30;

/// The stamp of a file that a scan reads which began then.
pub(crate) fn provisional(found: Found<'_>, epoch: &Epoch) -> Stamp {
    of_words(&found.words(), epoch)
}

/// The stamp of what a scan listed which began then; `None` if the directory changed so lately that a later
/// change may not show.
pub(crate) fn listing(listed: Listed, epoch: &Epoch) -> Option<Stamp> {
    let is_settled = Epoch::is_older(listed.changed, epoch.moment.seconds);
    is_settled.then(|| of_words(&listed.words(), epoch))
}

fn of_words(words: &[u64], epoch: &Epoch) -> Stamp {
    let seconds = epoch.moment.seconds.cast_unsigned() & low(SECONDS_BITS);
    Stamp::provisional((seconds << HASH_BITS) | hash(words, epoch))
}

/// The last second whose provisional stamps a source has given.
#[derive(Debug)]
pub(crate) struct LastSecond(AtomicI64);

impl Default for LastSecond {
    fn default() -> Self {
        Self(AtomicI64::new(i64::MIN))
    }
}

impl LastSecond {
    /// Whether a scan that begins now may give them. Those of one second are all the same, so only one
    /// scan gives them: a file that is read by two may have changed in between.
    pub(crate) fn is_free(&self, epoch: &Epoch) -> bool {
        let second = epoch.moment.seconds;
        self.0.fetch_max(second, Ordering::Relaxed) < second
    }
}

/// Whether a provisional stamp was given to a file of this name in this directory.
pub(crate) fn is_of(given: Stamp, found: Found<'_>, epoch: &Epoch) -> bool {
    given.value() & low(HASH_BITS) == hash(&found.words(), epoch)
}

/// Whether a listing would give these names, as it did when the stamp was made.
pub(crate) fn is_as_listed(given: Stamp, listed: Listed, now: &Epoch) -> bool {
    let began = began_at(given);
    given.value() & low(HASH_BITS) == hash(&listed.words(), now)
        && began <= now.moment.seconds
        && Epoch::is_older(listed.changed, began)
}

/// What a provisional stamp says of the file in its place with these dates on this mount.
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

/// When the scan began that gave a provisional stamp.
fn began_at(given: Stamp) -> i64 {
    ((given.value() >> HASH_BITS) & low(SECONDS_BITS)).cast_signed()
}

fn hash(words: &[u64], epoch: &Epoch) -> u64 {
    let place = [epoch.mount, epoch.started.cast_unsigned()];
    words.iter().copied().chain(place).fold(0, mix) & low(HASH_BITS)
}

fn letter(file: &str) -> u64 {
    u64::from(file.as_bytes()[0])
}

fn low(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// One round of a 64-bit finaliser for each word: every bit of it reaches every bit of the stamp.
///
/// Unlike the standard library's hash it is the same in every program, and a quarter of the work: a
/// scan makes one stamp for each skill. That the times in it are the kernel's is what keeps stamps
/// apart, not that nobody could find two words that mix alike.
fn mix(stamp: u64, word: u64) -> u64 {
    let mut mixed = stamp.rotate_left(23) ^ word;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Seconds and nanoseconds in one word; before 1970 and after 2554 it wraps and stays distinct.
fn nanoseconds(moment: FileTime) -> u64 {
    moment
        .seconds
        .cast_unsigned()
        .wrapping_mul(1_000_000_000)
        .wrapping_add(u64::from(moment.nanoseconds))
}

/// Whether a time is within two seconds of now, on either side: clocks of file servers differ.
fn is_racy(moment: FileTime, now: Timestamp) -> bool {
    let milliseconds =
        i128::from(moment.seconds) * 1_000 + i128::from(moment.nanoseconds / 1_000_000);
    (i128::from(now.0) - milliseconds).abs() < RACY_MS
}
