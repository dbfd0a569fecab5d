//! The audit in the database: a chain of entries for each host.

use std::cell::Cell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess_audit::{AuditEntry, Head, Problem, Redactor, next_line, seal_line};
use prowess_core::{AuditError, AuditEvent, AuditSink, CallIntent, RuntimeEvent};
use serde_json::Value;
use tokio_postgres::Row;
use tracing::warn;

use crate::connection::{Connection, Ending};
use crate::{Database, PostgresError};

/// The number of entries that wait for a database that is unavailable. Further ones are lost.
const MOST_WAITING: usize = 1024;

/// The number of lines that are read at once.
const PAGE: i64 = 1000;

/// Moves the head of a chain and stores the lines before it, or neither.
const APPEND: &str = "WITH moved AS (UPDATE prowess.audit_head SET seq = $3, hash = $4 \
         WHERE host = $1 AND seq = $2 RETURNING host) \
     INSERT INTO prowess.audit_line (host, seq, hash, line) \
     SELECT host, lines.* FROM moved, unnest($5::bigint[], $6::text[], $7::text[]) AS lines";

const FIRST: &str = "INSERT INTO prowess.audit_head (host, seq, hash) VALUES ($1, 0, $2) \
     ON CONFLICT DO NOTHING";

/// The audit of one host. Its entries form a chain, as those of a file do, of which the database
/// has the last one; [`Database::verify_audit`] checks the chains of all hosts.
///
/// An entry is stored when the call that records it returns; threads that wait at the same time
/// share one statement. While the database is unavailable, intents and decisions fail, and up to
/// 1,024 other entries wait for the next one that is stored.
pub struct PostgresAudit {
    database: Arc<Database>,
    host: String,
    redactor: Redactor,
    waiting: Mutex<Waiting>,
    chain: Mutex<Chain>,
}

/// An entry with its place in the order of this program.
type Numbered = (u64, Value);

/// The place of an entry in the order of this program, and in the chain.
type Last = (u64, Head);

#[derive(Default)]
struct Waiting {
    entries: Vec<Numbered>,
    last: u64,
    lost: u64,
}

#[derive(Default)]
struct Chain {
    /// The last entry, unless another program or a lost answer makes it uncertain.
    head: Option<Head>,
    /// The last entry of each statement without an answer, which may be stored nevertheless.
    unanswered: Vec<Last>,
    /// The entries up to this one are stored.
    stored: u64,
}

impl PostgresAudit {
    /// Creates the audit of a host with a name that no other host has.
    pub fn new(database: Arc<Database>, host: impl Into<String>, redactor: Redactor) -> Self {
        let (waiting, chain) = (Mutex::default(), Mutex::default());
        Self { database, host: host.into(), redactor, waiting, chain }
    }

    /// Returns the number of entries that were lost.
    pub fn lost(&self) -> u64 {
        lock(&self.waiting).lost
    }

    fn record_entry(&self, entry: &AuditEntry) {
        if let Err(error) = self.append(entry, false) {
            warn!(target: "prowess", %error, "audit_failed");
        }
    }

    fn store_entry(&self, entry: &AuditEntry) -> Result<(), AuditError> {
        self.append(entry, true).map_err(|error| AuditError(error.to_string()))
    }

    /// Stores an entry behind those that wait. A required one that is not stored does not wait: its
    /// caller gets the error, and does nothing that it would record.
    fn append(&self, entry: &AuditEntry, is_required: bool) -> Result<(), PostgresError> {
        let own = self.wait_for(entry)?;
        let mut chain = lock(&self.chain);
        if chain.stored >= own {
            // A thread that was faster has stored it.
            return Ok(());
        }
        let entries = lock(&self.waiting).entries.clone();
        let result = self.store_all(&mut chain, &entries);
        let stored = chain.stored;
        let is_left = |&(at, _): &Numbered| at > stored && !(is_required && at == own);
        lock(&self.waiting).entries.retain(is_left);
        result
    }

    /// Adds an entry to those that wait, and returns its number.
    fn wait_for(&self, entry: &AuditEntry) -> Result<u64, PostgresError> {
        let entry = entry.to_json(&self.redactor);
        let mut waiting = lock(&self.waiting);
        if waiting.entries.len() >= MOST_WAITING {
            waiting.lost += 1;
            return Err(PostgresError::unavailable("too many entries wait for it"));
        }
        waiting.last += 1;
        let own = waiting.last;
        waiting.entries.push((own, entry));
        Ok(own)
    }

    /// Continues the chain with the entries that are not stored yet.
    fn store_all(&self, chain: &mut Chain, entries: &[Numbered]) -> Result<(), PostgresError> {
        let attempt = Cell::new(None);
        let head = chain.head.take();
        let stored = self.store_behind(head, chain.stored, entries, &attempt).and_then(|stored| {
            // Another program may have continued the chain, or an earlier statement of this one.
            stored.map_or_else(|| self.store_locked(chain, entries, &attempt), Ok)
        });
        match stored {
            Ok((stored, head)) => *chain = Chain { head: Some(head), stored, ..Chain::default() },
            Err(error) => {
                chain.unanswered.extend(attempt.take());
                return Err(error);
            }
        }
        Ok(())
    }

    /// Stores entries behind a known head by one statement; `None` if the head is another one.
    fn store_behind(
        &self,
        head: Option<Head>,
        stored: u64,
        entries: &[Numbered],
        attempt: &Cell<Option<Last>>,
    ) -> Result<Option<Last>, PostgresError> {
        let Some(head) = head else { return Ok(None) };
        let Some(sealed) = Sealed::of(head, stored, entries) else {
            return Ok(Some((stored, head)));
        };
        attempt.set(Some(sealed.last));
        let is_stored = self.database.run(|it| sealed.store(it, &self.host, head))?;
        Ok(is_stored.then_some(sealed.last))
    }

    /// Stores entries behind the head that the database has, which no other program moves
    /// meanwhile. Own entries that are stored although there was no answer are recognized.
    fn store_locked(
        &self,
        chain: &Chain,
        entries: &[Numbered],
        attempt: &Cell<Option<Last>>,
    ) -> Result<Last, PostgresError> {
        let seqs: Vec<_> = chain.unanswered.iter().map(|(_, head)| number(head.seq)).collect();
        self.database.transaction(|connection| {
            connection.execute(FIRST, &[&self.host, &Head::empty().hash.to_string()])?;
            let select = "SELECT seq, hash FROM prowess.audit_head WHERE host = $1 FOR UPDATE";
            let head = connection.first(select, &[&self.host])?.as_ref().and_then(read);
            let damaged = || PostgresError::Refused("the head of the audit is damaged".to_owned());
            let head = head.ok_or_else(damaged)?;
            let select =
                "SELECT seq, hash FROM prowess.audit_line WHERE host = $1 AND seq = ANY ($2)";
            let lines = connection.query(select, &[&self.host, &seqs])?;
            let lines: Vec<_> = lines.iter().filter_map(read).collect();
            let found = chain.unanswered.iter().filter(|(_, head)| lines.contains(head));
            let stored = found.map(|(last, _)| *last).fold(chain.stored, u64::max);
            let Some(sealed) = Sealed::of(head, stored, entries) else {
                return Ok(Ending::Commit((stored, head)));
            };
            attempt.set(Some(sealed.last));
            sealed.store(connection, &self.host, head)?;
            Ok(Ending::Commit(sealed.last))
        })
    }
}

impl AuditSink for PostgresAudit {
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
}

/// Lines behind a head, by column.
struct Sealed {
    last: Last,
    seqs: Vec<i64>,
    hashes: Vec<String>,
    lines: Vec<String>,
}

impl Sealed {
    /// Seals the entries that are not stored; `None` if all are.
    fn of(head: Head, stored: u64, entries: &[Numbered]) -> Option<Self> {
        let (seqs, hashes, lines) = (Vec::new(), Vec::new(), Vec::new());
        let mut sealed = Self { last: (stored, head), seqs, hashes, lines };
        for (at, entry) in entries.iter().filter(|(at, _)| *at > stored) {
            let (line, head) = seal_line(sealed.last.1, entry);
            sealed.last = (*at, head);
            sealed.seqs.push(number(head.seq));
            sealed.hashes.push(head.hash.to_string());
            sealed.lines.push(line);
        }
        (!sealed.lines.is_empty()).then_some(sealed)
    }

    /// Stores the lines behind a head; returns `false` if it is not the last one.
    fn store(
        &self,
        connection: &mut Connection,
        host: &str,
        before: Head,
    ) -> Result<bool, PostgresError> {
        let Self { last: (_, head), seqs, hashes, lines } = self;
        let (before, seq, hash) = (number(before.seq), number(head.seq), head.hash.to_string());
        let stored =
            connection.execute(APPEND, &[&host, &before, &seq, &hash, seqs, hashes, lines])?;
        Ok(stored > 0)
    }
}

/// The checked chain of one host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostLog {
    /// The name of the host.
    pub host: String,
    /// Its last entry, whose number is the number of entries.
    pub head: Head,
}

/// The reason why the audit of a host proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditProblem {
    /// The database cannot be used.
    #[error(transparent)]
    Database(#[from] PostgresError),
    /// An entry breaks the chain.
    #[error("entry {seq} of host `{host}` {problem}")]
    Broken {
        /// The name of the host.
        host: String,
        /// The number of the entry.
        seq: u64,
        /// The difference from the original one.
        problem: Problem,
    },
    /// The chain ends before the last entry of the host, or with another one.
    #[error("the chain of host `{0}` does not end with its last entry")]
    Cut(String),
}

impl Database {
    /// Checks the chain of each host up to its last entry, and returns them by name.
    ///
    /// # Errors
    ///
    /// The first problem.
    pub fn verify_audit(&self) -> Result<Vec<HostLog>, AuditProblem> {
        let select = "SELECT seq, hash, host FROM prowess.audit_head ORDER BY host";
        let hosts = self.run(|connection| connection.query(select, &[]))?;
        hosts.iter().map(|row| self.verified(row.get(2), read(row))).collect()
    }

    fn verified(&self, host: String, last: Option<Head>) -> Result<HostLog, AuditProblem> {
        let select = "SELECT line FROM prowess.audit_line \
                      WHERE host = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4";
        let Some(last) = last else { return Err(AuditProblem::Cut(host)) };
        let mut head = Head::empty();
        loop {
            let range = (number(head.seq), number(last.seq));
            let lines = self.run(|it| it.query(select, &[&host, &range.0, &range.1, &PAGE]))?;
            if lines.is_empty() {
                break;
            }
            for line in &lines {
                head = next_line(&head, line.get::<_, &str>(0).as_bytes()).map_err(|problem| {
                    AuditProblem::Broken { host: host.clone(), seq: head.seq + 1, problem }
                })?;
            }
        }
        if head == last { Ok(HostLog { host, head }) } else { Err(AuditProblem::Cut(host)) }
    }
}

/// Reads the number and the hash of an entry.
fn read(row: &Row) -> Option<Head> {
    let hash = row.get::<_, &str>(1).parse().ok()?;
    Some(Head { seq: row.get::<_, i64>(0).cast_unsigned(), hash })
}

/// Returns a number as PostgreSQL stores them: it counts entries.
fn number(seq: u64) -> i64 {
    seq.cast_signed()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
