//! A plugin's process kept alive: begun again after a failure, and left alone after too many.

use std::collections::VecDeque;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use prowess_core::{Cancel, Clock, SourceError, SourceErrorKind};

use super::connection::{Connection, Event};
use super::protocol::{Answer, Call, Offer, Reply};
use super::{Launch, locked};
use crate::{PluginError, PluginErrorKind};

/// How often a waiting call looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(10);

pub(super) struct Supervisor {
    launch: Arc<Launch>,
    clock: Arc<dyn Clock>,
    offer: Offer,
    state: Mutex<State>,
    calls: Mutex<usize>,
    call_ended: Condvar,
}

#[derive(Default)]
struct State {
    connection: Option<Arc<Connection>>,
    /// When it failed, by the clock's elapsed time, and how it failed last.
    failures: VecDeque<Duration>,
    last: Option<PluginError>,
}

/// Takes the parts of a scan.
pub(super) type TakePart<'a> = &'a mut dyn FnMut(Reply, Vec<u8>) -> Result<(), SourceError>;

impl Supervisor {
    pub(super) fn start(launch: Launch, clock: Arc<dyn Clock>) -> Result<Self, PluginError> {
        let launch = Arc::new(launch);
        let (connection, offer) = Connection::open(&launch)?;
        let state = Mutex::new(State { connection: Some(connection), ..State::default() });
        let (calls, call_ended) = (Mutex::new(0), Condvar::new());
        Ok(Self { launch, clock, offer, state, calls, call_ended })
    }

    pub(super) fn offer(&self) -> &Offer {
        &self.offer
    }

    /// Asks and waits for the answer.
    pub(super) fn call(
        &self,
        call: Call,
        cancel: &Cancel,
        part: TakePart<'_>,
    ) -> Result<(Answer, Vec<u8>), SourceError> {
        let _place = self.place(cancel)?;
        let connection = self.connection().map_err(|error| unavailable(&error))?;
        let answer = self.call_on(&connection, call, cancel, part);
        if answer.is_err() {
            self.note_end(&connection);
        }
        answer
    }

    /// As [`Self::call`], in this process and no later one.
    pub(super) fn call_on(
        &self,
        connection: &Connection,
        call: Call,
        cancel: &Cancel,
        part: TakePart<'_>,
    ) -> Result<(Answer, Vec<u8>), SourceError> {
        let (id, events) = connection.begin(call).map_err(|error| unavailable(&error))?;
        let begun = self.clock.elapsed();
        let mut told_to_end = None;
        loop {
            match events.recv_timeout(LOOK) {
                Ok(Event::Part(reply, bytes)) => {
                    if let Err(error) = part(*reply, bytes) {
                        connection.cancel(id);
                        let _ = connection.forget(id);
                        return Err(error);
                    }
                }
                Ok(Event::Done(answer, bytes)) => return Ok((answer?, bytes)),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(unavailable(&connection.forget(id)));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = self.clock.elapsed();
            match told_to_end {
                None if cancel.is_cancelled() || now - begun > self.call_time() => {
                    connection.cancel(id);
                    told_to_end = Some(now);
                }
                Some(told) if now - told > Duration::from_millis(self.launch.limits.grace_ms) => {
                    return Err(self.give_up(connection, cancel));
                }
                _ => {}
            }
        }
    }

    /// The process that answers now, begun again if need be.
    pub(super) fn connection(&self) -> Result<Arc<Connection>, PluginError> {
        let mut state = locked(&self.state);
        match state.connection.take() {
            Some(connection) if connection.end().is_none() => {
                state.connection = Some(Arc::clone(&connection));
                return Ok(connection);
            }
            Some(connection) => state.fail(self.clock.elapsed(), connection.end().cloned()),
            None => {}
        }
        self.may_begin(&mut state)?;
        let begun = Connection::open(&self.launch).and_then(|(connection, offer)| {
            match offer == self.offer {
                true => Ok(connection),
                false => {
                    let reason = "offered something else when it was begun again";
                    Err(connection
                        .close(self.launch.failed(PluginErrorKind::Protocol, reason.into())))
                }
            }
        });
        match begun {
            Ok(connection) => {
                state.connection = Some(Arc::clone(&connection));
                Ok(connection)
            }
            Err(error) => {
                state.fail(self.clock.elapsed(), Some(error.clone()));
                Err(error)
            }
        }
    }

    /// Takes note if the process has ended, so that the time until it is begun again runs from now.
    fn note_end(&self, connection: &Arc<Connection>) {
        let Some(error) = connection.end() else { return };
        let mut state = locked(&self.state);
        let is_ours = |own: &mut Arc<Connection>| Arc::ptr_eq(own, connection);
        if state.connection.take_if(is_ours).is_some() {
            state.fail(self.clock.elapsed(), Some(error.clone()));
        }
    }

    fn may_begin(&self, state: &mut State) -> Result<(), PluginError> {
        let limits = &self.launch.limits;
        let now = self.clock.elapsed();
        let window = Duration::from_secs(limits.restart_window_s);
        while state.failures.front().is_some_and(|&failed| now - failed > window) {
            state.failures.pop_front();
        }
        let (Some(&last), Some(error)) = (state.failures.back(), &state.last) else {
            return Ok(());
        };
        let count = u32::try_from(state.failures.len()).unwrap_or(u32::MAX);
        if count > limits.restarts {
            let window = window.as_secs();
            let reason = format!(
                "{}; it failed {count} times in {window} s and is left alone",
                error.reason
            );
            return Err(PluginError {
                kind: PluginErrorKind::Quarantined,
                reason,
                ..error.clone()
            });
        }
        let backoff = Duration::from_millis(limits.restart_backoff_ms);
        let wait = backoff.saturating_mul(1 << (count - 1).min(16));
        match (last + wait).checked_sub(now) {
            Some(rest) if !rest.is_zero() => {
                let reason =
                    format!("{}; it is begun again in {} ms", error.reason, rest.as_millis());
                Err(PluginError { reason, ..error.clone() })
            }
            _ => Ok(()),
        }
    }

    /// A call that does not end ends with its process.
    fn give_up(&self, connection: &Connection, cancel: &Cancel) -> SourceError {
        let limits = &self.launch.limits;
        let reason = match cancel.is_cancelled() {
            true => format!("went on for {} ms after it was cancelled", limits.grace_ms),
            false => format!("did not answer within {} ms", limits.call_ms),
        };
        unavailable(&connection.close(self.launch.failed(PluginErrorKind::Deadline, reason)))
    }

    fn call_time(&self) -> Duration {
        Duration::from_millis(self.launch.limits.call_ms)
    }

    /// One of the places for calls at once.
    fn place(&self, cancel: &Cancel) -> Result<Place<'_>, SourceError> {
        let mut calls = locked(&self.calls);
        loop {
            if cancel.is_cancelled() {
                return Err(cancelled());
            }
            if *calls < self.launch.limits.calls_at_once.max(1) {
                break;
            }
            let waited = self.call_ended.wait_timeout(calls, LOOK);
            calls = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *calls += 1;
        Ok(Place(self))
    }
}

impl State {
    fn fail(&mut self, now: Duration, error: Option<PluginError>) {
        self.failures.push_back(now);
        self.last = error;
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        if let Some(connection) = locked(&self.state).connection.take() {
            let reason = "is no longer used".to_owned();
            connection.close(self.launch.failed(PluginErrorKind::Crashed, reason));
        }
    }
}

/// A place for a call, given back when it is dropped.
struct Place<'a>(&'a Supervisor);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *locked(&self.0.calls) -= 1;
        self.0.call_ended.notify_one();
    }
}

/// What a call that is no longer wanted gives.
pub(super) fn cancelled() -> SourceError {
    SourceError::new(SourceErrorKind::Cancelled, "the call was cancelled")
}

fn unavailable(error: &PluginError) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, format!("[{}] {error}", error.kind.as_str()))
}
