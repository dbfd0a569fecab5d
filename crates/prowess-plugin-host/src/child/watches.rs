//! The watches of a plugin's sources. They continue after a restart of the process.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use prowess_core::{Cancel, ChangeListener, SourceChange, SourceError};

use super::connection::Connection;
use super::error::{invalid_answer, unavailable};
use super::protocol::{Answer, Call};
use super::supervisor::{CallHandlers, Supervisor};
use crate::guard::lock;

/// The watches of one plugin.
pub(super) struct Watches {
    supervisor: Arc<Supervisor>,
    next: AtomicU64,
    active: Mutex<BTreeMap<u64, ActiveWatch>>,
}

/// A watch: its source, its process and its number there.
struct ActiveWatch {
    source: usize,
    listener: ChangeListener,
    connection: Arc<Connection>,
    number: u64,
}

impl Watches {
    pub(super) fn new(supervisor: Arc<Supervisor>) -> Self {
        Self { supervisor, next: AtomicU64::default(), active: Mutex::default() }
    }

    /// Starts a watch and returns the token that ends it, or `None` if the source has no changes.
    pub(super) fn watch(
        &self,
        source: usize,
        listener: ChangeListener,
    ) -> Result<Option<u64>, SourceError> {
        // Locked, so that no other process replaces this one before the watch is stored.
        let mut active = lock(&self.active);
        let connection = self.supervisor.connection().map_err(|error| unavailable(&error))?;
        let Some(number) = self.start(&connection, source, &listener)? else {
            return Ok(None);
        };
        let token = self.next.fetch_add(1, Ordering::Relaxed);
        active.insert(token, ActiveWatch { source, listener, connection, number });
        Ok(Some(token))
    }

    /// Ends a watch. After this returns, the listener is not called.
    pub(super) fn unwatch(&self, token: u64) {
        if let Some(watched) = lock(&self.active).remove(&token) {
            watched.end();
        }
    }

    /// Moves every watch to this process.
    pub(super) fn move_to(&self, connection: &Arc<Connection>) {
        for watched in lock(&self.active).values_mut() {
            watched.connection.listeners.remove(watched.number);
            let started = self.start(connection, watched.source, &watched.listener);
            let change = match started {
                Ok(Some(number)) => {
                    watched.connection = Arc::clone(connection);
                    watched.number = number;
                    SourceChange::Everything
                }
                Ok(None) => SourceChange::WatchLost(invalid_answer()),
                Err(error) => SourceChange::WatchLost(error),
            };
            (watched.listener)(change);
        }
    }

    fn start(
        &self,
        connection: &Connection,
        source: usize,
        listener: &ChangeListener,
    ) -> Result<Option<u64>, SourceError> {
        let number = connection.next_number();
        connection.listeners.insert(number, Arc::clone(listener));
        let answer = self.call(connection, Call::Watch { source, watch: number });
        if !matches!(answer, Ok(Answer::Watching(true))) {
            connection.listeners.remove(number);
        }
        match answer? {
            Answer::Watching(is_watching) => Ok(is_watching.then_some(number)),
            _ => Err(invalid_answer()),
        }
    }

    fn call(&self, connection: &Connection, call: Call) -> Result<Answer, SourceError> {
        let part = &mut |_, _| Err(invalid_answer());
        let mut caller = CallHandlers { cancel: &Cancel::default(), part, answers: None };
        let answer = self.supervisor.call_on(connection, call, &mut caller);
        Ok(answer.map_err(|(error, _)| SourceError::from(error))?.0)
    }
}

impl ActiveWatch {
    fn end(&self) {
        self.connection.listeners.remove(self.number);
        // The listener has been removed, so the answer does not matter.
        if let Ok(sent) = self.connection.send_call(Call::Unwatch { watch: self.number }) {
            self.connection.remove_call(sent.id);
        }
    }
}
