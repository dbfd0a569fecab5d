//! The tables, and the version of their layout.

use std::path::Path;

use rusqlite::{Connection, Result, TransactionBehavior};

use crate::file;

/// The number in the header of the file that marks it as one of this program: `prws` in ASCII.
const APPLICATION: u32 = 0x7072_7773;

/// The version of the layout.
const VERSION: u32 = 1;

/// An approval is stored as JSON, and the columns that queries need are computed from it, so that
/// they cannot differ. The last use of a session is separate from its state, which is larger.
const TABLES: &str = include_str!("schema.sql");

/// Returns the reason if the file is another program's or of another version.
pub(super) fn check(connection: &Connection) -> Result<Result<(), String>> {
    // All queries read one state of the file: between two of them, another process may create the
    // tables.
    let snapshot = connection.unchecked_transaction()?;
    let (application, version) = identity(&snapshot)?;
    Ok(match (application, version) {
        (0, 0) if is_empty(&snapshot)? => Ok(()),
        (APPLICATION, VERSION) => Ok(()),
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

fn is_empty(connection: &Connection) -> Result<bool> {
    connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
}
