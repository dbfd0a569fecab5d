//! Stamps, which identify versions of a `SKILL.md` without reading it.
//!
//! A **proper** stamp is computed from all metadata of a file. It costs a system call for each
//! file. The fast walk does without it where it can: see [`crate::fast::stamps`].

use prowess_core::{Stamp, Timestamp};
use prowess_dir::{FileTime, Stat};

/// Times of files have the resolution of the kernel's tick, on some file systems two seconds: a
/// file that changed this recently may change again without a change of its times.
const RACY_MS: i128 = 2_000;

/// Returns the proper stamp of a file; a racy one if it changed so recently that a further change
/// may not show.
pub(crate) fn proper(file: &str, stat: &Stat, file_system: u64, now: Timestamp) -> Stamp {
    // The name is included: `skill.md` that becomes `SKILL.md` is reported as changed.
    let words = [
        letter(file),
        stat.size,
        nanoseconds(stat.modified),
        nanoseconds(stat.changed),
        stat.inode,
        stat.device,
        file_system,
    ];
    let mixed = words.into_iter().fold(0, mix);
    let may_change_again = is_racy(stat.modified, now) || is_racy(stat.changed, now);
    if may_change_again { Stamp::racy(mixed) } else { Stamp::exact(mixed) }
}

/// Returns whether a known stamp equals this proper one, confirmed or not, and neither is racy.
pub(crate) fn is_proper(given: Stamp, stamp: Stamp) -> bool {
    !given.is_provisional()
        && !given.is_racy()
        && !stamp.is_racy()
        && stamp.value() == given.value()
}

/// The result of comparing a stamp of an earlier scan with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The file is unchanged.
    Unchanged,
    /// The file may be unchanged: it changed just before it was read.
    Unknown,
    /// The file has changed, or nothing is known.
    Changed,
}

/// Returns the letter that distinguishes the names of a `SKILL.md`.
pub(crate) fn letter(file: &str) -> u64 {
    u64::from(file.as_bytes()[0])
}

/// Mixes a word into a stamp, by one round of a 64-bit finaliser: every bit of the word affects
/// every bit of the stamp.
///
/// Unlike the standard library's hash, the result is the same in every program, at a quarter of the
/// cost: a scan computes one stamp per skill. It does not resist attacks and need not, because the
/// times are set by the kernel.
pub(crate) fn mix(stamp: u64, word: u64) -> u64 {
    let mut mixed = stamp.rotate_left(23) ^ word;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Packs seconds and nanoseconds into one word; before 1970 and after 2554 it wraps and stays
/// distinct.
pub(crate) fn nanoseconds(moment: FileTime) -> u64 {
    moment
        .seconds
        .cast_unsigned()
        .wrapping_mul(1_000_000_000)
        .wrapping_add(u64::from(moment.nanoseconds))
}

/// Returns whether a time is within two seconds of now, in either direction: clocks of file servers
/// differ.
fn is_racy(moment: FileTime, now: Timestamp) -> bool {
    let milliseconds =
        i128::from(moment.seconds) * 1_000 + i128::from(moment.nanoseconds / 1_000_000);
    (i128::from(now.0) - milliseconds).abs() < RACY_MS
}
