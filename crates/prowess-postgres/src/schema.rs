//! The tables, and the version of their layout.

use crate::PostgresError;
use crate::connection::Connection;

/// The changes of the layout, from each version to the next. A released one is never edited.
const MIGRATIONS: [&str; 2] = [include_str!("schema.sql"), include_str!("schema2.sql")];

/// The lock of hosts that change the layout: `prws` in ASCII.
const LOCK: &str = "SELECT pg_advisory_xact_lock(1886549875)";

/// Brings the tables to this version, within a transaction.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), PostgresError> {
    check_encoding(connection)?;
    if version(connection)? == MIGRATIONS.len() {
        return Ok(());
    }
    connection.batch(LOCK)?;
    // Another host may have been faster.
    let version = version(connection)?;
    let Some(missing) = MIGRATIONS.get(version..) else {
        return Err(PostgresError::Refused(format!(
            "its tables have the layout of version {version} and this program has version {}; use \
             a newer program",
            MIGRATIONS.len()
        )));
    };
    for migration in missing {
        connection.batch(migration)?;
    }
    let latest = MIGRATIONS.len();
    connection.batch(&format!("UPDATE prowess.layout SET version = {latest}"))
}

/// Any other encoding would refuse some texts, each at a time when it is needed.
fn check_encoding(connection: &mut Connection) -> Result<(), PostgresError> {
    let row = connection.first("SELECT current_setting('server_encoding')", &[])?;
    match row.map(|row| row.get::<_, String>(0)).unwrap_or_default().as_str() {
        "UTF8" => Ok(()),
        encoding => Err(PostgresError::Refused(format!(
            "its encoding is {encoding}; create one by `createdb -E UTF8 -T template0 NAME`"
        ))),
    }
}

/// Returns the version of the tables; 0 if there are none.
fn version(connection: &mut Connection) -> Result<usize, PostgresError> {
    // A lookup by name would miss what another host has created while this one waited for the lock.
    let exists = "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_tables \
                  WHERE schemaname = 'prowess' AND tablename = 'layout')";
    if !connection.first(exists, &[])?.is_some_and(|row| row.get(0)) {
        return Ok(0);
    }
    let row = connection.first("SELECT version FROM prowess.layout", &[])?;
    let changed = || {
        let reason = "the table `prowess.layout` has no version: restore it from a backup";
        PostgresError::Refused(reason.to_owned())
    };
    let version: i64 = row.ok_or_else(changed)?.get(0);
    Ok(usize::try_from(version).unwrap_or_default())
}
