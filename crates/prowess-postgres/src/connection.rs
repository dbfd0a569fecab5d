//! One connection: prepared statements and transactions that end in time.

use std::collections::HashMap;
use std::future::Future;
use std::time::Instant;

use tokio::task::JoinHandle;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row, Statement};

use crate::PostgresError;
use crate::driver::wait;

/// The values of a statement's parameters.
pub(crate) type Values<'v> = &'v [&'v (dyn ToSql + Sync)];

/// The end of a transaction, and its result.
pub(crate) enum Ending<T> {
    Commit(T),
    Rollback(T),
}

/// A connection, which one thread uses at a time.
pub(crate) struct Connection {
    client: Client,
    task: JoinHandle<()>,
    statements: HashMap<&'static str, Statement>,
    /// The time at which the current operation fails.
    pub(crate) deadline: Instant,
    reuse: Reuse,
}

/// Whether the next operation can use a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reuse {
    Ready,
    Closed,
    /// An answer is missing.
    Silent,
}

/// The limits of the server, which end before those of the client, so that usually it says why. A
/// host that is killed within a transaction holds its locks no longer than that.
const LIMITS: &str = "SET statement_timeout = '4s'; SET lock_timeout = '3s'; \
     SET idle_in_transaction_session_timeout = '5s'; \
     SET default_transaction_isolation = 'read committed'";

impl Connection {
    /// Takes over a connection that runs as a task.
    pub(crate) fn new(
        client: Client,
        task: JoinHandle<()>,
        deadline: Instant,
    ) -> Result<Self, PostgresError> {
        let statements = HashMap::new();
        let mut this = Self { client, task, statements, deadline, reuse: Reuse::Ready };
        this.batch(LIMITS)?;
        Ok(this)
    }

    /// Returns whether the next operation can use it.
    pub(crate) fn is_usable(&self) -> bool {
        self.reuse == Reuse::Ready && !self.client.is_closed()
    }

    /// Returns whether the server did not answer in time.
    pub(crate) fn is_silent(&self) -> bool {
        self.reuse == Reuse::Silent
    }

    /// Runs statements without parameters.
    pub(crate) fn batch(&mut self, statements: &str) -> Result<(), PostgresError> {
        let sent = self.client.batch_execute(statements);
        answered(sent, self.deadline, &mut self.reuse)
    }

    /// Runs a statement and returns its rows.
    pub(crate) fn query(
        &mut self,
        statement: &'static str,
        values: Values<'_>,
    ) -> Result<Vec<Row>, PostgresError> {
        let statement = self.prepared(statement)?;
        let sent = self.client.query(&statement, values);
        answered(sent, self.deadline, &mut self.reuse)
    }

    /// As [`Self::query`], for a statement that returns at most one row.
    pub(crate) fn first(
        &mut self,
        statement: &'static str,
        values: Values<'_>,
    ) -> Result<Option<Row>, PostgresError> {
        Ok(self.query(statement, values)?.into_iter().next())
    }

    /// Runs a statement and returns the number of rows that it has changed.
    pub(crate) fn execute(
        &mut self,
        statement: &'static str,
        values: Values<'_>,
    ) -> Result<u64, PostgresError> {
        let statement = self.prepared(statement)?;
        let sent = self.client.execute(&statement, values);
        answered(sent, self.deadline, &mut self.reuse)
    }

    fn prepared(&mut self, text: &'static str) -> Result<Statement, PostgresError> {
        if let Some(statement) = self.statements.get(text) {
            return Ok(statement.clone());
        }
        let sent = self.client.prepare(text);
        let statement = answered(sent, self.deadline, &mut self.reuse)?;
        self.statements.insert(text, statement.clone());
        Ok(statement)
    }

    /// Runs `work` in a transaction. After an error, nothing of it is stored, unless the error is
    /// that of its end.
    pub(crate) fn transaction<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<Ending<T>, PostgresError>,
    ) -> Result<T, PostgresError> {
        self.batch("BEGIN")?;
        match work(self) {
            Ok(Ending::Commit(value)) => self.batch("COMMIT").map(|()| value),
            Ok(Ending::Rollback(value)) => self.batch("ROLLBACK").map(|()| value),
            Err(error) => {
                // A connection that cannot roll back is closed, which rolls back.
                if self.batch("ROLLBACK").is_err() {
                    self.reuse = Reuse::Silent;
                }
                Err(error)
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Without it, the last message would wait for a server that reads nothing.
        self.task.abort();
    }
}

fn answered<T>(
    sent: impl Future<Output = Result<T, Error>>,
    deadline: Instant,
    reuse: &mut Reuse,
) -> Result<T, PostgresError> {
    let Some(answer) = wait(sent, deadline) else {
        *reuse = Reuse::Silent;
        return Err(PostgresError::unavailable("it does not answer in time"));
    };
    answer.map_err(|error| {
        // It may be one to a server that became a standby: the next one asks for the primary.
        if error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION) {
            *reuse = Reuse::Closed;
        }
        PostgresError::of(&error)
    })
}
