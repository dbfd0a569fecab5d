//! The database of state that several programs share: approvals and sessions.
//!
//! Each store opens the file itself. SQLite locks it for each change, so several processes may use
//! it at once, and a change that was acknowledged is on the disk.

mod approvals;
mod place;
mod schema;
mod sessions;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prowess_core::{Diagnostic, Severity};
use rusqlite::config::DbConfig;
use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, Transaction, TransactionBehavior};

use crate::codes;

pub use approvals::ApprovalDatabase;
pub use sessions::SessionDatabase;

/// The timeout for the lock of another program's change.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum size of a value, in bytes. A larger one is damage, and none is read into memory.
const MAX_VALUE: i32 = 64 * 1024 * 1024;

/// The number of steps of the virtual machine after which it is asked whether a use goes on, and
/// how often it does: about a second. A file that was changed could else make a statement endless.
const STEPS: (i32, u32) = (100_000, 500);

/// A connection to the file, which threads share by a lock.
#[derive(Debug)]
pub(crate) struct Database {
    path: PathBuf,
    /// `None` until the first use.
    opened: Mutex<Option<Opened>>,
}

/// A connection, and the device and the inode of its file.
#[derive(Debug)]
struct Opened {
    connection: Connection,
    file: Option<(u64, u64)>,
    /// How often the current use was asked whether it goes on.
    steps: Arc<AtomicU32>,
}

impl Database {
    /// Returns a database whose file is opened by its first use, and created if necessary.
    pub(crate) fn lazy(path: &Path) -> Self {
        Self { path: path.to_owned(), opened: Mutex::default() }
    }

    /// Opens the file, and creates it if necessary.
    ///
    /// # Errors
    ///
    /// Returns an error if the file or its directory is not private, it cannot be opened, it is
    /// damaged, or it was written by another program or a newer version.
    pub(crate) fn open(path: &Path) -> Result<Self, Box<Diagnostic>> {
        Ok(Self { opened: Mutex::new(Some(Opened::at(path)?)), ..Self::lazy(path) })
    }

    /// Runs a query.
    ///
    /// # Errors
    ///
    /// Returns the reason if the file cannot be read, and how to fix it.
    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, String> {
        self.with(|opened| query(&opened.connection))
    }

    /// Runs a change. It is on the disk when this returns, and nothing of it is if `change` fails.
    ///
    /// # Errors
    ///
    /// Returns the reason if the file cannot be written, and how to fix it.
    pub(crate) fn write<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, String> {
        self.with(|Opened { connection, .. }| {
            // One that reads first and writes later would fail if another one came between.
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = change(&transaction)?;
            transaction.commit()?;
            Ok(value)
        })
    }

    /// Returns a number that differs from the last one if another program has changed the file, or
    /// there is another one.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub(crate) fn changes(&self) -> Result<i64, String> {
        self.with(|Opened { connection, file, .. }| {
            let inode = file.unwrap_or_default().1.cast_signed();
            let version = |row: &Row<'_>| row.get::<_, i64>(0);
            Ok((inode << 32) ^ connection.pragma_query_value(None, "data_version", version)?)
        })
    }

    /// Uses the file that is at the path now. Users move a damaged one away, and other programs
    /// find a new one there.
    fn with<T>(&self, work: impl FnOnce(&mut Opened) -> rusqlite::Result<T>) -> Result<T, String> {
        // A transaction is rolled back when a panic drops it.
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.take_if(|it| it.file.is_none() || it.file != place::identity(&self.path));
        let opened = match &mut *opened {
            Some(opened) => opened,
            none => none.insert(Opened::at(&self.path).map_err(|finding| finding.message)?),
        };
        let failed =
            |error: rusqlite::Error| format!("`{}`: {}", self.path.display(), reason(&error));
        opened.steps.store(0, Ordering::Relaxed);
        work(opened).map_err(failed)
    }
}

impl Opened {
    fn at(path: &Path) -> Result<Self, Box<Diagnostic>> {
        let invalid = |reason: String| Box::new(finding(path, &reason));
        let words = |error: io::Error| match error.kind() {
            io::ErrorKind::StorageFull => FULL.to_owned(),
            _ => error.to_string(),
        };
        let real = place::prepare(path).map_err(|error| invalid(words(error)))?;
        let file = place::identity(&real);
        let steps = Arc::default();
        let connection = connect(&real, &steps).map_err(|error| invalid(reason(&error)))?;
        schema::check(&connection).map_err(|error| invalid(reason(&error)))?.map_err(invalid)?;
        schema::create(&connection, path).map_err(|error| invalid(reason(&error)))?;
        Ok(Self { connection, file, steps })
    }
}

fn connect(path: &Path, steps: &Arc<AtomicU32>) -> rusqlite::Result<Connection> {
    // Without a link at any part of the path; the path is a real one.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NOFOLLOW
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    let steps = Arc::clone(steps);
    let is_endless = move || steps.fetch_add(1, Ordering::Relaxed) >= STEPS.1;
    connection.progress_handler(STEPS.0, Some(is_endless))?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE)?;
    connection.busy_timeout(LOCK_TIMEOUT)?;
    // The file may be damaged: nothing in it is run, and its pages are checked when they are read.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.execute_batch(
        "PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;",
    )?;
    Ok(connection)
}

/// Returns the reason of an error, with the next step where there is one.
fn reason(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another program has used it for too long; try again".to_owned()
        }
        Some(
            ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::OperationInterrupted
            | ErrorCode::TooBig,
        ) => format!("{DAMAGED} ({error})"),
        Some(ErrorCode::DiskFull) => FULL.to_owned(),
        // Nor is there room for the index that readers share.
        _ if error.sqlite_error().map(|it| it.extended_code) == Some(SQLITE_IOERR_SHMSIZE) => {
            FULL.to_owned()
        }
        _ => error.to_string(),
    }
}

const DAMAGED: &str = "it is damaged; move it away, and a new one is created";
const FULL: &str = "the disk is full; make room and try again";

fn finding(path: &Path, reason: &str) -> Diagnostic {
    let help = match reason {
        FULL => "remove other files from its disk: the approvals are in it",
        "it belongs to another user" => "run the command as that user, or as root",
        _ if reason.starts_with("it is damaged") => {
            "end the programs that use it and move it away: then a new one is created, without the \
             approvals"
        }
        _ => "put that right; the approvals are in it",
    };
    Diagnostic::new(
        codes::STATE_DATABASE_INVALID,
        Severity::Error,
        format!("the database of approvals and sessions cannot be used: {reason}"),
        help,
    )
    .in_file(path.to_string_lossy())
}
