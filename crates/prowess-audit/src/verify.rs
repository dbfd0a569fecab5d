//! Checks the chain of a log.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use prowess_core::Digest;
use serde_json::Value;

use crate::chain::{self, Head, MAX_LINE};
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
    walk(path, &mut |_, _| ())
}

/// As [`verify`], and checks that the log still contains an entry that was its last one before.
///
/// # Errors
///
/// As [`verify`], or the log does not contain that entry.
pub fn verify_against(path: &Path, kept: &Head) -> Result<Verified, VerifyError> {
    let mut is_found = *kept == Head::empty();
    let verified = walk(path, &mut |head, _| is_found |= head == kept)?;
    if is_found { Ok(verified) } else { Err(VerifyError::HeadMissing(*kept)) }
}

/// Checks a log and passes each entry to `visit`.
pub(crate) fn walk(
    path: &Path,
    visit: &mut dyn FnMut(&Head, Value),
) -> Result<Verified, VerifyError> {
    let unreadable = |error| VerifyError::Unreadable(path.to_owned(), error);
    let Snapshot { full, current } = files::snapshot(path).map_err(unreadable)?;
    let files = full.len() + usize::from(current.is_some());
    let mut verified = Verified { entries: 0, files, head: Head::empty(), torn_bytes: 0 };
    for (number, path) in full.iter().enumerate() {
        let unreadable = |error| VerifyError::Unreadable(path.clone(), error);
        let (file, length) = files::open_to_read(path).map_err(unreadable)?;
        walk_file((path, file, length), number + 1 == files, &mut verified, visit)?;
    }
    if let Some((file, length)) = current {
        walk_file((path, file, length), true, &mut verified, visit)?;
    }
    Ok(verified)
}

/// Checks the first bytes of a file, `left` many: another program may be adding more.
fn walk_file(
    (path, file, mut left): (&Path, File, u64),
    is_last: bool,
    verified: &mut Verified,
    visit: &mut dyn FnMut(&Head, Value),
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
        let broken = |problem| VerifyError::Broken { file: path.to_owned(), line, problem };
        let sealed = chain::open(&bytes).ok_or(Problem::Changed).map_err(broken)?;
        follows(&verified.head, sealed.head.seq, sealed.previous).map_err(broken)?;
        verified.head = sealed.head;
        verified.entries += 1;
        visit(&sealed.head, sealed.entry);
    }
    Ok(())
}

fn follows(last: &Head, found: u64, previous: Digest) -> Result<(), Problem> {
    let expected = last.seq + 1;
    if found != expected {
        return Err(Problem::Order { expected, found });
    }
    if previous == last.hash { Ok(()) } else { Err(Problem::Replaced) }
}
