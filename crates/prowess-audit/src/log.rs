//! The log on disk.

mod commit;
pub(crate) mod files;
mod options;
pub(crate) mod tail;
mod writer;

use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess_core::{AuditError, AuditEvent, AuditSink, CallIntent, Clock, RuntimeEvent};
use serde_json::Value;
use tracing::warn;

pub use options::{Durability, LogOptions};

use crate::{AuditEntry, Head, LogError, Redactor};
use commit::GroupCommit;
use writer::Writer;

/// A log with one entry on each line, whose entries form a hash chain.
///
/// An intent is on disk when [`AuditSink::intend`] returns: threads that wait for the disk at the
/// same time share one write to it. Other events are written at once and reach the disk with the
/// next intent, or when they are a mebibyte.
///
/// One log has one writer, which holds a lock on the file `PATH.lock`. A full file is renamed to
/// `PATH.NUMBER`, the number of its last entry, and the chain goes on in a new one.
pub struct JsonLinesLog {
    writer: Mutex<Writer>,
    commits: GroupCommit,
    options: LogOptions,
    redactor: Redactor,
    clock: Arc<dyn Clock>,
    /// The locked file `PATH.lock`.
    lock: File,
}

impl JsonLinesLog {
    /// Opens a log for writing, and creates it if there is none. Removes a line at its end that
    /// an earlier writer did not finish, and records that.
    ///
    /// # Errors
    ///
    /// Returns an error if another writer has the log open, its end was changed, it is not a
    /// regular file that only this user can write, or it cannot be written.
    pub fn open(
        path: impl AsRef<Path>,
        options: LogOptions,
        redactor: Redactor,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, LogError> {
        let path = path.as_ref();
        let failed = |error| LogError::Io(path.to_owned(), error);
        let lock = files::lock(path).map_err(failed)?;
        let lock = lock.ok_or_else(|| LogError::InUse(path.to_owned()))?;
        let writer = Writer::open(path, clock.now())?;
        let commits = GroupCommit::new(writer.head().seq);
        Ok(Self { writer: Mutex::new(writer), commits, options, redactor, clock, lock })
    }

    /// Returns the last entry. Kept elsewhere, it shows later whether any entry up to it was
    /// replaced or cut off; see [`crate::verify_against`].
    pub fn head(&self) -> Head {
        self.writer().head()
    }

    /// Writes all entries to the disk.
    ///
    /// # Errors
    ///
    /// Returns an error if the disk fails. The log then refuses every further entry until it is
    /// reopened, because the system may have dropped entries.
    pub fn sync(&self) -> io::Result<()> {
        self.commits.wait_for(self.head().seq, || self.sync_newest())
    }

    /// Syncs the current file; older files are already on disk. Returns its last entry.
    fn sync_newest(&self) -> (u64, io::Result<()>) {
        let (file, last) = self.writer().unsynced();
        (last, file.sync_data())
    }

    fn append(&self, entry: &Value, is_durable: bool) -> io::Result<()> {
        self.commits.check()?;
        let now = self.clock.now();
        let mut writer = self.writer();
        let seq = writer.append(entry, &self.options, now)?;
        let is_durable = is_durable || writer.is_overdue();
        drop(writer);
        if is_durable && self.options.durability == Durability::Disk {
            self.commits.wait_for(seq, || self.sync_newest())?;
        }
        Ok(())
    }

    fn record_entry(&self, entry: &AuditEntry) {
        if let Err(error) = self.append(&entry.to_json(&self.redactor), false) {
            self.writer().lose_one();
            warn!(target: "prowess", %error, "audit_failed");
        }
    }

    /// The state stays valid after a panic: its fields change together, after the write.
    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AuditSink for JsonLinesLog {
    fn intend(&self, intent: &CallIntent) -> Result<(), AuditError> {
        let entry = AuditEntry::Intent(intent.clone()).to_json(&self.redactor);
        self.append(&entry, true).map_err(|error| AuditError(error.to_string()))
    }

    fn record(&self, event: &AuditEvent) {
        self.record_entry(&AuditEntry::Call(event.clone()));
    }

    fn report(&self, event: &RuntimeEvent) {
        self.record_entry(&AuditEntry::Runtime(event.clone()));
    }
}

/// Releases the lock. Closing the file is not enough: a process that another thread is starting
/// shares it until it runs its own program.
impl Drop for JsonLinesLog {
    fn drop(&mut self) {
        // If it fails, the lock ends with the process.
        let _ = self.lock.unlock();
    }
}

impl fmt::Debug for JsonLinesLog {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "JsonLinesLog({})", self.head())
    }
}
