//! A log that is read once, and then only where it has grown.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use serde_json::Value;

use crate::chain::{self, Head, MAX_LINE};
use crate::log::files::Snapshot;
use crate::story::{StoryReader, Sums};
use crate::verify::{Found, Position, Verified, Walk};
use crate::{Statistics, StoryFilter, StoryPart, VerifyError};

/// The maximum number of entries whose positions are kept. The sessions of a longer log are read
/// from its end, as far as [`Story::read_last`](crate::Story::read_last) does.
const MOST_POSITIONS: usize = 4 << 20;

/// The number of bytes that are read ahead for one entry: few are longer.
const AHEAD: usize = 1 << 10;

/// The sums of a log, the state of its chain, and where the entries of each session are.
///
/// The log only grows, so [`Self::extend`] reads what was added. One that was replaced, shortened
/// or changed is read from its start. A change inside of the file that is being written is found by
/// a new index alone, because each entry changes the time of the file.
///
/// It takes some 20 bytes of memory for each entry, up to four million, and for each session.
pub struct LogIndex {
    walk: Walk,
    sums: Sums,
    hasher: RandomState,
    /// The positions of the entries, by the hash of their session's name.
    sessions: HashMap<u64, Vec<Position>>,
    positions: usize,
    broken: Option<Position>,
    is_whole: bool,
}

impl LogIndex {
    /// Returns an index of the log at `path` that has read nothing yet.
    pub fn new(path: &Path) -> Self {
        Self {
            walk: Walk::new(path),
            sums: Sums::default(),
            hasher: RandomState::new(),
            sessions: HashMap::new(),
            positions: 0,
            broken: None,
            is_whole: false,
        }
    }

    /// Reads at most about so many bytes further, or up to the first entry that breaks the chain,
    /// and returns whether this was the end of the log.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read. A broken chain is none.
    pub fn extend(&mut self, most: u64) -> Result<bool, VerifyError> {
        let snapshot = self.walk.snapshot()?;
        let is_continued = self.walk.is_continued_by(&snapshot);
        if !is_continued.map_err(|error| self.walk.unreadable(error))? {
            *self = Self::new(self.walk.path());
        }
        let Self { walk, sums, hasher, sessions, positions, broken, is_whole } = self;
        let is_end =
            walk.step(&snapshot, most, &mut |Found { entry, is_proven, position, .. }| {
                if !is_proven {
                    broken.get_or_insert(position);
                }
                let name = entry["session_id"].as_str();
                if let Some(name) = name {
                    let known = sessions.entry(hasher.hash_one(name)).or_default();
                    if *positions < MOST_POSITIONS {
                        known.push(position);
                    }
                    *positions += 1;
                }
                sums.add(&entry, name);
            })?;
        *is_whole |= is_end;
        Ok(is_end)
    }

    /// Returns whether the log was read to its end once, since it was replaced if it was.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns the state of the chain, as far as it was read.
    ///
    /// # Errors
    ///
    /// Returns the first entry that breaks the chain.
    pub fn verified(&self) -> Result<Verified, VerifyError> {
        self.walk.state()
    }

    /// Returns the sums, as far as the log was read.
    ///
    /// # Errors
    ///
    /// Returns the first entry that breaks the chain.
    pub fn statistics(&self) -> Result<Statistics, VerifyError> {
        self.walk.state()?;
        Ok(self.sums.statistics(self.sessions.len()))
    }

    /// Returns the last events of the filter's session before the entry `before`, or before the end
    /// of what was read: at most so many. Only entries of this session are read.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read.
    pub fn last_of_session(
        &self,
        filter: &StoryFilter,
        before: Option<u64>,
        most: usize,
    ) -> Result<StoryPart, VerifyError> {
        if self.positions > MOST_POSITIONS {
            return crate::Story::read_last(self.walk.path(), filter, before, most);
        }
        let session = filter.log_name().unwrap_or_default();
        let known = self.sessions.get(&self.hasher.hash_one(&*session));
        let known = known.map_or(&[][..], Vec::as_slice);
        let snapshot = self.walk.snapshot()?;
        self.part(known, &snapshot, (filter, &session), (before, most))
            .map_err(|error| self.walk.unreadable(error))
    }

    fn part(
        &self,
        known: &[Position],
        snapshot: &Snapshot,
        (filter, session): (&StoryFilter, &str),
        (before, most): (Option<u64>, usize),
    ) -> io::Result<StoryPart> {
        let (mut low, mut high) = (0, known.len());
        while let Some(before) = before.filter(|_| low < high) {
            let middle = low + (high - low) / 2;
            let read = entry(snapshot, known[middle])?.0;
            let is_below = read.is_none_or(|(head, _)| head.seq < before);
            if is_below { low = middle + 1 } else { high = middle }
        }
        let mut left = before.map_or(known.len(), |_| low);
        let mut found = Vec::new();
        while left > 0 && found.len() < most {
            left -= 1;
            let position = known[left];
            let (Some((head, entry)), is_sealed) = entry(snapshot, position)? else { continue };
            if filter.shows(Some(session), &entry) {
                let is_proven = is_sealed && self.broken.is_none_or(|broken| position < broken);
                found.push(Found { head, entry, is_proven, position });
            }
        }
        let first = found.last().map(|found| found.head.seq).filter(|_| left > 0);
        let mut reader = StoryReader::default();
        for found in found.iter().rev() {
            reader.decide(found);
            reader.add(found);
        }
        // The outcome of a call may be behind the part.
        let story = if before.is_none() { reader.finish() } else { reader.story };
        Ok(StoryPart { story, before: first })
    }
}

impl Statistics {
    /// Sums over a log.
    ///
    /// # Errors
    ///
    /// Returns an error if the chain of the log is broken, or a file cannot be read.
    pub fn read(path: &Path) -> Result<Self, VerifyError> {
        let mut index = LogIndex::new(path);
        index.extend(u64::MAX)?;
        index.statistics()
    }
}

/// Reads an entry, and whether its line has the hash that it names.
fn entry(snapshot: &Snapshot, position: Position) -> io::Result<(Option<(Head, Value)>, bool)> {
    let Some((mut file, _)) = snapshot.open(position.file)? else { return Ok((None, false)) };
    file.seek(SeekFrom::Start(position.offset))?;
    let mut line = Vec::new();
    BufReader::with_capacity(AHEAD, file.take(MAX_LINE as u64)).read_until(b'\n', &mut line)?;
    Ok((chain::read(&line), chain::open(&line).is_some()))
}
