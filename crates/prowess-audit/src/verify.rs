//! Checks the chain of a log.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

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
    proven(path, &mut |_| ())
}

/// As [`verify`], and checks that the log still contains an entry that was its last one before.
///
/// # Errors
///
/// As [`verify`], or the log does not contain that entry.
pub fn verify_against(path: &Path, kept: &Head) -> Result<Verified, VerifyError> {
    let mut is_found = *kept == Head::empty();
    let verified = proven(path, &mut |found| is_found |= found.head == *kept)?;
    if is_found { Ok(verified) } else { Err(VerifyError::HeadMissing(*kept)) }
}

/// Checks a log up to the first entry that breaks the chain.
fn proven(path: &Path, visit: &mut dyn FnMut(Found)) -> Result<Verified, VerifyError> {
    let mut walk = Walk::new(path);
    walk.step(&walk.snapshot()?, u64::MAX, visit)?;
    walk.state()
}

/// An entry of a log.
pub(crate) struct Found {
    pub(crate) head: Head,
    pub(crate) entry: Value,
    /// Whether the chain is unbroken up to it.
    pub(crate) is_proven: bool,
    /// Where its line begins.
    pub(crate) position: Position,
}

/// The number of a file of a log, and the position in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) file: usize,
    pub(crate) offset: u64,
}

/// Checks a log and passes each entry to `visit`, also those behind the first that breaks the
/// chain.
pub(crate) fn walk(path: &Path, visit: &mut dyn FnMut(Found)) -> Result<Verified, VerifyError> {
    let mut walk = Walk::new(path);
    while !walk.step(&walk.snapshot()?, u64::MAX, visit)? {}
    walk.state()
}

/// A check of a log that goes on where it stopped.
pub(crate) struct Walk {
    path: PathBuf,
    verified: Verified,
    /// The file, the line and the problem of the first entry that breaks the chain.
    broken: Option<(PathBuf, usize, Problem)>,
    /// Where the next line begins.
    next: Position,
    /// The number of that line, from 0.
    line: usize,
    /// The files up to this one, as they were when they were read.
    seen: Vec<Stamp>,
    /// The last bytes before the next line.
    tail: Vec<u8>,
}

/// The number of bytes by which the last line of a file is recognized: it ends with its hash.
const TAIL: usize = 96;

/// The state of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    file: (u64, u64),
    length: u64,
    changed: (i64, i64),
}

impl Stamp {
    fn of(file: &File, length: u64) -> io::Result<Self> {
        let stat = file.metadata()?;
        let changed = (stat.mtime(), stat.mtime_nsec());
        Ok(Self { file: (stat.dev(), stat.ino()), length, changed })
    }
}

impl Walk {
    pub(crate) fn new(path: &Path) -> Self {
        let verified = Verified { entries: 0, files: 0, head: Head::empty(), torn_bytes: 0 };
        Self {
            path: path.to_owned(),
            verified,
            broken: None,
            next: Position::default(),
            line: 0,
            seen: Vec::new(),
            tail: Vec::new(),
        }
    }

    /// Returns the files of the log now.
    pub(crate) fn snapshot(&self) -> Result<Snapshot, VerifyError> {
        files::snapshot(&self.path).map_err(|error| self.unreadable(error))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn unreadable(&self, error: io::Error) -> VerifyError {
        VerifyError::Unreadable(self.path.clone(), error)
    }

    /// Returns what is known of the log as far as it was read.
    pub(crate) fn state(&self) -> Result<Verified, VerifyError> {
        match self.broken.clone() {
            Some((file, line, problem)) => Err(VerifyError::Broken { file, line, problem }),
            None => Ok(self.verified.clone()),
        }
    }

    /// Returns whether the files are those that were read, with nothing but more entries: else the
    /// log was replaced, shortened or changed.
    pub(crate) fn is_continued_by(&self, snapshot: &Snapshot) -> io::Result<bool> {
        for (at, seen) in self.seen.iter().enumerate() {
            let Some((file, length)) = snapshot.open(at)? else { return Ok(false) };
            let now = Stamp::of(&file, length)?;
            let has_grown = || {
                let mut tail = vec![0; self.tail.len()];
                let start = self.next.offset.saturating_sub(tail.len() as u64);
                at == self.next.file
                    && (now.file, now.length > seen.length) == (seen.file, true)
                    && file.read_exact_at(&mut tail, start).is_ok()
                    && tail == self.tail
            };
            if now != *seen && !has_grown() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Checks at most about so many further bytes, or those up to the first entry that breaks the
    /// chain, passes on each entry, and returns whether this was the end.
    pub(crate) fn step(
        &mut self,
        snapshot: &Snapshot,
        mut most: u64,
        visit: &mut dyn FnMut(Found),
    ) -> Result<bool, VerifyError> {
        let files = snapshot.full.len() + usize::from(snapshot.current.is_some());
        self.verified.files = files;
        self.verified.torn_bytes = 0;
        loop {
            let at = self.next.file;
            let path = snapshot.full.get(at).unwrap_or(&self.path).clone();
            let unreadable = |error| VerifyError::Unreadable(path.clone(), error);
            let Some((file, length)) = snapshot.open(at).map_err(unreadable)? else {
                return Ok(true);
            };
            self.seen.truncate(at);
            self.seen.push(Stamp::of(&file, length).map_err(unreadable)?);
            let is_last = at + 1 == files;
            let was_proven = self.broken.is_none();
            let read = self.read_file((&path, file, length), is_last, most, visit);
            most = most.saturating_sub(read.map_err(unreadable)?);
            let is_stopped = most == 0 || was_proven && self.broken.is_some();
            if is_last || is_stopped {
                return Ok(!is_stopped);
            }
            self.next = Position { file: at + 1, offset: 0 };
            self.line = 0;
            self.tail.clear();
        }
    }

    /// Checks a file up to this length, because another program may be adding more, and returns how
    /// many bytes were read.
    fn read_file(
        &mut self,
        (path, mut file, length): (&Path, File, u64),
        is_last: bool,
        most: u64,
        visit: &mut dyn FnMut(Found),
    ) -> io::Result<u64> {
        let start = self.next.offset;
        file.seek(SeekFrom::Start(start))?;
        let mut reader = BufReader::new(file.take(length.saturating_sub(start)));
        let mut bytes = Vec::new();
        while self.next.offset - start < most {
            bytes.clear();
            let mut limited = (&mut reader).take(MAX_LINE as u64);
            if limited.read_until(b'\n', &mut bytes)? == 0 {
                break;
            }
            let left = length.saturating_sub(self.next.offset);
            let is_cut = bytes.last() != Some(&b'\n') && bytes.len() < MAX_LINE;
            if is_last && (is_cut || left <= DAMAGED && bytes.contains(&0)) {
                self.verified.torn_bytes = usize::try_from(left).unwrap_or(usize::MAX);
                break;
            }
            let position = self.next;
            self.next.offset += bytes.len() as u64;
            self.line += 1;
            self.tail.clear();
            self.tail.extend(&bytes[bytes.len().saturating_sub(TAIL)..]);
            let was_proven = self.broken.is_none();
            let found = match next(&self.verified.head, &bytes) {
                Ok(Sealed { head, entry, .. }) => {
                    self.verified.entries += 1;
                    Some((head, entry))
                }
                Err(problem) => {
                    self.broken.get_or_insert((path.to_owned(), self.line, problem));
                    chain::read(&bytes)
                }
            };
            let is_proven = self.broken.is_none();
            if let Some((head, entry)) = found {
                self.verified.head = head;
                visit(Found { head, entry, is_proven, position });
            }
            if bytes.len() == MAX_LINE && bytes.last() != Some(&b'\n') {
                // No entry is as long, so this is no log, and may have any length.
                self.next.offset = length;
                break;
            }
            if was_proven && !is_proven {
                break;
            }
        }
        Ok(self.next.offset - start)
    }
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
pub(crate) fn next(last: &Head, line: &[u8]) -> Result<Sealed, Problem> {
    let sealed = chain::open(line).ok_or(Problem::Changed)?;
    let (found, expected) = (sealed.head.seq, last.seq + 1);
    if found != expected {
        return Err(Problem::Order { expected, found });
    }
    if sealed.previous == last.hash { Ok(sealed) } else { Err(Problem::Replaced) }
}
