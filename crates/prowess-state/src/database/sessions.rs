//! The sessions in the database.

use std::path::Path;
use std::sync::Arc;

use prowess_core::{
    ContentKey, Diagnostic, OperationId, PutOutcome, RemovedSession, SessionId, SessionStore,
    SessionSummary, StoreError, StoredContent, StoredSession, Timestamp,
};
use rusqlite::types::Type;
use rusqlite::{Connection, Error, OptionalExtension, Params, Result, Row, params};

use super::Database;

/// Stores sessions in a database file that several programs may use at once.
///
/// A text that several sessions have loaded is stored once. An acknowledged change is on the disk:
/// neither a killed program nor a power failure loses it.
#[derive(Debug)]
pub struct SessionDatabase(Database);

impl SessionDatabase {
    /// Opens the file at this path, and creates it if necessary.
    ///
    /// # Errors
    ///
    /// Returns an error if other users can change the file or its directory, the file is damaged,
    /// or it was written by another program or a newer version. It is left unchanged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Box<Diagnostic>> {
        Database::open(path.as_ref()).map(Self)
    }
}

impl SessionStore for SessionDatabase {
    fn load(&self, id: &SessionId) -> Result<Option<StoredSession>, StoreError> {
        self.0.read(|connection| stored(connection, id.as_str())).map_err(StoreError::new)
    }

    fn contents(&self, keys: &[ContentKey]) -> Result<Vec<Option<Arc<str>>>, StoreError> {
        self.0.read(|connection| texts(connection, keys)).map_err(StoreError::new)
    }

    fn put(
        &self,
        session: &StoredSession,
        new: &[StoredContent],
        expected: Option<OperationId>,
    ) -> Result<PutOutcome, StoreError> {
        self.0
            .write(|transaction| {
                let stored = operation(transaction, &session.id)?;
                if stored == Some(session.operation) {
                    return Ok(Ok(PutOutcome::AlreadyStored));
                }
                if stored != expected {
                    return Ok(Ok(PutOutcome::Conflict));
                }
                if let Some(missing) = missing_content(transaction, session, new)? {
                    return Ok(Err(format!("the text {missing:?} is not stored")));
                }
                write(transaction, session, new)?;
                Ok(Ok(PutOutcome::Stored))
            })
            .and_then(|outcome| outcome)
            .map_err(StoreError::new)
    }

    fn touch(
        &self,
        id: &SessionId,
        at: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<bool, StoreError> {
        self.0
            .write(|transaction| {
                let update = "UPDATE last_use SET touched = ?2, expires = ?3 \
                          WHERE id = ?1 AND touched <= ?2";
                let row = params![id.as_str(), integer(at), expires.map(integer)];
                let is_recorded = transaction.execute(update, row)? == 1;
                Ok(is_recorded || operation(transaction, id)?.is_some())
            })
            .map_err(StoreError::new)
    }

    fn list(
        &self,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, StoreError> {
        self.0
            .read(|connection| {
                // No id is empty, so each is after the empty text.
                let after = after.map_or("", SessionId::as_str);
                let limit = i64::try_from(limit).unwrap_or(i64::MAX);
                let select = "SELECT id, version, touched, expires \
                          FROM session JOIN last_use USING (id) \
                          WHERE id > ?1 ORDER BY id LIMIT ?2";
                connection.prepare(select)?.query_map(params![after, limit], summary)?.collect()
            })
            .map_err(StoreError::new)
    }

    fn expire_before(&self, now: Timestamp) -> Result<Vec<RemovedSession>, StoreError> {
        self.0
            .write(|transaction| {
                let expired = "SELECT id FROM last_use WHERE expires <= ?1";
                let deleted = remove(transaction, expired, [integer(now)])?;
                let unused = "DELETE FROM content \
                          WHERE key NOT IN (SELECT key FROM session_content)";
                transaction.execute(unused, [])?;
                Ok(deleted)
            })
            .map_err(StoreError::new)
    }

    fn evict(&self, most: usize, keep: &SessionId) -> Result<Vec<RemovedSession>, StoreError> {
        self.0
            .write(|transaction| {
                let most = i64::try_from(most).unwrap_or(i64::MAX);
                // A negative limit would be none.
                let excess = "SELECT id FROM last_use WHERE id != ?1 ORDER BY touched, id \
                          LIMIT max(0, (SELECT count(*) FROM session) - ?2)";
                remove(transaction, excess, params![keep.as_str(), most])
            })
            .map_err(StoreError::new)
    }

    fn delete(&self, id: &SessionId, expected: OperationId) -> Result<bool, StoreError> {
        self.0
            .write(|transaction| {
                let delete = "DELETE FROM session WHERE id = ?1 AND operation = ?2";
                Ok(transaction.execute(delete, params![id.as_str(), expected.0.cast_signed()])?
                    == 1)
            })
            .map_err(StoreError::new)
    }
}

fn stored(connection: &Connection, id: &str) -> Result<Option<StoredSession>> {
    let select = "SELECT id, version, operation, contents, details, touched, expires \
              FROM session JOIN last_use USING (id) WHERE id = ?1";
    connection.query_row(select, [id], session).optional()
}

fn texts(connection: &Connection, keys: &[ContentKey]) -> Result<Vec<Option<Arc<str>>>> {
    let mut select = connection.prepare("SELECT text FROM content WHERE key = ?1")?;
    keys.iter().map(|key| select.query_row([key.as_bytes()], |row| row.get(0)).optional()).collect()
}

/// Deletes the sessions whose ids `query` selects, and returns them with their texts. A damaged one
/// is deleted too, and not returned.
fn remove(connection: &Connection, query: &str, row: impl Params) -> Result<Vec<RemovedSession>> {
    let mut select = connection.prepare(query)?;
    let ids: Vec<String> = select.query_map(row, |row| row.get(0))?.collect::<Result<_>>()?;
    let mut delete = connection.prepare("DELETE FROM session WHERE id = ?1")?;
    let mut removed = Vec::with_capacity(ids.len());
    for id in ids {
        if let Ok(Some(session)) = stored(connection, &id) {
            let texts = texts(connection, &session.contents)?;
            removed.push(RemovedSession { session, texts });
        }
        delete.execute([id])?;
    }
    Ok(removed)
}

/// Returns the operation that stored a session.
fn operation(connection: &Connection, id: &SessionId) -> Result<Option<OperationId>> {
    let select = "SELECT operation FROM session WHERE id = ?1";
    let number = connection.query_row(select, [id.as_str()], |row| row.get::<_, i64>(0));
    Ok(number.optional()?.map(|number| OperationId(number.cast_unsigned())))
}

/// Returns a content of the session that is neither stored nor new.
fn missing_content(
    connection: &Connection,
    session: &StoredSession,
    new: &[StoredContent],
) -> Result<Option<ContentKey>> {
    let mut select = connection.prepare("SELECT EXISTS (SELECT 1 FROM content WHERE key = ?1)")?;
    for key in &session.contents {
        let is_new = new.iter().any(|content| content.key() == *key);
        if !is_new && !select.query_row([key.as_bytes()], |row| row.get::<_, bool>(0))? {
            return Ok(Some(*key));
        }
    }
    Ok(None)
}

fn write(connection: &Connection, session: &StoredSession, new: &[StoredContent]) -> Result<()> {
    let id = session.id.as_str();
    let mut insert =
        connection.prepare("INSERT OR IGNORE INTO content (key, text) VALUES (?1, ?2)")?;
    for content in new.iter().filter(|content| session.contents.contains(&content.key())) {
        insert.execute(params![content.key().as_bytes(), &**content.text()])?;
    }
    let keys: Vec<u8> = session.contents.iter().flat_map(ContentKey::as_bytes).copied().collect();
    let upsert = "INSERT INTO session (id, version, operation, contents, details) \
                  VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (id) DO UPDATE SET \
                  version = ?2, operation = ?3, contents = ?4, details = ?5";
    let version = session.version.cast_signed();
    let row = params![id, version, session.operation.0.cast_signed(), keys, &*session.details];
    connection.execute(upsert, row)?;
    let upsert = "INSERT INTO last_use (id, touched, expires) VALUES (?1, ?2, ?3) \
                  ON CONFLICT (id) DO UPDATE SET touched = ?2, expires = ?3 WHERE touched <= ?2";
    connection
        .execute(upsert, params![id, integer(session.touched), session.expires.map(integer)])?;
    connection.execute("DELETE FROM session_content WHERE id = ?1", [id])?;
    let mut insert =
        connection.prepare("INSERT OR IGNORE INTO session_content (id, key) VALUES (?1, ?2)")?;
    for key in &session.contents {
        insert.execute(params![id, key.as_bytes()])?;
    }
    Ok(())
}

fn session(row: &Row<'_>) -> Result<StoredSession> {
    let keys = row.get_ref(3)?.as_blob()?.chunks(ContentKey::LENGTH);
    let keys = keys.map(|key| key.try_into().map(ContentKey::from_bytes));
    let contents = keys.collect::<Result<_, _>>().map_err(|error| invalid(3, Type::Blob, error))?;
    Ok(StoredSession {
        id: id(row)?,
        version: row.get::<_, i64>(1)?.cast_unsigned(),
        operation: OperationId(row.get::<_, i64>(2)?.cast_unsigned()),
        contents,
        details: row.get_ref(4)?.as_blob()?.into(),
        touched: timestamp(row.get(5)?),
        expires: row.get::<_, Option<i64>>(6)?.map(timestamp),
    })
}

fn summary(row: &Row<'_>) -> Result<SessionSummary> {
    Ok(SessionSummary {
        id: id(row)?,
        version: row.get::<_, i64>(1)?.cast_unsigned(),
        touched: timestamp(row.get(2)?),
        expires: row.get::<_, Option<i64>>(3)?.map(timestamp),
    })
}

fn id(row: &Row<'_>) -> Result<SessionId> {
    SessionId::new(row.get_ref(0)?.as_str()?).map_err(|error| invalid(0, Type::Text, error))
}

fn invalid(
    column: usize,
    kind: Type,
    error: impl std::error::Error + Send + Sync + 'static,
) -> Error {
    Error::FromSqlConversionFailure(column, kind, Box::new(error))
}

/// Returns a time as SQLite stores numbers. The largest one is 292 million years away.
fn integer(at: Timestamp) -> i64 {
    i64::try_from(at.0).unwrap_or(i64::MAX)
}

fn timestamp(number: i64) -> Timestamp {
    Timestamp(u64::try_from(number).unwrap_or_default())
}
