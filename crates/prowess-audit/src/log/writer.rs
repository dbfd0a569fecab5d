//! Appends entries to the current file, and replaces it when it is full.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_core::{Timestamp, without_secrets};
use prowess_dir::sync_name;
use serde_json::{Value, json};

use super::LogOptions;
use super::files::{self, identity};
use super::tail::{self, Tail};
use crate::chain::{self, Head, MAX_LINE};
use crate::{LogError, json};

/// The most bytes of an unfinished line that its mark quotes.
const QUOTED: u64 = 4096;

/// The current file of a log. Every change of it needs the lock of the log.
pub(super) struct Writer {
    path: PathBuf,
    file: Arc<File>,
    /// The device and the number of the file.
    identity: (u64, u64),
    head: Head,
    /// The last entry before another file was there.
    before: Option<Head>,
    /// The number of entries of logs that were moved or removed meanwhile.
    gone: u64,
    length: u64,
    /// The bytes that this and other writers have written since the last sync began.
    unsynced: u64,
    opened: Timestamp,
    /// The number of entries that could not be written since the last one that could.
    lost: u64,
}

impl Writer {
    /// Opens a log at its end. Removes an unfinished line.
    pub(super) fn open(path: &Path, now: Timestamp) -> Result<Self, LogError> {
        let failed = |error| LogError::Io(path.to_owned(), error);
        let (file, identity) = open(path).map_err(failed)?;
        let mut writer = Self {
            path: path.to_owned(),
            file,
            identity,
            head: Head::empty(),
            before: None,
            gone: 0,
            length: 0,
            unsynced: 0,
            opened: now,
            lost: 0,
        };
        writer.read_end(now)?;
        writer.file.sync_all().and_then(|()| sync_name(path)).map_err(failed)?;
        writer.unsynced = 0;
        Ok(writer)
    }

    /// Continues behind what other writers have added since the last entry of this one, and repairs
    /// what one of them did not finish.
    pub(super) fn catch_up(&mut self, now: Timestamp) -> Result<(), LogError> {
        let failed = |error| LogError::Io(self.path.clone(), error);
        let found = match fs::symlink_metadata(&self.path) {
            Ok(found) => Some(found),
            // Another writer was killed after it had renamed the file.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        let found = found.filter(|found| identity(found) == self.identity);
        match found.map(|found| found.len()) {
            Some(length) if length == self.length && self.before.is_none() => return Ok(()),
            Some(length) if length >= self.length => {}
            Some(_) => self.length = 0,
            None => {
                let (file, identity) = open(&self.path).map_err(failed)?;
                let is_cut = begin_alike(&self.file, &file).map_err(failed)?;
                self.file.sync_data().and_then(|()| sync_name(&self.path)).map_err(failed)?;
                (self.file, self.identity) = (file, identity);
                (self.length, self.unsynced, self.opened) = (0, 0, now);
                if !is_cut {
                    self.before.get_or_insert(self.head);
                    self.head = Head::empty();
                }
            }
        }
        self.read_end(now)
    }

    /// Reads the file from the end that this writer knows, and repairs its end.
    fn read_end(&mut self, now: Timestamp) -> Result<(), LogError> {
        let failed = |error| LogError::Io(self.path.clone(), error);
        let tail = tail::read(&self.file, self.length).map_err(failed)?;
        let Tail { head, complete, torn } =
            tail.ok_or_else(|| LogError::Damaged(self.path.clone()))?;
        let found = match head {
            None if self.length == 0 => last_of_full(&self.path)?,
            head => head.unwrap_or(self.head),
        };
        // The numbers of a log never go back: if entries were cut off, theirs are missing, and
        // `verify` says so.
        if found.seq > self.head.seq {
            self.head = found;
        }
        self.unsynced += complete.saturating_sub(self.length);
        self.length = complete;
        let repaired = self.repair(torn, now).and_then(|()| self.mark_replaced(now));
        repaired.map_err(|error| LogError::Io(self.path.clone(), error))
    }

    /// Says in a log that was begun while this writer had another one which entry was the last one
    /// there.
    fn mark_replaced(&mut self, now: Timestamp) -> io::Result<()> {
        let before = self.before.filter(|it| *it != self.head && it.seq >= self.head.seq);
        if let Some(before) = before {
            let replaced = json::Entry::new("log_replaced", now);
            self.write(&replaced.with(json!({ "head": before.to_string() })).into())?;
            self.gone += before.seq;
        }
        self.before = None;
        Ok(())
    }

    /// Replaces what was not finished by a mark. One byte of it is left until the mark is written,
    /// so that an interrupted repair is marked, too. The rest is removed before: after the mark it
    /// would look like entries.
    fn repair(&mut self, torn: u64, now: Timestamp) -> io::Result<()> {
        if torn == 0 {
            return Ok(());
        }
        let mut removed = vec![0; usize::try_from(torn.min(QUOTED)).unwrap_or_default()];
        self.file.read_exact_at(&mut removed, self.length)?;
        self.file.set_len(self.length + 1)?;
        self.file.sync_data()?;
        let removed = String::from_utf8_lossy(&removed);
        let removed = without_secrets(&removed);
        let repaired = json::Entry::new("log_repaired", now);
        self.write(&repaired.with(json!({ "removed_bytes": torn, "removed": removed })).into())
    }

    pub(super) fn head(&self) -> Head {
        self.head
    }

    /// Returns how many entries there are, with those of logs that are gone: it never goes back.
    pub(super) fn count(&self) -> u64 {
        self.gone + self.head.seq
    }

    /// Returns the current file, which the caller syncs, and its count. All other files are on disk.
    pub(super) fn unsynced(&mut self) -> (Arc<File>, u64) {
        self.unsynced = 0;
        (Arc::clone(&self.file), self.count())
    }

    /// Returns whether so much is not synced that a power failure could damage more than the next
    /// writer repairs.
    pub(super) fn is_overdue(&self) -> bool {
        self.unsynced >= MAX_LINE as u64
    }

    /// Returns the number of entries that could not be written since the last one that could.
    pub(super) fn lost(&self) -> u64 {
        self.lost
    }

    /// Counts an entry that could not be written. An entry with the count precedes the next entry.
    pub(super) fn lose_one(&mut self) {
        self.lost += 1;
    }

    /// Writes an entry and returns the count with it.
    pub(super) fn append(
        &mut self,
        entry: &Value,
        options: &LogOptions,
        now: Timestamp,
    ) -> io::Result<u64> {
        if self.is_full(options, now) {
            self.rotate(now)?;
        }
        if self.lost > 0 {
            let lost = json::Entry::new("entries_lost", now).with(json!({ "count": self.lost }));
            self.write(&lost.into())?;
            self.lost = 0;
        }
        self.write(entry)?;
        Ok(self.count())
    }

    /// Writes one line with one system call, so that the end of the process does not tear it.
    fn write(&mut self, entry: &Value) -> io::Result<()> {
        let (line, head) = chain::seal_line(self.head, entry);
        if line.len() > MAX_LINE {
            let reason = format!("an event is over {MAX_LINE} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        if let Err(error) = self.file.write_all_at(line.as_bytes(), self.length) {
            // If this fails too, the next writer repairs the end.
            let _ = self.file.set_len(self.length);
            return Err(error);
        }
        self.head = head;
        self.length += line.len() as u64;
        self.unsynced += line.len() as u64;
        Ok(())
    }

    fn is_full(&self, options: &LogOptions, now: Timestamp) -> bool {
        let is_old = options.max_age.is_some_and(|age| now.since(self.opened) >= age);
        self.length > 0 && (self.length >= options.max_bytes || is_old)
    }

    /// Continues in a new file. The old one is on disk before.
    fn rotate(&mut self, now: Timestamp) -> io::Result<()> {
        self.file.sync_all()?;
        match fs::rename(&self.path, files::full(&self.path, self.head.seq)) {
            // An earlier attempt has renamed it and could not create the new one.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            result => result?,
        }
        (self.file, self.identity) = open(&self.path)?;
        self.length = 0;
        self.unsynced = 0;
        self.opened = now;
        sync_name(&self.path)
    }
}

/// Opens the current file, and creates it if there is none.
fn open(path: &Path) -> io::Result<(Arc<File>, (u64, u64))> {
    let file = files::open(path)?;
    let identity = identity(&file.metadata()?);
    Ok((Arc::new(file), identity))
}

/// Returns whether both files begin with one entry, so that one is a copy of a part of the other.
fn begin_alike(one: &File, other: &File) -> io::Result<bool> {
    // Nearly every line is shorter, and its hash is at its end.
    let [mut first, mut second] = [[0; 4096]; 2];
    let length = other.read_at(&mut second, 0)?;
    Ok(length > 0 && one.read_at(&mut first, 0)? > 0 && first[..length] == second[..length])
}

/// Returns the last entry of the newest full file, or the head of an empty log.
fn last_of_full(path: &Path) -> Result<Head, LogError> {
    let failed = |error| LogError::Io(path.to_owned(), error);
    let Some(newest) = files::all_full(path).map_err(failed)?.pop() else {
        return Ok(Head::empty());
    };
    let file = files::open(&newest).map_err(failed)?;
    let tail = tail::read(&file, 0).map_err(failed)?;
    let head = tail.filter(|tail| tail.torn == 0).and_then(|tail| tail.head);
    head.ok_or(LogError::Damaged(newest))
}
