//! Open files that do not belong to the stage.

use std::io;
use std::os::fd::RawFd;

/// The standard streams are 0, 1 and 2.
const FIRST_OTHER: RawFd = 3;

/// Closes every open file except the standard streams and `kept`.
pub(super) fn close_all_except(kept: &[RawFd]) -> io::Result<()> {
    close_from(FIRST_OTHER, kept)
}

/// Closes every open file, the standard streams too, except `kept`.
pub(super) fn close_everything_except(kept: &[RawFd]) -> io::Result<()> {
    close_from(0, kept)
}

fn close_from(mut first: RawFd, kept: &[RawFd]) -> io::Result<()> {
    let mut kept = kept.to_vec();
    kept.sort_unstable();
    for file in kept {
        close_range(first, file - 1)?;
        first = first.max(file + 1);
    }
    close_range(first, RawFd::MAX)
}

#[allow(unsafe_code, reason = "the standard library cannot close what it does not own")]
fn close_range(first: RawFd, last: RawFd) -> io::Result<()> {
    if last < first {
        return Ok(());
    }
    // SAFETY: the call takes numbers only. The stage calls it before any value of this process owns
    // a file in the range, or in a forked process that uses none of those values again.
    let closed = unsafe {
        libc::syscall(libc::SYS_close_range, first.cast_unsigned(), last.cast_unsigned(), 0_u32)
    };
    if closed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
