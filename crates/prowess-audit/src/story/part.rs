//! The end of a log, without the rest.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::{Story, StoryFilter, StoryReader};
use crate::VerifyError;
use crate::chain::{self, Head, MAX_LINE};
use crate::log::files::{self, Snapshot};
use crate::verify::{Found, Position};

/// The numbers of bytes that are read for a part: mostly, the first is enough. In the other one, at
/// least one entry of any length is.
const WINDOWS: [u64; 2] = [128 << 10, 2 * MAX_LINE as u64];

/// A part of a story that ends with the log, or before an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StoryPart {
    /// The events of this part. They are marked as unproven from a break of the chain inside of it.
    #[serde(flatten)]
    pub story: Story,
    /// The number of the first entry that was read; `None` if it is the first of the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
}

impl Story {
    /// Reads the last events before the entry `before`, or before the end of the log: at most so
    /// many, and none if they are more than two mebibytes before it. The duration does not depend
    /// on the length of the log.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read.
    pub fn read_last(
        path: &Path,
        filter: &StoryFilter,
        before: Option<u64>,
        most: usize,
    ) -> Result<StoryPart, VerifyError> {
        let mut part = None;
        for bytes in WINDOWS {
            let window = Window::read(path, before, bytes);
            let window = window.map_err(|error| VerifyError::Unreadable(path.to_owned(), error))?;
            part = window.map(|window| Self::last_of(&window, filter, before.is_none(), most));
            if let None | Some((_, true)) = part {
                break;
            }
        }
        Ok(part.map(|(part, _)| part).unwrap_or_default())
    }

    /// Returns the last events of a window, and whether a longer one has nothing to add.
    fn last_of(
        window: &Window,
        filter: &StoryFilter,
        is_end: bool,
        most: usize,
    ) -> (StoryPart, bool) {
        let session = filter.log_name();
        let is_shown = |entry: &Value| filter.shows(session.as_deref(), entry);
        let lines: Vec<_> = window.bytes.split_inclusive(|byte| *byte == b'\n').collect();
        let mut left = most;
        let first = lines.iter().rposition(|line| {
            left -= usize::from(chain::read(line).is_some_and(|(_, entry)| is_shown(&entry)));
            left == 0
        });
        let first = first.unwrap_or_default();
        // Whether the first entry is proven, the one before it says.
        let is_whole = first > 0 || window.is_start;
        let mut reader = StoryReader::default();
        let mut last = first.checked_sub(1).and_then(|at| chain::read(lines[at]));
        let mut is_proven = true;
        let mut number = None;
        for line in &lines[first..] {
            let sealed = chain::open(line);
            is_proven &= sealed.is_some_and(|sealed| is_next(last.as_ref(), &sealed));
            let Some((head, entry)) = chain::read(line) else { continue };
            number.get_or_insert(head.seq);
            let found = Found { head, entry, is_proven, position: Position::default() };
            reader.decide(&found);
            if is_shown(&found.entry) {
                reader.add(&found);
            }
            last = Some((found.head, found.entry));
        }
        // The outcome of a call may be behind the part.
        let story = if is_end { reader.finish() } else { reader.story };
        let is_start = first == 0 && window.is_start;
        (StoryPart { story, before: number.filter(|_| !is_start) }, is_whole)
    }
}

/// Returns whether an entry follows the one before it, as far as that was read.
fn is_next(last: Option<&(Head, Value)>, sealed: &chain::Sealed) -> bool {
    last.is_none_or(|(last, _)| last.seq + 1 == sealed.head.seq && last.hash == sealed.previous)
}

/// Whole lines of one file.
struct Window {
    bytes: Vec<u8>,
    /// Whether they begin with the first entry of the log.
    is_start: bool,
}

impl Window {
    /// Reads the lines before an entry, or before the end; `None` if there are none.
    fn read(path: &Path, before: Option<u64>, most: u64) -> io::Result<Option<Self>> {
        let Snapshot { full, current } = files::snapshot(path)?;
        let mut open = current;
        for at in (0..=full.len()).rev() {
            let (file, length) = match full.get(at) {
                Some(path) => files::open_to_read(path)?,
                None => match open.take() {
                    Some(current) => current,
                    None => continue,
                },
            };
            let end = match before {
                Some(before) => position_of(&file, length, before)?,
                None => length,
            };
            let start = end.saturating_sub(most);
            let mut bytes = vec![0; usize::try_from(end - start).unwrap_or_default()];
            file.read_exact_at(&mut bytes, start)?;
            // An unfinished line, and one that begins before the window.
            bytes.truncate(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1));
            if start > 0 {
                let cut = bytes.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                bytes.drain(..cut);
            }
            // Of an entry that is longer, a window of the other size has all.
            if !bytes.is_empty() || (start > 0 && most < WINDOWS[1]) {
                return Ok(Some(Self { bytes, is_start: start == 0 && at == 0 }));
            }
        }
        Ok(None)
    }
}

/// Returns the position of the first line of a file whose number is not below this one, or its end.
fn position_of(file: &File, length: u64, seq: u64) -> io::Result<u64> {
    let mut reader = BufReader::new(file);
    // A longer one is no line.
    let read = |reader: &mut BufReader<&File>, line: &mut Vec<u8>| {
        line.clear();
        reader.take(MAX_LINE as u64).read_until(b'\n', line).map(|bytes| bytes as u64)
    };
    // Every line before `low`, the start of one, is below; none that begins at `high` or later is.
    let (mut low, mut high) = (0, length);
    let mut line = Vec::new();
    while low < high {
        let middle = low + (high - low) / 2;
        reader.seek(SeekFrom::Start(middle))?;
        let mut start = middle;
        if middle > low {
            start += read(&mut reader, &mut line)?;
        }
        let end = start + read(&mut reader, &mut line)?;
        let is_below = chain::read(&line).is_none_or(|(head, _)| head.seq < seq);
        if start >= high || !is_below {
            high = middle;
        } else {
            low = end;
        }
    }
    Ok(low)
}
