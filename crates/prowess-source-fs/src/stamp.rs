//! What tells one version of a `SKILL.md` from another without reading it.

use std::num::NonZeroU64;

use prowess_core::{Stamp, Timestamp};
use prowess_dir::{Moment, Stat};

/// Times of files are no finer than the kernel's tick, on some file systems two seconds: a file that
/// changed this lately may change again without its times changing.
const RACY_MS: i128 = 2_000;

/// The stamp of a file, unless it changed so lately that it would not tell.
pub(crate) fn stamp(file: &str, stat: &Stat, now: Timestamp) -> Option<Stamp> {
    if is_racy(stat.modified, now) || is_racy(stat.changed, now) {
        return None;
    }
    // The name is part of it: `skill.md` that becomes `SKILL.md` is reported anew.
    let words = [
        u64::from(file.as_bytes()[0]),
        stat.size,
        nanoseconds(stat.modified),
        nanoseconds(stat.changed),
        stat.inode,
        stat.device,
    ];
    let mixed = words.into_iter().fold(0, mix);
    Some(Stamp(NonZeroU64::new(mixed).unwrap_or(NonZeroU64::MIN)))
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
fn nanoseconds(moment: Moment) -> u64 {
    moment
        .seconds
        .cast_unsigned()
        .wrapping_mul(1_000_000_000)
        .wrapping_add(u64::from(moment.nanoseconds))
}

/// Whether a time is within two seconds of now, on either side: clocks of file servers differ.
fn is_racy(moment: Moment, now: Timestamp) -> bool {
    let milliseconds =
        i128::from(moment.seconds) * 1_000 + i128::from(moment.nanoseconds / 1_000_000);
    (i128::from(now.0) - milliseconds).abs() < RACY_MS
}
