//! A plugin's process kept alive: begun again after a failure, left alone after too many, and replaced
//! when there is another build.

use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use prowess_core::{Cancel, Clock, SourceError};

use super::broken::Broken;
use super::connection::{Connection, Event};
use super::failures::Failures;
use super::places::Places;
use super::protocol::{Answer, Call, Offer, Reply};
use super::watches::Watches;
use super::{Launch, locked};
use crate::{PluginError, PluginErrorKind, PluginLimits, Staged};

/// How often a waiting call looks whether it is still wanted.
pub(super) const LOOK: Duration = Duration::from_millis(10);

pub(super) struct Supervisor {
    clock: Arc<dyn Clock>,
    limits: PluginLimits,
    offer: Offer,
    state: Mutex<State>,
    places: Places,
    watches: Watches,
}

struct State {
    /// What the next process is started with.
    launch: Arc<Launch>,
    connection: Option<Arc<Connection>>,
    failures: Failures,
}

/// What a call gives, and the bytes beside it.
pub(super) type Answered = (Answer, Vec<u8>);

/// Takes the parts of a scan.
pub(super) type TakePart<'a> = &'a mut dyn FnMut(Reply, Vec<u8>) -> Result<(), SourceError>;

impl Supervisor {
    pub(super) fn start(launch: Launch, clock: Arc<dyn Clock>) -> Result<Self, PluginError> {
        let launch = Arc::new(launch);
        let (connection, offer) = Connection::open(&launch)?;
        let limits = launch.limits.clone();
        let places = Places::new(limits.calls_at_once);
        let (connection, failures) = (Some(connection), Failures::default());
        let state = Mutex::new(State { launch, connection, failures });
        Ok(Self { clock, limits, offer, state, places, watches: Watches::default() })
    }

    pub(super) fn offer(&self) -> &Offer {
        &self.offer
    }

    pub(super) fn watches(&self) -> &Watches {
        &self.watches
    }

    /// Puts another build in the place of this one. Calls that are under way end on the old one.
    pub(super) fn replace(&self, library: Staged) -> Result<(), PluginError> {
        let launch = Arc::new(locked(&self.state).launch.with(library));
        let connection = self.begin(&launch, PluginErrorKind::Init)?;
        let mut state = locked(&self.state);
        let old = state.connection.replace(Arc::clone(&connection));
        (state.launch, state.failures) = (launch, Failures::default());
        drop(state);
        self.watch_again(&connection);
        if let Some(old) = old {
            old.retire();
        }
        Ok(())
    }

    /// Asks and waits for the answer.
    pub(super) fn call(
        &self,
        mut call: Call,
        cancel: &Cancel,
        part: TakePart<'_>,
    ) -> Result<Answered, Broken> {
        let _place = self.places.take(cancel).map_err(Broken::Told)?;
        loop {
            let connection = self.connection().map_err(Broken::Process)?;
            match self.call_on(&connection, call, cancel, part) {
                Ok(answered) => return Ok(answered),
                // It was replaced before it was asked.
                Err((_, Some(not_asked))) if connection.is_retired() => call = *not_asked,
                Err((broken, _)) => {
                    self.note_end(&connection);
                    return Err(broken);
                }
            }
        }
    }

    /// As [`Self::call`], in this process and no later one. A call that was not begun comes back.
    pub(super) fn call_on(
        &self,
        connection: &Connection,
        call: Call,
        cancel: &Cancel,
        part: TakePart<'_>,
    ) -> Result<Answered, (Broken, Option<Box<Call>>)> {
        let begun = connection.begin(call);
        let (id, events) = begun.map_err(|(error, call)| (Broken::Process(error), Some(call)))?;
        let waited = self.wait(connection, cancel, id, || events.recv_timeout(LOOK), part);
        waited.map_err(|broken| (broken, None))
    }

    fn wait(
        &self,
        connection: &Connection,
        cancel: &Cancel,
        id: u64,
        next: impl Fn() -> Result<Event, RecvTimeoutError>,
        part: TakePart<'_>,
    ) -> Result<Answered, Broken> {
        let begun = self.clock.elapsed();
        let mut told_to_end = None;
        loop {
            match next() {
                Ok(Event::Part(reply, bytes)) => {
                    if let Err(error) = part(*reply, bytes) {
                        connection.cancel(id);
                        let _ = connection.forget(id);
                        return Err(Broken::Told(error));
                    }
                }
                Ok(Event::Done(answer, bytes)) => {
                    let answer = answer.map_err(|failed| Broken::Told(failed.into()))?;
                    return Ok((answer, bytes));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Broken::Process(connection.forget(id)));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = self.clock.elapsed();
            match told_to_end {
                None if cancel.is_cancelled() || now - begun > self.call_time() => {
                    connection.cancel(id);
                    told_to_end = Some(now);
                }
                Some(told) if now - told > Duration::from_millis(self.limits.grace_ms) => {
                    return Err(Broken::Process(self.give_up(connection, cancel)));
                }
                _ => {}
            }
        }
    }

    /// The process that answers now, begun again if need be.
    pub(super) fn connection(&self) -> Result<Arc<Connection>, PluginError> {
        let mut state = locked(&self.state);
        let now = self.clock.elapsed();
        match state.connection.take() {
            Some(connection) if connection.end().is_none() => {
                state.connection = Some(Arc::clone(&connection));
                return Ok(connection);
            }
            Some(connection) => state.failures.note(now, connection.end().cloned()),
            None => {}
        }
        state.failures.may_begin(now, &self.limits)?;
        match self.begin(&state.launch, PluginErrorKind::Protocol) {
            Ok(connection) => {
                state.connection = Some(Arc::clone(&connection));
                Ok(connection)
            }
            Err(error) => {
                state.failures.note(self.clock.elapsed(), Some(error.clone()));
                Err(error)
            }
        }
    }

    /// A further process, which has to offer what the first one did.
    fn begin(
        &self,
        launch: &Arc<Launch>,
        otherwise: PluginErrorKind,
    ) -> Result<Arc<Connection>, PluginError> {
        let (connection, offer) = Connection::open(launch)?;
        if offer == self.offer {
            return Ok(connection);
        }
        let reason = "offers other sources or tools than it did when it began";
        let help = "restart this program to use the new ones";
        let error = launch.failed(otherwise, reason.into());
        Err(connection.close(PluginError { help: help.into(), ..error }))
    }

    /// Takes note if the process has ended, so that the time until it is begun again runs from now.
    fn note_end(&self, connection: &Arc<Connection>) {
        let Some(error) = connection.end() else { return };
        let mut state = locked(&self.state);
        let is_ours = |own: &mut Arc<Connection>| Arc::ptr_eq(own, connection);
        if state.connection.take_if(is_ours).is_some() {
            state.failures.note(self.clock.elapsed(), Some(error.clone()));
        }
    }

    /// A call that does not end ends with its process.
    fn give_up(&self, connection: &Connection, cancel: &Cancel) -> PluginError {
        let limits = &self.limits;
        let reason = match cancel.is_cancelled() {
            true => format!("went on for {} ms after it was cancelled", limits.grace_ms),
            false => format!("did not answer within {} ms", limits.call_ms),
        };
        connection.fail(PluginErrorKind::Deadline, reason)
    }

    fn call_time(&self) -> Duration {
        Duration::from_millis(self.limits.call_ms)
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        if let Some(connection) = locked(&self.state).connection.take() {
            let _ = connection.fail(PluginErrorKind::Crashed, "is no longer used".to_owned());
        }
    }
}
