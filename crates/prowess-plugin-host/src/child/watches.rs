//! The watches of a plugin's sources, which outlive the process that keeps them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use prowess_core::{Cancel, ChangeListener, SourceChange, SourceError};

use super::broken::{nonsense, unavailable};
use super::connection::Connection;
use super::locked;
use super::protocol::{Answer, Call};
use super::supervisor::{Caller, Supervisor};

/// The watches of one plugin.
pub(super) struct Watches {
    supervisor: Arc<Supervisor>,
    next: AtomicU64,
    kept: Mutex<BTreeMap<u64, Watched>>,
}

/// A watch: its source, and its number in which process.
struct Watched {
    source: usize,
    listener: ChangeListener,
    connection: Arc<Connection>,
    number: u64,
}

impl Watches {
    pub(super) fn new(supervisor: Arc<Supervisor>) -> Self {
        Self { supervisor, next: AtomicU64::default(), kept: Mutex::default() }
    }

    /// Starts a watch and returns the number that ends it, or `None` if there is nothing to watch.
    pub(super) fn watch(
        &self,
        source: usize,
        listener: ChangeListener,
    ) -> Result<Option<u64>, SourceError> {
        // Held, so that no other process replaces this one before the watch is noted.
        let mut kept = locked(&self.kept);
        let connection = self.supervisor.connection().map_err(|error| unavailable(&error))?;
        let Some(number) = self.start(&connection, source, &listener)? else {
            return Ok(None);
        };
        let token = self.next.fetch_add(1, Ordering::Relaxed);
        kept.insert(token, Watched { source, listener, connection, number });
        Ok(Some(token))
    }

    /// Ends a watch. Once this has returned, the listener is not called any more.
    pub(super) fn unwatch(&self, token: u64) {
        if let Some(watched) = locked(&self.kept).remove(&token) {
            watched.end();
        }
    }

    /// Moves every watch to this process.
    pub(super) fn watch_again(&self, connection: &Arc<Connection>) {
        for watched in locked(&self.kept).values_mut() {
            watched.connection.listeners.remove(watched.number);
            let started = self.start(connection, watched.source, &watched.listener);
            let change = match started {
                Ok(Some(number)) => {
                    watched.connection = Arc::clone(connection);
                    watched.number = number;
                    SourceChange::Everything
                }
                Ok(None) => SourceChange::WatchLost(nonsense()),
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
        let number = connection.number();
        connection.listeners.insert(number, Arc::clone(listener));
        let answer = self.call(connection, Call::Watch { source, watch: number });
        if !matches!(answer, Ok(Answer::Watching(true))) {
            connection.listeners.remove(number);
        }
        match answer? {
            Answer::Watching(is_watching) => Ok(is_watching.then_some(number)),
            _ => Err(nonsense()),
        }
    }

    fn call(&self, connection: &Connection, call: Call) -> Result<Answer, SourceError> {
        let part = &mut |_, _| Err(nonsense());
        let mut caller = Caller { cancel: &Cancel::default(), part, answers: None };
        let answer = self.supervisor.call_on(connection, call, &mut caller);
        Ok(answer.map_err(|(broken, _)| SourceError::from(broken))?.0)
    }
}

impl Watched {
    fn end(&self) {
        self.connection.listeners.remove(self.number);
        // The listener is gone, so nothing depends on the answer.
        if let Ok(sent) = self.connection.send_call(Call::Unwatch { watch: self.number }) {
            self.connection.forget(sent.id);
        }
    }
}
