//! The tables, and the version of their layout.

use std::path::Path;

use rusqlite::{Connection, Result, TransactionBehavior};

use super::DAMAGED;
use crate::file;

/// The number in the header of the file that marks it as one of this program: `prws` in ASCII.
const APPLICATION: u32 = 0x7072_7773;

/// The version of the layout.
const VERSION: u32 = 1;

/// An approval is stored as JSON, and the columns that queries need are computed from it, so that
/// they cannot differ. The last use of a session is separate from its state, which is larger.
const TABLES: &str = include_str!("schema.sql");

/// The numbers of the approvals that a person has been shown, from the first listing on. The
/// largest one grows as long as its approval is stored, so no number means two of them.
pub(super) const NUMBERS: &str = "CREATE TABLE IF NOT EXISTS approval_number (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE REFERENCES approval ON DELETE CASCADE
) STRICT";

/// Returns the reason if the file is another program's or of another version.
pub(super) fn check(connection: &Connection) -> Result<Result<(), String>> {
    // All queries read one state of the file: between two of them, another process may create the
    // tables.
    let snapshot = connection.unchecked_transaction()?;
    let (application, version) = identity(&snapshot)?;
    Ok(match (application, version) {
        (0, 0) if is_empty(&snapshot)? => Ok(()),
        (APPLICATION, VERSION) if is_own(&snapshot)? => Ok(()),
        (APPLICATION, VERSION) => {
            Err(format!("{DAMAGED} (its tables are not those of this program)"))
        }
        (APPLICATION, _) => Err(format!(
            "it has the layout of version {version} and this program has version {VERSION}; use \
             the program that wrote it"
        )),
        _ => Err("it is the database of another program".to_owned()),
    })
}

/// Creates the tables if they do not exist.
pub(super) fn create(connection: &Connection, path: &Path) -> Result<()> {
    if identity(connection)?.1 == VERSION {
        return Ok(());
    }
    // Without the lock, changing the kind of journal may fail because another program does, too.
    let lock =
        file::lock(path).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    let transaction =
        rusqlite::Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    if identity(&transaction)?.1 == 0 {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()?;
    drop(lock);
    Ok(())
}

fn identity(connection: &Connection) -> Result<(u32, u32)> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    Ok((number("application_id")?.cast_unsigned(), number("user_version")?.cast_unsigned()))
}

/// Returns whether the file has these tables and indexes alone: a view or a trigger in it would run
/// with each statement. Statistics, which anyone may have SQLite collect, run nothing.
fn is_own(connection: &Connection) -> Result<bool> {
    let mut expected: Vec<_> =
        TABLES.split(';').map(str::trim).filter(|it| !it.is_empty()).collect();
    let numbers = NUMBERS.replace(" IF NOT EXISTS", "");
    let found = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND NOT \
                 (type = 'table' AND name LIKE 'sqlite_stat%')";
    let mut found = connection.prepare(found)?;
    let mut rows = found.query([])?;
    while let Some(row) = rows.next()? {
        let sql: String = row.get(0)?;
        match expected.iter().position(|it| *it == sql) {
            Some(at) => drop(expected.swap_remove(at)),
            None if sql == numbers => {}
            None => return Ok(false),
        }
    }
    Ok(expected.is_empty())
}

fn is_empty(connection: &Connection) -> Result<bool> {
    connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
}
