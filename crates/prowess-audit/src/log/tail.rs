//! The end of a file of the log: its last entry, and what was not finished.
//!
//! After a power failure, lines that were not synced may be missing before others: the system reads
//! zeros there, which no line has.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::chain::{self, Head, MAX_LINE};

/// The most bytes at the end of a file that a power failure can damage.
pub(crate) const DAMAGED: u64 = 4 * MAX_LINE as u64;

/// The end of a file.
pub(super) struct Tail {
    /// The last entry; `None` if there is no complete line.
    pub(super) head: Option<Head>,
    /// The length of the complete lines before any damage.
    pub(super) complete: u64,
    /// The length of what follows them.
    pub(super) torn: u64,
}

/// Reads the end of a file, not before the line at `from`; `None` if its last complete line is no
/// entry.
pub(super) fn read(file: &File, from: u64) -> io::Result<Option<Tail>> {
    let length = file.metadata()?.len();
    let start = length.saturating_sub(DAMAGED).max(from);
    let mut bytes = vec![0; usize::try_from(length.saturating_sub(start)).unwrap_or_default()];
    file.read_exact_at(&mut bytes, start)?;
    let whole = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let Some(end) = position_of_last_line_feed(&bytes[..whole]).map(|at| at + 1) else {
        // Else it is a line longer than any that is written.
        let tail = Tail { head: None, complete: from, torn: bytes.len() as u64 };
        return Ok((start == from).then_some(tail));
    };
    let line = position_of_last_line_feed(&bytes[..end - 1]).map_or(0, |at| at + 1);
    let torn = (bytes.len() - end) as u64;
    let tail = |head| Tail { head: Some(head), complete: length - torn, torn };
    Ok(chain::open(&bytes[line..end]).map(|sealed| tail(sealed.head)))
}

fn position_of_last_line_feed(bytes: &[u8]) -> Option<usize> {
    bytes.iter().rposition(|&byte| byte == b'\n')
}
