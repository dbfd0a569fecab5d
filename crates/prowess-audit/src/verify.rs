//! Checks the chain of a log.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde_json::Value;

use crate::chain::{self, Head, MAX_LINE, Sealed};
use crate::log::files::{self, Snapshot};
use crate::log::tail::DAMAGED;
use crate::{Problem, VerifyError};

/// A log whose chain is unbroken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The number of entries.
    pub entries: u64,
    /// The number of files.
    pub files: usize,
    /// The last entry.
    pub head: Head,
    /// The bytes after the last entry, which a writer did not finish, or of which a power failure
    /// has removed a part. The next writer removes them and records that in the log.
    pub torn_bytes: usize,
}

/// Checks every entry of the log at `path`, with its rotated files.
///
/// # Errors
///
/// Returns the first entry that breaks the chain, or the error of a file that cannot be read.
pub fn verify(path: &Path) -> Result<Verified, VerifyError> {
    walk(path, &mut |_| ())
}

/// As [`verify`], and checks that the log still contains an entry that was its last one before.
///
/// # Errors
///
/// As [`verify`], or the log does not contain that entry.
pub fn verify_against(path: &Path, kept: &Head) -> Result<Verified, VerifyError> {
    let mut is_found = *kept == Head::empty();
    let verified = walk(path, &mut |found| is_found |= found.head == *kept)?;
    if is_found { Ok(verified) } else { Err(VerifyError::HeadMissing(*kept)) }
}

/// An entry of a log.
pub(crate) struct Found {
    pub(crate) head: Head,
    pub(crate) entry: Value,
    /// Whether the chain is unbroken up to it.
    pub(crate) is_proven: bool,
}

/// Checks a log and passes each entry to `visit`, also those behind the first that breaks the
/// chain.
pub(crate) fn walk(path: &Path, visit: &mut dyn FnMut(Found)) -> Result<Verified, VerifyError> {
    let unreadable = |error| VerifyError::Unreadable(path.to_owned(), error);
    let Snapshot { full, current } = files::snapshot(path).map_err(unreadable)?;
    let files = full.len() + usize::from(current.is_some());
    let verified = Verified { entries: 0, files, head: Head::empty(), torn_bytes: 0 };
    let mut checked = (verified, None);
    for (number, path) in full.iter().enumerate() {
        let unreadable = |error| VerifyError::Unreadable(path.clone(), error);
        let (file, length) = files::open_to_read(path).map_err(unreadable)?;
        walk_file((path, file, length), number + 1 == files, &mut checked, visit)?;
    }
    if let Some((file, length)) = current {
        walk_file((path, file, length), true, &mut checked, visit)?;
    }
    let (verified, broken) = checked;
    broken.map_or(Ok(verified), Err)
}

/// Checks the first bytes of a file, `left` many: another program may be adding more.
fn walk_file(
    (path, file, mut left): (&Path, File, u64),
    is_last: bool,
    (verified, broken): &mut (Verified, Option<VerifyError>),
    visit: &mut dyn FnMut(Found),
) -> Result<(), VerifyError> {
    let unreadable = |error| VerifyError::Unreadable(path.to_owned(), error);
    let mut reader = BufReader::new(file.take(left));
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        let mut limited = (&mut reader).take(MAX_LINE as u64);
        if limited.read_until(b'\n', &mut bytes).map_err(unreadable)? == 0 {
            break;
        }
        let is_cut = bytes.last() != Some(&b'\n') && bytes.len() < MAX_LINE;
        if is_last && (is_cut || left <= DAMAGED && bytes.contains(&0)) {
            verified.torn_bytes = usize::try_from(left).unwrap_or(usize::MAX);
            break;
        }
        left = left.saturating_sub(bytes.len() as u64);
        let (head, entry) = match next(&verified.head, &bytes) {
            Ok(Sealed { head, entry, .. }) => {
                verified.entries += 1;
                (head, entry)
            }
            Err(problem) => {
                let file = path.to_owned();
                broken.get_or_insert(VerifyError::Broken { file, line, problem });
                let Some(read) = chain::read(&bytes) else { continue };
                read
            }
        };
        verified.head = head;
        visit(Found { head, entry, is_proven: broken.is_none() });
    }
    Ok(())
}

/// Checks the line of the entry behind `last`, and returns the head after it.
///
/// # Errors
///
/// The line does not continue the chain.
pub fn next_line(last: &Head, line: &[u8]) -> Result<Head, Problem> {
    next(last, line).map(|sealed| sealed.head)
}

/// Opens the line of the entry behind `last`.
fn next(last: &Head, line: &[u8]) -> Result<Sealed, Problem> {
    let sealed = chain::open(line).ok_or(Problem::Changed)?;
    let (found, expected) = (sealed.head.seq, last.seq + 1);
    if found != expected {
        return Err(Problem::Order { expected, found });
    }
    if sealed.previous == last.hash { Ok(sealed) } else { Err(Problem::Replaced) }
}
