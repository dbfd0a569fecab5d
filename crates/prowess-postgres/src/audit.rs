//! The audit in the database: a chain of entries for each host.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::slice;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess_audit::{AuditEntry, Head, Problem, Redactor, next_line, seal_line};
use prowess_core::{AuditError, AuditEvent, AuditSink, CallIntent, RuntimeEvent};
use serde_json::{Value, json};
use tokio_postgres::Row;
use tracing::warn;

use crate::connection::{Connection, Ending};
use crate::{Database, PostgresError};

/// The number of entries that wait for a database that is unavailable. Further ones are lost.
const MOST_WAITING: usize = 1024;

/// The number of lines that are read at once.
const PAGE: i64 = 1000;

/// Moves the head of a chain and stores the lines before it, or neither.
const APPEND: &str = include_str!("audit/append.sql");

const FIRST: &str = "INSERT INTO prowess.audit_head (host, seq, hash) VALUES ($1, 0, $2) \
     ON CONFLICT DO NOTHING";

/// The audit of one host. Its entries form a chain, as those of a file do, of which the database
/// has the last one; [`Database::verify_audit`] checks the chains of all hosts.
///
/// An entry is stored when the call that records it returns; threads that wait at the same time
/// share one statement. While the database is unavailable, intents and decisions fail, and up to
/// 1,024 other entries wait for the next one that is stored, or for [`Self::finish`]. In the place
/// of an entry that the database refuses, and of those that are too many to wait, is their number.
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
    /// The lost ones whose number is not among the entries yet.
    unnoted: u64,
}

#[derive(Default)]
struct Chain {
    /// The last entry, unless another program or a lost answer makes it uncertain.
    head: Option<Head>,
    /// The last entry of each statement without an answer, which may be stored nevertheless.
    unanswered: Vec<Last>,
    /// The entries up to this one are stored.
    stored: u64,
    /// The errors of those that were refused alone, for the calls that record them.
    refused: BTreeMap<u64, PostgresError>,
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

    /// Stores the entries that still wait, and returns the number of those that are lost. A server
    /// calls it at its end.
    pub fn finish(&self) -> u64 {
        let mut chain = lock(&self.chain);
        let stored = self.store_waiting(&mut chain, None);
        let Waiting { entries, lost, .. } = &*lock(&self.waiting);
        let lost = *lost + entries.len() as u64;
        if lost > 0 {
            let error = stored.err().map(|error| error.to_string()).unwrap_or_default();
            warn!(target: "prowess", lost, error, "audit_failed");
        }
        lost
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
        let entry = entry.to_json(&self.redactor);
        let own = self.wait_for(&entry).or_else(|| {
            // If the database is back, those that wait make room.
            let _ = self.store_waiting(&mut lock(&self.chain), None);
            self.wait_for(&entry)
        });
        let Some(own) = own else {
            let lost = u64::from(!is_required);
            let mut waiting = lock(&self.waiting);
            (waiting.lost, waiting.unnoted) = (waiting.lost + lost, waiting.unnoted + lost);
            return Err(PostgresError::unavailable("too many entries wait for it"));
        };
        let mut chain = lock(&self.chain);
        // A thread that was faster may have stored it.
        if chain.stored < own {
            let stored = self.store_waiting(&mut chain, is_required.then_some(own));
            if chain.stored < own {
                return stored;
            }
        }
        chain.refused.remove(&own).map_or(Ok(()), Err)
    }

    /// Stores the entries that wait. If that fails, `own` does not wait any longer.
    fn store_waiting(&self, chain: &mut Chain, own: Option<u64>) -> Result<(), PostgresError> {
        let entries = lock(&self.waiting).entries.clone();
        if entries.is_empty() {
            return Ok(());
        }
        let result = match self.store_all(chain, &entries) {
            Err(PostgresError::Refused(_)) => self.store_each(chain, &entries),
            result => result,
        };
        let stored = chain.stored;
        lock(&self.waiting).entries.retain(|(at, _)| *at > stored && Some(*at) != own);
        result
    }

    /// Stores each entry alone, and a note in the place of one that the database refuses.
    fn store_each(&self, chain: &mut Chain, entries: &[Numbered]) -> Result<(), PostgresError> {
        for entry in entries {
            let refused = match self.store_all(chain, slice::from_ref(entry)) {
                Err(error @ PostgresError::Refused(_)) => error,
                stored => {
                    stored?;
                    continue;
                }
            };
            // If it refuses the note too, it is not because of the entry, which goes on waiting.
            self.store_all(chain, &[(entry.0, lost(1, &entry.1))])?;
            lock(&self.waiting).lost += 1;
            chain.refused.insert(entry.0, refused);
            if chain.refused.len() > MOST_WAITING {
                // The call that has recorded it returned long ago.
                chain.refused.pop_first();
            }
        }
        Ok(())
    }

    /// Adds an entry to those that wait, and returns its number; `None` if they are too many.
    fn wait_for(&self, entry: &Value) -> Option<u64> {
        let mut waiting = lock(&self.waiting);
        if waiting.entries.len() >= MOST_WAITING {
            return None;
        }
        let unnoted = std::mem::take(&mut waiting.unnoted);
        let note = (unnoted > 0).then(|| lost(unnoted, entry));
        for entry in note.into_iter().chain([entry.clone()]) {
            waiting.last += 1;
            let own = waiting.last;
            waiting.entries.push((own, entry));
        }
        Some(waiting.last)
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
            Ok((stored, head)) => {
                (chain.head, chain.stored) = (Some(head), stored);
                chain.unanswered.clear();
            }
            Err(error) => {
                let is_answered = !matches!(error, PostgresError::Unavailable { .. });
                chain.unanswered.extend(attempt.take().filter(|_| !is_answered));
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

    /// Returns the name of the host, behind the scheme of the database.
    fn location(&self) -> Option<String> {
        Some(format!("{SCHEME}{}", self.host))
    }
}

/// The start of the location of a host's chain.
const SCHEME: &str = "postgres:";

/// Returns the host whose chain is at a location that [`PostgresAudit`] has returned.
pub fn host_of_log(location: &str) -> Option<&str> {
    location.strip_prefix(SCHEME)
}

/// Returns the note of entries that were lost until this one, as the log in a file has it.
fn lost(count: u64, until: &Value) -> Value {
    json!({ "event": "entries_lost", "timestamp": until["timestamp"], "count": count })
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
    /// The chain does not have the last entry of the host.
    #[error("the chain of host `{0}` does not end with its last entry")]
    Cut(String),
    /// The chain has entries behind the last entry of the host.
    #[error("the chain of host `{0}` goes on behind its last entry")]
    Added(String),
    /// The chain of a host has no longer the entry that was its last one before.
    #[error("the chain of host `{}` has no longer the entry {}", .0.host, .0.head)]
    HeadMissing(HostLog),
}

impl Database {
    /// Checks the chain of each host, and returns them by name. `kept` are those that an earlier
    /// check returned: without them, nothing shows that a chain was rewritten or removed as a
    /// whole, or its end cut off together with the record of it.
    ///
    /// # Errors
    ///
    /// The first problem.
    pub fn verify_audit(&self, kept: &[HostLog]) -> Result<Vec<HostLog>, AuditProblem> {
        let verified = self.audit_hosts()?.into_iter().map(|host| self.verified(host, kept));
        let verified = verified.collect::<Result<Vec<_>, _>>()?;
        let is_removed = |kept: &&HostLog| verified.iter().all(|found| found.host != kept.host);
        match kept.iter().find(is_removed) {
            Some(removed) => Err(AuditProblem::HeadMissing(removed.clone())),
            None => Ok(verified),
        }
    }

    /// Returns the names of the hosts with a chain.
    ///
    /// # Errors
    ///
    /// The database cannot be used.
    pub fn audit_hosts(&self) -> Result<Vec<String>, PostgresError> {
        let select = "SELECT host FROM prowess.audit_head ORDER BY host";
        let hosts = self.run(|connection| connection.query(select, &[]))?;
        Ok(hosts.iter().map(|row| row.get(0)).collect())
    }

    /// Returns the lines of a host's chain behind the one with this number: so many that they fit
    /// into memory, and none at the end.
    ///
    /// # Errors
    ///
    /// The database cannot be used.
    pub fn audit_lines(&self, host: &str, after: u64) -> Result<Vec<(u64, String)>, PostgresError> {
        let line = |row: &Row| (row.get::<_, i64>(0).cast_unsigned(), row.get(2));
        Ok(self.audit_rows(host, after)?.iter().map(line).collect())
    }

    fn audit_rows(&self, host: &str, after: u64) -> Result<Vec<Row>, PostgresError> {
        let select = "SELECT seq, hash, line FROM prowess.audit_line \
                      WHERE host = $1 AND seq > $2 ORDER BY seq LIMIT $3";
        self.run(|it| it.query(select, &[&host, &number(after), &PAGE]))
    }

    fn last_of(&self, host: &str) -> Result<Option<Head>, PostgresError> {
        let select = "SELECT seq, hash FROM prowess.audit_head WHERE host = $1";
        Ok(self.run(|it| it.first(select, &[&host]))?.as_ref().and_then(read))
    }

    fn verified(&self, host: String, kept: &[HostLog]) -> Result<HostLog, AuditProblem> {
        let Some(last) = self.last_of(&host)? else { return Err(AuditProblem::Cut(host)) };
        let mut missing: Vec<_> = kept.iter().filter(|kept| kept.host == host).collect();
        let (mut head, mut has_last) = (Head::empty(), false);
        let mut see = |head| {
            has_last |= head == last;
            missing.retain(|kept| kept.head != head);
        };
        see(head);
        loop {
            let rows = self.audit_rows(&host, head.seq)?;
            if rows.is_empty() {
                break;
            }
            for row in &rows {
                let next = next_line(&head, row.get::<_, &str>(2).as_bytes());
                // The columns say the same as the line.
                let next = next.and_then(|next| match read(row) {
                    Some(columns) if columns == next => Ok(next),
                    _ => Err(Problem::Changed),
                });
                let seq = head.seq + 1;
                head = next.map_err(|problem| {
                    let host = host.clone();
                    AuditProblem::Broken { host, seq, problem }
                })?;
                see(head);
            }
        }
        if !has_last {
            return Err(AuditProblem::Cut(host));
        }
        // A host that is running may have added entries, whose last one is recorded with them.
        if self.last_of(&host)?.is_none_or(|last| last.seq < head.seq) {
            return Err(AuditProblem::Added(host));
        }
        match missing.first() {
            Some(&kept) => Err(AuditProblem::HeadMissing(kept.clone())),
            None => Ok(HostLog { host, head }),
        }
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
