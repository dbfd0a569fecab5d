//! The log on disk.

mod commit;
pub(crate) mod files;
mod options;
pub(crate) mod tail;
mod writer;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess_core::{AuditError, AuditEvent, AuditSink, CallIntent, Clock, RuntimeEvent};
use serde_json::Value;
use tracing::warn;

pub use options::{Durability, LogOptions};

use crate::{AuditEntry, Head, LogError, Redactor};
use commit::GroupCommit;
use files::LockFile;
use writer::Writer;

/// A log with one entry on each line, whose entries form a hash chain.
///
/// An intent is on disk when [`AuditSink::intend`] returns: threads that wait for the disk at the
/// same time share one write to it. Other events are written at once and reach the disk with the
/// next intent, or when they are a mebibyte.
///
/// Several processes may write one log: each locks the file `PATH.lock` for one entry, which
/// continues the chain behind the entries of the others. A full file is renamed to `PATH.NUMBER`,
/// the number of its last entry, and the chain goes on in a new one. Where the files are moved away
/// meanwhile, the next entry begins a log that names the last entry of the old one.
pub struct JsonLinesLog {
    writer: Mutex<Writer>,
    commits: GroupCommit,
    options: LogOptions,
    redactor: Redactor,
    clock: Arc<dyn Clock>,
    path: PathBuf,
    lock: LockFile,
    on_loss: Option<OnLoss>,
}

/// Receives the reason for each entry that could not be written.
type OnLoss = Box<dyn Fn(&io::Error) + Send + Sync>;

impl JsonLinesLog {
    /// Opens a log for writing, and creates it if there is none. Removes a line at its end that
    /// an earlier writer did not finish, and records that.
    ///
    /// # Errors
    ///
    /// Returns an error if another writer keeps the log locked, its end was changed, it is not a
    /// regular file that only this user can write, or it cannot be written.
    pub fn open(
        path: impl AsRef<Path>,
        options: LogOptions,
        redactor: Redactor,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, LogError> {
        let path = path.as_ref().to_owned();
        let failed = |error| LogError::Io(path.clone(), error);
        let lock = LockFile::open(&path).map_err(failed)?;
        let held = lock.hold().map_err(failed)?;
        let writer = Writer::open(&path, clock.now())?;
        drop(held);
        let commits = GroupCommit::new(writer.count());
        let writer = Mutex::new(writer);
        Ok(Self { writer, commits, options, redactor, clock, path, lock, on_loss: None })
    }

    /// Sets a function that is called for each entry that could not be written.
    #[must_use]
    pub fn on_loss(self, report: impl Fn(&io::Error) + Send + Sync + 'static) -> Self {
        Self { on_loss: Some(Box::new(report)), ..self }
    }

    /// Returns the last entry that this writer knows. Kept elsewhere, it shows later whether any
    /// entry up to it was replaced or cut off; see [`crate::verify_against`].
    pub fn head(&self) -> Head {
        self.writer().head()
    }

    /// Returns the number of entries that could not be written since the last one that could.
    pub fn lost(&self) -> u64 {
        self.writer().lost()
    }

    /// Writes all entries to the disk.
    ///
    /// # Errors
    ///
    /// Returns an error if the disk fails. The log then refuses every further entry until it is
    /// reopened, because the system may have dropped entries.
    pub fn sync(&self) -> io::Result<()> {
        let count = self.writer().count();
        self.commits.wait_for(count, || self.sync_newest())
    }

    /// Syncs the current file; older files are already on disk. Returns the count of entries.
    fn sync_newest(&self) -> (u64, io::Result<()>) {
        let (file, last) = self.writer().unsynced();
        (last, file.sync_data())
    }

    /// Writes an entry, and counts it if it cannot be written.
    fn append(&self, entry: &Value, is_durable: bool) -> io::Result<()> {
        let written = self.write(entry, is_durable);
        if let Err(error) = &written {
            self.writer().lose_one();
            self.on_loss.iter().for_each(|report| report(error));
        }
        written
    }

    fn write(&self, entry: &Value, is_durable: bool) -> io::Result<()> {
        self.commits.check()?;
        let now = self.clock.now();
        let mut writer = self.writer();
        let held = self.lock.hold()?;
        writer.catch_up(now).map_err(io::Error::other)?;
        let count = writer.append(entry, &self.options, now)?;
        drop(held);
        let is_durable = is_durable || writer.is_overdue();
        drop(writer);
        if is_durable && self.options.durability == Durability::Disk {
            self.commits.wait_for(count, || self.sync_newest())?;
        }
        Ok(())
    }

    fn record_entry(&self, entry: &AuditEntry) {
        if let Err(error) = self.append(&entry.to_json(&self.redactor), false) {
            warn!(target: "prowess", %error, "audit_failed");
        }
    }

    fn store_entry(&self, entry: &AuditEntry) -> Result<(), AuditError> {
        let stored = self.append(&entry.to_json(&self.redactor), true);
        stored.map_err(|error| AuditError(error.to_string()))
    }

    /// The state stays valid after a panic: its fields change together, after the write.
    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AuditSink for JsonLinesLog {
    fn intend(&self, intent: &CallIntent) -> Result<(), AuditError> {
        self.store_entry(&AuditEntry::Intent(intent.clone()))
    }

    fn record(&self, event: &AuditEvent) {
        self.record_entry(&AuditEntry::Call(event.clone()));
    }

    fn report(&self, event: &RuntimeEvent) {
        self.record_entry(&AuditEntry::Runtime(event.clone()));
    }

    fn store(&self, event: &RuntimeEvent) -> Result<(), AuditError> {
        self.store_entry(&AuditEntry::Runtime(event.clone()))
    }

    fn location(&self) -> Option<String> {
        // Another program may have another working directory.
        self.path.is_absolute().then(|| self.path.to_str().map(str::to_owned))?
    }
}

impl fmt::Debug for JsonLinesLog {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "JsonLinesLog({})", self.head())
    }
}
