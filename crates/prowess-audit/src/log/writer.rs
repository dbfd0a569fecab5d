//! Appends entries to the current file, and replaces it when it is full.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_core::Timestamp;
use prowess_dir::sync_name;
use serde_json::Value;

use super::tail::{self, Tail};
use super::{LogOptions, files};
use crate::chain::{self, Head, MAX_LINE};
use crate::{LogError, json};

/// The current file of a log.
pub(super) struct Writer {
    path: PathBuf,
    file: Arc<File>,
    head: Head,
    length: u64,
    /// The bytes that were written since the last sync began.
    unsynced: u64,
    opened: Timestamp,
    /// The number of entries that could not be written since the last one that could.
    lost: u64,
    /// Whether part of a line is in the file and could not be removed.
    is_torn: bool,
}

impl Writer {
    /// Opens a log at its end. Removes an unfinished line.
    pub(super) fn open(path: &Path, now: Timestamp) -> Result<Self, LogError> {
        let failed = |error| LogError::Io(path.to_owned(), error);
        let file = files::open(path).map_err(failed)?;
        let damaged = || LogError::Damaged(path.to_owned());
        let Tail { head, complete, torn } =
            tail::read(&file).map_err(failed)?.ok_or_else(damaged)?;
        let head = match head {
            Some(head) => head,
            None => last_of_full(path)?,
        };
        let mut writer = Self {
            path: path.to_owned(),
            file: Arc::new(file),
            head,
            length: complete,
            unsynced: 0,
            opened: now,
            lost: 0,
            is_torn: false,
        };
        writer.repair(torn, now).map_err(failed)?;
        Ok(writer)
    }

    /// Replaces what was not finished by a mark. One byte of it is left until the mark is written,
    /// so that an interrupted repair is marked, too. The rest is removed before: after the mark it
    /// would look like entries.
    fn repair(&mut self, torn: u64, now: Timestamp) -> io::Result<()> {
        if torn > 0 {
            self.file.set_len(self.length + 1)?;
            self.file.sync_data()?;
            let mut repaired = json::event("log_repaired", now);
            repaired.insert("removed_bytes".to_owned(), torn.into());
            self.write(&repaired.into())?;
        }
        self.file.sync_all()?;
        sync_name(&self.path)
    }

    pub(super) fn head(&self) -> Head {
        self.head
    }

    /// Returns the current file, which the caller syncs, and its last entry. All other files are on
    /// disk.
    pub(super) fn unsynced(&mut self) -> (Arc<File>, u64) {
        self.unsynced = 0;
        (Arc::clone(&self.file), self.head.seq)
    }

    /// Returns whether so much is not synced that a power failure could damage more than the next
    /// writer repairs.
    pub(super) fn is_overdue(&self) -> bool {
        self.unsynced >= MAX_LINE as u64
    }

    /// Counts an entry that could not be written. An entry with the count precedes the next entry.
    pub(super) fn lose_one(&mut self) {
        self.lost += 1;
    }

    /// Writes an entry and returns its number.
    pub(super) fn append(
        &mut self,
        entry: &Value,
        options: &LogOptions,
        now: Timestamp,
    ) -> io::Result<u64> {
        self.remove_torn()?;
        if self.is_full(options, now) {
            self.rotate(now)?;
        }
        if self.lost > 0 {
            let mut lost = json::event("entries_lost", now);
            lost.insert("count".to_owned(), self.lost.into());
            self.write(&lost.into())?;
            self.lost = 0;
        }
        self.write(entry)?;
        Ok(self.head.seq)
    }

    /// Writes one line with one system call, so that the end of the process does not tear it.
    fn write(&mut self, entry: &Value) -> io::Result<()> {
        let (line, head) = chain::seal(self.head, entry);
        if line.len() > MAX_LINE {
            let reason = format!("an event is over {MAX_LINE} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        if let Err(error) = self.file.write_all_at(line.as_bytes(), self.length) {
            self.is_torn = true;
            // If this fails too, it is tried again before the next entry.
            let _ = self.remove_torn();
            return Err(error);
        }
        self.head = head;
        self.length += line.len() as u64;
        self.unsynced += line.len() as u64;
        Ok(())
    }

    /// Removes the part of a line that a failed write has left.
    fn remove_torn(&mut self) -> io::Result<()> {
        if self.is_torn {
            self.file.set_len(self.length)?;
            self.is_torn = false;
        }
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
        self.file = Arc::new(files::open(&self.path)?);
        self.length = 0;
        self.unsynced = 0;
        self.opened = now;
        sync_name(&self.path)
    }
}

/// Returns the last entry of the newest full file, or the head of an empty log.
fn last_of_full(path: &Path) -> Result<Head, LogError> {
    let failed = |error| LogError::Io(path.to_owned(), error);
    let Some(newest) = files::all_full(path).map_err(failed)?.pop() else {
        return Ok(Head::empty());
    };
    let file = files::open(&newest).map_err(failed)?;
    let tail = tail::read(&file).map_err(failed)?;
    let head = tail.filter(|tail| tail.torn == 0).and_then(|tail| tail.head);
    head.ok_or(LogError::Damaged(newest))
}
