//! The tables, and the version of their layout.

use crate::PostgresError;
use crate::connection::Connection;

/// The changes of the layout, from each version to the next. A released one is never edited.
const MIGRATIONS: [&str; 1] = [include_str!("schema.sql")];

/// The lock of hosts that change the layout: `prws` in ASCII.
const LOCK: &str = "SELECT pg_advisory_xact_lock(1886549875)";

/// Brings the tables to this version, within a transaction.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), PostgresError> {
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

/// Returns the version of the tables; 0 if there are none.
fn version(connection: &mut Connection) -> Result<usize, PostgresError> {
    // A lookup by name would miss what another host has created while this one waited for the lock.
    let exists = "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_tables \
                  WHERE schemaname = 'prowess' AND tablename = 'layout')";
    if !connection.first(exists, &[])?.is_some_and(|row| row.get(0)) {
        return Ok(0);
    }
    let version = connection.first("SELECT version FROM prowess.layout", &[])?;
    let version = version.map_or(0, |row| row.get::<_, i64>(0));
    Ok(usize::try_from(version).unwrap_or_default())
}
