//! The watches of a plugin's sources, which outlive the process that keeps them up.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use prowess_core::{Cancel, ChangeListener, SourceChange, SourceError};

use super::broken::{nonsense, unavailable};
use super::connection::Connection;
use super::locked;
use super::protocol::{Answer, Call};
use super::supervisor::Supervisor;

#[derive(Default)]
pub(super) struct Watches {
    next: AtomicU64,
    kept: Mutex<BTreeMap<u64, Watched>>,
}

/// A watch that somebody keeps: of which source, and its number in which process.
struct Watched {
    source: usize,
    listener: ChangeListener,
    connection: Arc<Connection>,
    number: u64,
}

impl Supervisor {
    /// Begins a watch; the answer is what to end it with, or `None` if there is nothing to watch.
    pub(super) fn watch(
        &self,
        source: usize,
        listener: ChangeListener,
    ) -> Result<Option<u64>, SourceError> {
        // Held, so that no other process takes the place of this one before the watch is noted.
        let mut kept = locked(&self.watches().kept);
        let connection = self.connection().map_err(|error| unavailable(&error))?;
        let Some(number) = self.begin_watch(&connection, source, &listener)? else {
            return Ok(None);
        };
        let token = self.watches().next.fetch_add(1, Ordering::Relaxed);
        kept.insert(token, Watched { source, listener, connection, number });
        Ok(Some(token))
    }

    /// Once this has returned, the listener is not called any more.
    pub(super) fn unwatch(&self, token: u64) {
        if let Some(watched) = locked(&self.watches().kept).remove(&token) {
            watched.end();
        }
    }

    /// Every watch goes over to this process.
    pub(super) fn watch_again(&self, connection: &Arc<Connection>) {
        for watched in locked(&self.watches().kept).values_mut() {
            watched.connection.stop_listening(watched.number);
            let begun = self.begin_watch(connection, watched.source, &watched.listener);
            (watched.listener)(match begun {
                Ok(Some(number)) => {
                    (watched.connection, watched.number) = (Arc::clone(connection), number);
                    SourceChange::Everything
                }
                Ok(None) => SourceChange::Lost(nonsense()),
                Err(error) => SourceChange::Lost(error),
            });
        }
    }

    fn begin_watch(
        &self,
        connection: &Connection,
        source: usize,
        listener: &ChangeListener,
    ) -> Result<Option<u64>, SourceError> {
        let number = connection.listen(Arc::clone(listener));
        let call = Call::Watch { source, watch: number };
        let none = &mut |_, _| Err(nonsense());
        let answer = self.call_on(connection, call, &Cancel::default(), none);
        let answer = answer.map_err(|(broken, _)| SourceError::from(broken));
        if !matches!(answer, Ok((Answer::Watching(true), _))) {
            connection.stop_listening(number);
        }
        match answer?.0 {
            Answer::Watching(is_watching) => Ok(is_watching.then_some(number)),
            _ => Err(nonsense()),
        }
    }
}

impl Watched {
    fn end(&self) {
        self.connection.stop_listening(self.number);
        // The listener is gone; when the plugin stops is of no matter here.
        let _ = self.connection.begin(Call::Unwatch { watch: self.number });
    }
}
