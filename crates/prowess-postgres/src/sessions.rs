//! The sessions in the database.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use prowess_core::{
    ContentKey, OperationId, PutOutcome, RemovedSession, SessionId, SessionStore, SessionSummary,
    StoreError, StoredContent, StoredSession, Timestamp,
};
use tokio_postgres::Row;

use crate::connection::{Connection, Ending};
use crate::{Database, PostgresError};

/// A change of a session with the same contents: a turn, in most cases.
const PUT_AGAIN: &str = include_str!("sessions/put_again.sql");

const INSERT: &str = include_str!("sessions/insert.sql");

const UPDATE: &str = include_str!("sessions/update.sql");

const TOUCH: &str = include_str!("sessions/touch.sql");

/// The columns of a session.
macro_rules! columns {
    () => {
        "id, version, operation, contents, details, touched, expires"
    };
}

/// The numbers of sessions that one statement deletes as expired, and of texts that one looks at.
/// Each takes a few milliseconds, and so does what waits for its locks.
const BATCH: usize = 100;
const PAGE: usize = 200;

/// The number of such statements in a call. A server makes one call for every few hundred
/// conversations, so a backlog shrinks.
const BATCHES: usize = 20;

/// Deletes a batch. A session that is used at this moment is left out; one that a racing use has
/// extended is checked again.
const EXPIRE: &str = concat!(
    "DELETE FROM prowess.session WHERE expires <= $1 AND id = ANY (ARRAY( \
         SELECT id FROM prowess.session WHERE expires <= $1 ORDER BY expires LIMIT $2 \
         FOR UPDATE SKIP LOCKED)) RETURNING ",
    columns!()
);

const EXPIRE_ONE: &str =
    concat!("DELETE FROM prowess.session WHERE id = $1 AND expires <= $2 RETURNING ", columns!());

/// Deletes the unused texts of a page, and returns the last key of the page and its length. A text
/// to which a racing session refers is not deleted: the reference to it is checked at the end.
const SWEEP: &str = include_str!("sessions/sweep.sql");

/// One host at a time cleans up, and the others go on.
const CLEANING: &str = "SELECT pg_try_advisory_xact_lock(1886549878)";

const EVICT: &str = concat!(
    "DELETE FROM prowess.session WHERE (id, touched) IN ( \
         SELECT id, touched FROM prowess.session WHERE id <> $1 ORDER BY touched, id \
         LIMIT greatest(0, (SELECT count(*) FROM prowess.session) - $2)) RETURNING ",
    columns!()
);

/// Hosts that evict sessions wait for each other, so that none deletes too many.
const REMOVAL: &str = "SELECT pg_advisory_xact_lock(1886549876)";

impl SessionStore for Database {
    fn load(&self, id: &SessionId) -> Result<Option<StoredSession>, StoreError> {
        let select = concat!("SELECT ", columns!(), " FROM prowess.session WHERE id = $1");
        let row = self.run(|connection| connection.first(select, &[&id.as_str()]));
        let damaged = || StoreError::new("a stored session cannot be read");
        row.map_err(StoreError::from)?.map(|row| session(&row).ok_or_else(damaged)).transpose()
    }

    fn contents(&self, keys: &[ContentKey]) -> Result<Vec<Option<Arc<str>>>, StoreError> {
        self.run(|connection| texts(connection, keys)).map_err(StoreError::from)
    }

    fn put(
        &self,
        session: &StoredSession,
        new: &[StoredContent],
        expected: Option<OperationId>,
    ) -> Result<PutOutcome, StoreError> {
        let stored = self.run(|connection| {
            // One statement is enough, except for a session that is new, has other contents, or is
            // not as expected. The operation itself is never expected.
            let again = expected.filter(|expected| *expected != session.operation);
            if let Some(expected) = again
                && put_again(connection, session, expected)?
            {
                return Ok(Ok(PutOutcome::Stored));
            }
            connection.transaction(|connection| put(connection, session, new, expected))
        });
        let missing = |key| StoreError::new(format!("the text {key:?} is not stored"));
        stored.map_err(StoreError::from)?.map_err(missing)
    }

    fn touch(
        &self,
        id: &SessionId,
        at: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<bool, StoreError> {
        let (at, expires) = (integer(at), expires.map(integer));
        let touched = self.run(|it| it.execute(TOUCH, &[&id.as_str(), &at, &expires]));
        Ok(touched.map_err(StoreError::from)? == 1)
    }

    fn list(
        &self,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, StoreError> {
        // No id is empty, so each is after the empty text.
        let after = after.map_or("", SessionId::as_str);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let select = "SELECT id, version, touched, expires FROM prowess.session \
                      WHERE id > $1 ORDER BY id LIMIT $2";
        let rows = self.run(|connection| connection.query(select, &[&after, &limit]));
        Ok(rows.map_err(StoreError::from)?.iter().filter_map(summary).collect())
    }

    fn expire_before(&self, now: Timestamp) -> Result<Vec<RemovedSession>, StoreError> {
        let mut all = Vec::new();
        for _ in 0..BATCHES {
            match self.transaction(|connection| clean(connection, now)) {
                Ok((removed, is_last)) => {
                    all.extend(removed);
                    if is_last {
                        break;
                    }
                }
                // The caller gets what is gone already.
                Err(_) if !all.is_empty() => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(all)
    }

    fn expire_one(
        &self,
        id: &SessionId,
        now: Timestamp,
    ) -> Result<Vec<RemovedSession>, StoreError> {
        let expired = self.transaction(|connection| {
            let rows = connection.query(EXPIRE_ONE, &[&id.as_str(), &integer(now)])?;
            removed(connection, &rows).map(Ending::Commit)
        });
        expired.map_err(StoreError::from)
    }

    fn evict(&self, most: usize, keep: &SessionId) -> Result<Vec<RemovedSession>, StoreError> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        // Below the limit no host waits for another.
        let excess = "SELECT 1 FROM prowess.session OFFSET $1 LIMIT 1";
        if self.run(|it| it.first(excess, &[&most])).map_err(StoreError::from)?.is_none() {
            return Ok(Vec::new());
        }
        let evicted = self.transaction(|connection| {
            connection.batch(REMOVAL)?;
            let mut evicted = Vec::new();
            loop {
                // A session that is used at this moment stays, and another one goes instead.
                let rows = connection.query(EVICT, &[&keep.as_str(), &most])?;
                if rows.is_empty() {
                    return Ok(Ending::Commit(evicted));
                }
                evicted.extend(removed(connection, &rows)?);
            }
        });
        evicted.map_err(StoreError::from)
    }

    fn delete(&self, id: &SessionId, expected: OperationId) -> Result<bool, StoreError> {
        let delete = "DELETE FROM prowess.session WHERE id = $1 AND operation = $2";
        let expected = expected.0.cast_signed();
        let deleted = self.run(|it| it.execute(delete, &[&id.as_str(), &expected]));
        Ok(deleted.map_err(StoreError::from)? == 1)
    }
}

/// Deletes a batch of expired sessions and the unused texts of a page, and returns the sessions and
/// whether little is left to do.
fn clean(
    connection: &mut Connection,
    now: Timestamp,
) -> Result<Ending<(Vec<RemovedSession>, bool)>, PostgresError> {
    if !connection.first(CLEANING, &[])?.is_some_and(|row| row.get(0)) {
        return Ok(Ending::Rollback((Vec::new(), true)));
    }
    let (batch, page) = (BATCH as i64, PAGE as i64);
    let rows = connection.query(EXPIRE, &[&integer(now), &batch])?;
    let removed = removed(connection, &rows)?;
    let swept = connection.first("SELECT swept FROM prowess.layout", &[])?;
    let swept: Vec<u8> = swept.map(|row| row.get(0)).unwrap_or_default();
    let last = connection.first(SWEEP, &[&swept, &page])?;
    // After the last text, the first is the next.
    let last = last.filter(|row| row.get::<_, i64>(1) == page);
    let next = last.map_or_else(Vec::new, |row| row.get::<_, Vec<u8>>(0));
    connection.execute("UPDATE prowess.layout SET swept = $1", &[&next])?;
    let is_last = rows.len() < BATCH && next.is_empty();
    Ok(Ending::Commit((removed, is_last)))
}

/// Stores a session whose contents stay the same; returns `false` if it is not as expected.
fn put_again(
    connection: &mut Connection,
    session: &StoredSession,
    expected: OperationId,
) -> Result<bool, PostgresError> {
    let StoredSession { id, version, operation, contents, details, touched, expires } = session;
    let values = (version.cast_signed(), operation.0.cast_signed(), joined(contents));
    let times = (integer(*touched), expires.map(integer));
    let expected = expected.0.cast_signed();
    let (id, details) = (id.as_str(), &**details);
    let changed = connection.execute(
        PUT_AGAIN,
        &[&id, &expected, &values.0, &values.1, &details, &times.0, &times.1, &values.2],
    );
    Ok(changed? == 1)
}

/// Stores a session, or returns the key of a text that is missing.
fn put(
    connection: &mut Connection,
    session: &StoredSession,
    new: &[StoredContent],
    expected: Option<OperationId>,
) -> Result<Ending<Result<PutOutcome, ContentKey>>, PostgresError> {
    let stored = operation(connection, &session.id)?;
    if stored == Some(session.operation) {
        return Ok(Ending::Rollback(Ok(PutOutcome::AlreadyStored)));
    }
    if stored != expected {
        return Ok(Ending::Rollback(Ok(PutOutcome::Conflict)));
    }
    if let Some(missing) = store_contents(connection, session, new)? {
        return Ok(Ending::Rollback(Err(missing)));
    }
    let StoredSession { id, version, operation: own, contents, details, touched, expires } =
        session;
    let values = (version.cast_signed(), own.0.cast_signed(), joined(contents));
    let times = (integer(*touched), expires.map(integer));
    let (name, details) = (id.as_str(), &**details);
    let statement = if stored.is_some() { UPDATE } else { INSERT };
    let changed = connection.execute(
        statement,
        &[&name, &values.0, &values.1, &values.2, &details, &times.0, &times.1],
    )?;
    if changed == 0 {
        // Another host was faster, or an earlier call with the same operation.
        let is_own = operation(connection, id)? == Some(*own);
        let outcome = if is_own { PutOutcome::AlreadyStored } else { PutOutcome::Conflict };
        return Ok(Ending::Rollback(Ok(outcome)));
    }
    let keys = keys(contents);
    let unused = "DELETE FROM prowess.session_content WHERE id = $1 AND key <> ALL ($2)";
    connection.execute(unused, &[&name, &keys])?;
    let used = "INSERT INTO prowess.session_content (id, key) SELECT $1, unnest($2::bytea[]) \
                ON CONFLICT DO NOTHING";
    connection.execute(used, &[&name, &keys])?;
    Ok(Ending::Commit(Ok(PutOutcome::Stored)))
}

/// Returns the operation that stored a session, which no other host changes until the end of the
/// transaction.
fn operation(
    connection: &mut Connection,
    id: &SessionId,
) -> Result<Option<OperationId>, PostgresError> {
    let select = "SELECT operation FROM prowess.session WHERE id = $1 FOR UPDATE";
    let row = connection.first(select, &[&id.as_str()])?;
    Ok(row.map(|row| OperationId(row.get::<_, i64>(0).cast_unsigned())))
}

/// Stores the new texts of a session. Returns a content that is neither stored nor new.
fn store_contents(
    connection: &mut Connection,
    session: &StoredSession,
    new: &[StoredContent],
) -> Result<Option<ContentKey>, PostgresError> {
    let wanted: BTreeSet<_> = session.contents.iter().copied().collect();
    // In one order, so that two hosts do not wait for each other.
    let new: BTreeMap<_, _> = new.iter().map(|content| (content.key(), content.text())).collect();
    let new = new.into_iter().filter(|(key, _)| wanted.contains(key));
    let (new, texts): (Vec<_>, Vec<_>) =
        new.map(|(key, text)| (key.as_bytes().to_vec(), text.as_bytes().to_vec())).unzip();
    if !new.is_empty() {
        let insert = "INSERT INTO prowess.content (key, text) \
                      SELECT * FROM unnest($1::bytea[], $2::bytea[]) ON CONFLICT DO NOTHING";
        connection.execute(insert, &[&new, &texts])?;
    }
    let select = "SELECT key FROM prowess.content WHERE key = ANY ($1)";
    let rows = connection.query(select, &[&keys(&session.contents)])?;
    let stored: BTreeSet<_> = rows.iter().filter_map(|row| key(row.get(0))).collect();
    Ok(wanted.difference(&stored).next().copied())
}

/// Returns the texts of these contents, in their order.
fn texts(
    connection: &mut Connection,
    wanted: &[ContentKey],
) -> Result<Vec<Option<Arc<str>>>, PostgresError> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let select = "SELECT key, text FROM prowess.content WHERE key = ANY ($1)";
    let rows = connection.query(select, &[&keys(wanted)])?;
    let stored = rows.iter().filter_map(|row| {
        let text = std::str::from_utf8(row.get(1)).ok()?;
        Some((key(row.get(0))?, Arc::<str>::from(text)))
    });
    let stored: BTreeMap<_, _> = stored.collect();
    Ok(wanted.iter().map(|key| stored.get(key).cloned()).collect())
}

/// Returns deleted sessions with their texts. One that cannot be read is left out.
fn removed(
    connection: &mut Connection,
    rows: &[Row],
) -> Result<Vec<RemovedSession>, PostgresError> {
    let sessions: Vec<_> = rows.iter().filter_map(session).collect();
    let keys: Vec<_> = sessions.iter().flat_map(|it| it.contents.iter().copied()).collect();
    let mut texts = texts(connection, &keys)?.into_iter();
    let removed = sessions.into_iter().map(|session| {
        let texts = texts.by_ref().take(session.contents.len()).collect();
        RemovedSession { session, texts }
    });
    Ok(removed.collect())
}

fn session(row: &Row) -> Option<StoredSession> {
    let contents = row.get::<_, &[u8]>(3).chunks(ContentKey::LENGTH).map(key);
    Some(StoredSession {
        id: SessionId::new(row.get::<_, &str>(0)).ok()?,
        version: row.get::<_, i64>(1).cast_unsigned(),
        operation: OperationId(row.get::<_, i64>(2).cast_unsigned()),
        contents: contents.collect::<Option<_>>()?,
        details: row.get::<_, &[u8]>(4).into(),
        touched: timestamp(row.get(5)),
        expires: row.get::<_, Option<i64>>(6).map(timestamp),
    })
}

fn summary(row: &Row) -> Option<SessionSummary> {
    Some(SessionSummary {
        id: SessionId::new(row.get::<_, &str>(0)).ok()?,
        version: row.get::<_, i64>(1).cast_unsigned(),
        touched: timestamp(row.get(2)),
        expires: row.get::<_, Option<i64>>(3).map(timestamp),
    })
}

fn key(bytes: &[u8]) -> Option<ContentKey> {
    bytes.try_into().ok().map(ContentKey::from_bytes)
}

fn keys(contents: &[ContentKey]) -> Vec<&[u8]> {
    contents.iter().map(|key| &key.as_bytes()[..]).collect()
}

fn joined(contents: &[ContentKey]) -> Vec<u8> {
    contents.iter().flat_map(ContentKey::as_bytes).copied().collect()
}

/// Returns a time as PostgreSQL stores numbers. The largest one is 292 million years away.
pub(crate) fn integer(at: Timestamp) -> i64 {
    i64::try_from(at.0).unwrap_or(i64::MAX)
}

fn timestamp(number: i64) -> Timestamp {
    Timestamp(u64::try_from(number).unwrap_or_default())
}
