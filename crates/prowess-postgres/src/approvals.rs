//! The approvals in the database.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use prowess_core::{
    Approval, ApprovalEntry, ApprovalId, ApprovalQuery, ApprovalState, ApprovalStore,
    ApprovalStoreError, Asked, NewApproval, Timestamp,
};
use tokio_postgres::Row;

use crate::connection::{Connection, Ending, Values};
use crate::sessions::integer;
use crate::{Database, PostgresError};

/// Stores an entry and its change, or neither.
const ASK: &str = include_str!("approvals/ask.sql");

const REPLACE: &str = include_str!("approvals/replace.sql");

/// One host at a time decides whether a session may ask for more.
const ASKING: &str = "SELECT 1 FROM pg_advisory_xact_lock(1886549877, hashtext($1))";

impl Database {
    /// Returns the numbers of all approvals, by which people name them. A number means one approval
    /// forever.
    ///
    /// # Errors
    ///
    /// The database cannot be used.
    pub fn approval_numbers(&self) -> Result<BTreeMap<ApprovalId, u64>, PostgresError> {
        let rows = self.run(|it| it.query("SELECT id, number FROM prowess.approval", &[]))?;
        let number = |row: &Row| (ApprovalId::new(row.get::<_, &str>(0)), row.get::<_, i64>(1));
        Ok(rows.iter().map(number).map(|(id, number)| (id, number.cast_unsigned())).collect())
    }

    /// Returns a number that differs from the last one if an approval has changed.
    ///
    /// # Errors
    ///
    /// The database cannot be used.
    pub fn approval_changes(&self) -> Result<i64, PostgresError> {
        let last = "SELECT max(seq) FROM prowess.approval_change";
        let row = self.run(|connection| connection.first(last, &[]))?;
        Ok(row.and_then(|row| row.get(0)).unwrap_or_default())
    }

    /// Returns the approvals for one call that were used more often than once, by the record of
    /// their changes; there are none unless the tables were changed by hand.
    ///
    /// # Errors
    ///
    /// The database cannot be used.
    pub fn approvals_spent_twice(&self) -> Result<Vec<ApprovalId>, PostgresError> {
        let twice = "SELECT id FROM prowess.approval_change WHERE state = 'spent' \
                     GROUP BY id HAVING count(*) > 1 ORDER BY id";
        let rows = self.run(|connection| connection.query(twice, &[]))?;
        Ok(rows.iter().map(|row| ApprovalId::new(row.get::<_, &str>(0))).collect())
    }
}

impl ApprovalStore for Database {
    fn ask(&self, new: NewApproval) -> Result<Asked, ApprovalStoreError> {
        let asked = self.transaction(|connection| {
            let session = new.session.as_str();
            connection.query(ASKING, &[&session])?;
            let select = "SELECT entry FROM prowess.approval WHERE session = $1";
            let of_session = entries(connection, select, &[&session])?;
            let entry = match new.clone().admit(&of_session) {
                Ok(entry) => entry,
                Err(answer) => return Ok(Ending::Rollback(Some(answer))),
            };
            let is_stored = store(connection, ASK, &entry, None)?;
            Ok(Ending::Commit(is_stored.then(|| Asked::Entry(Box::new(entry)))))
        });
        let in_use = || ApprovalStoreError("the id of the request is in use".to_owned());
        asked.map_err(ApprovalStoreError::from)?.ok_or_else(in_use)
    }

    fn load(&self, id: &ApprovalId) -> Result<Option<ApprovalEntry>, ApprovalStoreError> {
        let select = "SELECT entry FROM prowess.approval WHERE id = $1";
        let entries = self.run(|connection| entries(connection, select, &[&id.as_str()]));
        Ok(entries.map_err(ApprovalStoreError::from)?.pop())
    }

    fn replace(&self, entry: ApprovalEntry, expected: u64) -> Result<bool, ApprovalStoreError> {
        self.run(|connection| store(connection, REPLACE, &entry, Some(expected)))
            .map_err(ApprovalStoreError::from)
    }

    fn find(&self, query: &ApprovalQuery<'_>) -> Result<Vec<Approval>, ApprovalStoreError> {
        let select = "SELECT entry FROM prowess.approval \
                      WHERE tool = $1 AND tenant IS NOT DISTINCT FROM $2 AND state = 'granted' \
                      AND (expires IS NULL OR expires > $3) ORDER BY id";
        let now = integer(query.now);
        let found = self.run(|it| entries(it, select, &[&query.tool, &query.tenant, &now]));
        Ok(found
            .map_err(ApprovalStoreError::from)?
            .iter()
            .filter_map(|it| it.approval_for(query))
            .collect())
    }

    fn list(
        &self,
        after: Option<&ApprovalId>,
        limit: NonZeroUsize,
    ) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        // No id is before the empty text, and the first page has an empty id too.
        let is_first = after.is_none();
        let after = after.map_or("", ApprovalId::as_str);
        let limit = i64::try_from(limit.get()).unwrap_or(i64::MAX);
        let select = "SELECT entry FROM prowess.approval WHERE id > $1 OR $2 ORDER BY id LIMIT $3";
        self.run(|it| entries(it, select, &[&after, &is_first, &limit]))
            .map_err(ApprovalStoreError::from)
    }

    fn remove_finished(&self, before: Timestamp) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        let delete = "DELETE FROM prowess.approval WHERE ended < $1 RETURNING entry";
        let before = integer(before);
        self.run(|connection| entries(connection, delete, &[&before]))
            .map_err(ApprovalStoreError::from)
    }
}

/// Runs a statement that stores an entry with its change; returns whether it did.
fn store(
    connection: &mut Connection,
    statement: &'static str,
    entry: &ApprovalEntry,
    expected: Option<u64>,
) -> Result<bool, PostgresError> {
    let text = serde_json::to_string(entry);
    let text = text.map_err(|error| PostgresError::Refused(error.to_string()))?;
    let (id, version, state) = (entry.id.as_str(), number(entry.version), entry.state.word());
    let (expires, ended) = (entry.expires.map(integer), ended(entry));
    let changed = match expected {
        Some(expected) => {
            let expected = number(expected);
            let values: Values<'_> = &[&id, &version, &state, &expires, &ended, &text, &expected];
            connection.execute(statement, values)
        }
        None => {
            let request = &entry.request;
            let (session, tool, tenant) = (entry.session.as_str(), &request.tool, &request.tenant);
            let values: Values<'_> =
                &[&id, &version, &state, &expires, &ended, &text, &session, tool, tenant];
            connection.execute(statement, values)
        }
    };
    Ok(changed? == 1)
}

/// Returns the time since which an entry has no effect, as [`ApprovalEntry::is_finished`] compares.
fn ended(entry: &ApprovalEntry) -> Option<i64> {
    match &entry.state {
        ApprovalState::Revoked { at, .. } | ApprovalState::Spent { at, .. } => Some(integer(*at)),
        _ => entry.expires.map(integer),
    }
}

fn entries(
    connection: &mut Connection,
    statement: &'static str,
    values: Values<'_>,
) -> Result<Vec<ApprovalEntry>, PostgresError> {
    let rows = connection.query(statement, values)?;
    let entry = |row: &Row| {
        let entry = serde_json::from_str(row.get(0));
        entry.map_err(|error| PostgresError::Refused(format!("an approval is damaged: {error}")))
    };
    rows.iter().map(entry).collect()
}

/// Returns a version as PostgreSQL stores numbers: versions count changes.
fn number(version: u64) -> i64 {
    i64::try_from(version).unwrap_or(i64::MAX)
}
