//! What tells one version of a `SKILL.md` from another without reading it.

use std::hash::{DefaultHasher, Hash, Hasher};
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
    let mut hasher = DefaultHasher::new();
    (file.len(), file.as_bytes()[0], stat).hash(&mut hasher);
    Some(Stamp(NonZeroU64::new(hasher.finish()).unwrap_or(NonZeroU64::MIN)))
}

/// Whether a time is within two seconds of now, on either side: clocks of file servers differ.
fn is_racy(moment: Moment, now: Timestamp) -> bool {
    let milliseconds =
        i128::from(moment.seconds) * 1_000 + i128::from(moment.nanoseconds / 1_000_000);
    (i128::from(now.0) - milliseconds).abs() < RACY_MS
}
