//! The hash chain: each line holds its number, the hash of the line before it, and its own hash.
//!
//! A line is `{"seq":N,"previous":H,"entry":E,"hash":H}`. Its hash is that of all bytes before
//! `,"hash":`, so no byte of a line can change without changing its hash.

use std::fmt;
use std::str::FromStr;

use prowess_core::Digest;
use prowess_text::terminal_json;
use serde::Deserialize;
use serde_json::Value;

/// The longest line, with its line feed, in bytes.
pub(crate) const MAX_LINE: usize = 1 << 20;

/// The text between the hashed bytes and the hash.
const HASH_KEY: &str = ",\"hash\":\"";

/// The end of a line.
const END: &str = "\"}\n";

/// The last entry of a log. It stands for all entries before it too, so a host that keeps it
/// elsewhere can prove later that none of them was changed.
///
/// Written as `NUMBER:HASH`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The number of the entry; 0 for an empty log.
    pub seq: u64,
    /// Its hash.
    pub hash: Digest,
}

impl Head {
    /// Returns the head of an empty log.
    pub fn empty() -> Self {
        Self { seq: 0, hash: Digest::of(b"") }
    }
}

impl fmt::Display for Head {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.seq, self.hash)
    }
}

/// The error of a text that is not a [`Head`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the head of a log; write the number of an entry, a colon and its hash")]
pub struct HeadError(String);

impl FromStr for Head {
    type Err = HeadError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || HeadError(text.to_owned());
        let (seq, hash) = text.split_once(':').ok_or_else(error)?;
        let seq = seq.parse().map_err(|_| error())?;
        Ok(Self { seq, hash: hash.parse().map_err(|_| error())? })
    }
}

/// Returns the line of the entry after `last`, with its line feed, and the head after it. The entry
/// is redacted; see [`AuditEntry::to_json`](crate::AuditEntry::to_json).
///
/// A store of chains elsewhere than in a file uses this, and [`next_line`](crate::next_line).
pub fn seal_line(last: Head, entry: &Value) -> (String, Head) {
    let seq = last.seq + 1;
    // Characters that a terminal or an editor does not show are escaped: people read the file.
    let entry = entry.to_string();
    let entry = terminal_json(&entry);
    let mut line = format!("{{\"seq\":{seq},\"previous\":\"{}\",\"entry\":{entry}", last.hash);
    let hash = Digest::of(line.as_bytes());
    line.push_str(HASH_KEY);
    line.push_str(&hash.to_string());
    line.push_str(END);
    (line, Head { seq, hash })
}

/// One line that has the hash that it names.
pub(crate) struct Sealed {
    pub(crate) head: Head,
    pub(crate) previous: Digest,
    pub(crate) entry: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    seq: u64,
    previous: Digest,
    entry: Value,
    hash: Digest,
}

/// Reads a line with its line feed; `None` if it was not written by [`seal_line`].
pub(crate) fn open(line: &[u8]) -> Option<Sealed> {
    let text = std::str::from_utf8(line).ok()?;
    let end = text.len().checked_sub(HASH_KEY.len() + HASH_LENGTH + END.len())?;
    let hashed = text.get(..end)?;
    let hash = Digest::of(hashed.as_bytes());
    // A hash in other letters would be a change that nothing shows.
    let is_sealed = text[end..] == format!("{HASH_KEY}{hash}{END}");
    let line: Line = serde_json::from_str(text).ok()?;
    is_sealed.then_some(Sealed {
        head: Head { seq: line.seq, hash: line.hash },
        previous: line.previous,
        entry: line.entry,
    })
}

/// Reads a line that need not have the hash that it names.
pub(crate) fn read(line: &[u8]) -> Option<(Head, Value)> {
    let Line { seq, hash, entry, .. } = serde_json::from_slice(line).ok()?;
    Some((Head { seq, hash }, entry))
}

/// The length of a hash as text.
const HASH_LENGTH: usize = "sha256:".len() + 64;
