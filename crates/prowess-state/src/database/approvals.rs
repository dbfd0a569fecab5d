//! The approvals in the database.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

use prowess_core::{
    Approval, ApprovalEntry, ApprovalId, ApprovalQuery, ApprovalStore, ApprovalStoreError, Asked,
    Diagnostic, NewApproval, Timestamp,
};
use rusqlite::types::Type;
use rusqlite::{Connection, Error, OptionalExtension, Params, Result, Row, params};

use super::Database;
use super::schema::NUMBERS;

/// Stores approvals in a database file that several programs may use at once.
///
/// An acknowledged request, decision or use is on the disk: neither a killed program nor a power
/// failure loses it.
#[derive(Debug)]
pub struct ApprovalDatabase(Database);

impl ApprovalDatabase {
    /// Opens the file at this path, and creates it if necessary.
    ///
    /// # Errors
    ///
    /// Returns an error if other users can change the file or its directory, the file is damaged,
    /// or it was written by another program or a newer version. It is left unchanged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Box<Diagnostic>> {
        Database::open(path.as_ref()).map(Self)
    }

    /// Returns the store of a file that the first use opens, so that a program whose calls need no
    /// approval creates none. If it cannot be opened, the use fails and the next one tries again.
    pub fn lazy(path: impl AsRef<Path>) -> Self {
        Self(Database::lazy(path.as_ref()))
    }

    /// Gives each of these approvals the next number, in their order, unless it has one. Returns
    /// the numbers of all approvals. A number means one approval for as long as it is stored.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub fn numbers(
        &self,
        ids: &[ApprovalId],
    ) -> std::result::Result<BTreeMap<ApprovalId, u64>, ApprovalStoreError> {
        let numbers = self.0.write(|transaction| {
            // Added to the layout: programs that do not know it leave it unchanged.
            transaction.execute_batch(NUMBERS)?;
            let insert = "INSERT OR IGNORE INTO approval_number (id) \
                          SELECT id FROM approval WHERE id = ?1";
            let mut insert = transaction.prepare(insert)?;
            for id in ids {
                insert.execute([id.as_str()])?;
            }
            let mut select = transaction.prepare("SELECT id, number FROM approval_number")?;
            let number = |row: &Row<'_>| {
                let id = ApprovalId::new(row.get_ref(0)?.as_str()?);
                Ok((id, row.get::<_, i64>(1)?.cast_unsigned()))
            };
            select.query_map([], number)?.collect()
        });
        numbers.map_err(ApprovalStoreError)
    }

    /// Returns a number that differs from the last one if another program has changed the file,
    /// or there is another one at its path.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn changes(&self) -> std::result::Result<i64, ApprovalStoreError> {
        self.0.changes().map_err(ApprovalStoreError)
    }
}

impl ApprovalStore for ApprovalDatabase {
    fn ask(&self, new: NewApproval) -> Result<Asked, ApprovalStoreError> {
        let asked = self
            .0
            .write(|transaction| {
                let of_session = entries(
                    transaction,
                    "SELECT entry, id FROM approval WHERE session = ?1",
                    [new.session.as_str()],
                )?;
                let entry = match new.admit(&of_session) {
                    Ok(entry) => entry,
                    Err(answer) => return Ok(Some(answer)),
                };
                let insert =
                    "INSERT OR IGNORE INTO approval (id, version, entry) VALUES (?1, ?2, ?3)";
                let row = params![entry.id.as_str(), 0, json(&entry)?];
                let is_stored = transaction.execute(insert, row)? == 1;
                Ok(is_stored.then(|| Asked::Entry(Box::new(entry))))
            })
            .map_err(ApprovalStoreError)?;
        asked.ok_or_else(|| ApprovalStoreError("the id of the request is in use".to_owned()))
    }

    fn load(&self, id: &ApprovalId) -> Result<Option<ApprovalEntry>, ApprovalStoreError> {
        self.0
            .read(|connection| {
                let query = "SELECT entry, id FROM approval WHERE id = ?1";
                connection.query_row(query, [id.as_str()], entry).optional()
            })
            .map_err(ApprovalStoreError)
    }

    fn replace(&self, entry: ApprovalEntry, expected: u64) -> Result<bool, ApprovalStoreError> {
        self.0
            .write(|transaction| {
                let update =
                    "UPDATE approval SET version = ?1, entry = ?2 WHERE id = ?3 AND version = ?4";
                let row = params![
                    number(entry.version),
                    json(&entry)?,
                    entry.id.as_str(),
                    number(expected)
                ];
                Ok(transaction.execute(update, row)? == 1)
            })
            .map_err(ApprovalStoreError)
    }

    fn find(&self, query: &ApprovalQuery<'_>) -> Result<Vec<Approval>, ApprovalStoreError> {
        let entries = self
            .0
            .read(|connection| {
                let select = "SELECT entry, id FROM approval WHERE tool = ?1 ORDER BY id";
                entries(connection, select, [query.tool])
            })
            .map_err(ApprovalStoreError)?;
        Ok(entries.iter().filter_map(|entry| entry.approval_for(query)).collect())
    }

    fn list(
        &self,
        after: Option<&ApprovalId>,
        limit: NonZeroUsize,
    ) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        self.0
            .read(|connection| {
                // No id is before the empty text, and the first page has an empty id too.
                let is_first = after.is_none();
                let after = after.map_or("", ApprovalId::as_str);
                let limit = i64::try_from(limit.get()).unwrap_or(i64::MAX);
                let select =
                    "SELECT entry, id FROM approval WHERE id > ?1 OR ?2 ORDER BY id LIMIT ?3";
                entries(connection, select, params![after, is_first, limit])
            })
            .map_err(ApprovalStoreError)
    }

    fn remove_finished(&self, before: Timestamp) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        self.0
            .write(|transaction| {
                let mut finished = entries(transaction, "SELECT entry, id FROM approval", [])?;
                finished.retain(|entry| entry.is_finished(before));
                let mut delete = transaction.prepare("DELETE FROM approval WHERE id = ?1")?;
                for entry in &finished {
                    delete.execute([entry.id.as_str()])?;
                }
                Ok(finished)
            })
            .map_err(ApprovalStoreError)
    }
}

fn entries(connection: &Connection, query: &str, row: impl Params) -> Result<Vec<ApprovalEntry>> {
    connection.prepare(query)?.query_map(row, entry)?.collect()
}

fn entry(row: &Row<'_>) -> Result<ApprovalEntry> {
    let text = row.get_ref(0)?.as_str()?;
    let damaged = |error| Error::FromSqlConversionFailure(0, Type::Text, error);
    let entry: ApprovalEntry = serde_json::from_str(text).map_err(|error| damaged(error.into()))?;
    // Pages begin behind an id: with another one than the row's, they would never end.
    let is_own = row.get_ref(1)?.as_str()? == entry.id.as_str();
    is_own.then_some(entry).ok_or_else(|| damaged("an entry has the id of another one".into()))
}

fn json(entry: &ApprovalEntry) -> Result<String> {
    serde_json::to_string(entry).map_err(|error| Error::ToSqlConversionFailure(error.into()))
}

/// Returns a version as SQLite stores numbers: versions count changes and stay far below the limit.
fn number(version: u64) -> i64 {
    i64::try_from(version).unwrap_or(i64::MAX)
}
