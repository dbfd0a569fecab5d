//! Supervises a plugin's process: restarts it after a failure, up to a limit, and replaces it by
//! another build.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use prowess_core::{Cancel, Clock, SourceError};
use prowess_plugin_abi::{AbiError, codes};
use prowess_text::counted;

use super::Launch;
use super::connection::{Connection, Event, SentCall, WaitResult};
use super::error::CallError;
use super::protocol::{Answer, Call, Offer, Reply};
use super::slots::{CallSlot, CallSlots};
use crate::guard::{contain, lock};
use crate::restarts::{PROCESS_BACKOFF, Restart, Restarts, WINDOW_SECONDS};
use crate::{PluginError, PluginErrorKind, PluginLimits, PluginLog, Staged, conversation, trace};

/// Owns the process of one plugin, and sends calls to it.
pub(super) struct Supervisor {
    /// The plugin's name, for the trace span.
    name: String,
    clock: Arc<dyn Clock>,
    limits: PluginLimits,
    offer: Offer,
    state: Mutex<State>,
    slots: CallSlots,
    log: Arc<dyn PluginLog>,
}

struct State {
    /// The parameters of the next process.
    launch: Arc<Launch>,
    connection: Option<Arc<Connection>>,
    restarts: Restarts,
    /// The last failure that counts.
    last_failure: Option<PluginError>,
}

impl State {
    /// Records a failure. A timeout does not count: the call has already taken its whole time
    /// limit, so the process is replaced at once and without a limit on restarts.
    fn record_failure(&mut self, now: Duration, error: Option<&PluginError>) {
        if error.is_none_or(|error| error.kind != PluginErrorKind::Deadline) {
            self.restarts.record_failure(now);
            self.last_failure = error.cloned();
        }
    }

    /// Checks whether a process may be started now. Returns the last failure during the backoff,
    /// and after too many failures.
    fn check_restart(&mut self, now: Duration) -> Result<(), PluginError> {
        let restart = self.restarts.check(now);
        let Some(error) = &self.last_failure else { return Ok(()) };
        let (kind, what) = match restart {
            Restart::Now => return Ok(()),
            Restart::Later(rest) => {
                (error.kind, format!("it is restarted in {} ms", rest.as_millis()))
            }
            Restart::Never(count) => {
                let times = counted(count, "time");
                let what = format!("it failed {times} in {WINDOW_SECONDS} s and is not restarted");
                (PluginErrorKind::Quarantined, what)
            }
        };
        Err(PluginError { kind, reason: format!("{}; {what}", error.reason), ..error.clone() })
    }
}

/// An answer and its raw bytes.
pub(super) type Answered = (Answer, Vec<u8>);

/// Cancellation, and the handlers of messages that arrive before the answer.
pub(super) struct CallHandlers<'a> {
    pub(super) cancel: &'a Cancel,
    /// Handles the parts of a scan.
    pub(super) part: TakePart<'a>,
    /// Answers the questions of a tool; `None` for a call that shows no conversation.
    pub(super) answers: Option<&'a dyn conversation::Answer>,
}

/// Handles the parts of a scan.
pub(super) type TakePart<'a> = &'a mut dyn FnMut(Reply, Vec<u8>) -> Result<(), SourceError>;

impl Supervisor {
    pub(super) fn start(
        launch: Launch,
        clock: Arc<dyn Clock>,
        log: Arc<dyn PluginLog>,
    ) -> Result<Self, PluginError> {
        let launch = Arc::new(launch);
        let (connection, offer) = Connection::open(&launch, &clock)?;
        let name = launch.name.clone();
        let limits = launch.limits.clone();
        let slots = CallSlots::new(limits.calls_at_once);
        let connection = Some(connection);
        let restarts = Restarts::new(PROCESS_BACKOFF);
        let state = Mutex::new(State { launch, connection, restarts, last_failure: None });
        Ok(Self { name, clock, limits, offer, state, slots, log })
    }

    pub(super) fn limits(&self) -> &PluginLimits {
        &self.limits
    }

    pub(super) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    pub(super) fn offer(&self) -> &Offer {
        &self.offer
    }

    /// Starts another build and returns both processes. Running calls end on the old one, which the
    /// caller has to retire.
    pub(super) fn replace(&self, library: Staged) -> Result<Replaced, PluginError> {
        let launch = Launch::clone(&lock(&self.state).launch);
        let launch = Arc::new(Launch { library, ..launch });
        let connection = self.spawn(&launch, PluginErrorKind::Init)?;
        let mut state = lock(&self.state);
        let old = state.connection.replace(Arc::clone(&connection));
        (state.launch, state.restarts) = (launch, Restarts::new(PROCESS_BACKOFF));
        state.last_failure = None;
        Ok(Replaced { new: connection, old })
    }

    /// Sends a call and waits for the answer.
    pub(super) fn call(
        &self,
        call: Call,
        caller: &mut CallHandlers<'_>,
    ) -> Result<Answered, CallError> {
        let span = trace::plugin_call(&self.name, "process", call.operation());
        let _entered = span.enter();
        self.attempt(call, caller).inspect_err(|error| trace::record_error(&span, &error.code()))
    }

    fn attempt(
        &self,
        mut call: Call,
        caller: &mut CallHandlers<'_>,
    ) -> Result<Answered, CallError> {
        let _slot = self.slot(caller.cancel).map_err(CallError::Reported)?;
        loop {
            let connection = self.connection().map_err(CallError::Process)?;
            match self.call_on(&connection, call, caller) {
                Ok(answered) => return Ok(answered),
                // The process was replaced before the call was sent.
                Err((_, Some(unsent))) if connection.is_retired() => call = *unsent,
                Err((error, _)) => {
                    self.record_end(&connection);
                    return Err(error);
                }
            }
        }
    }

    /// As [`Self::call`], on this process only. Returns a call that could not be sent.
    pub(super) fn call_on(
        &self,
        connection: &Connection,
        call: Call,
        caller: &mut CallHandlers<'_>,
    ) -> Result<Answered, (CallError, Option<Box<Call>>)> {
        let sent = connection.send_call(call);
        let sent = sent.map_err(|(error, call)| (CallError::Process(error), Some(call)))?;
        let answered = self.wait(connection, &sent, caller);
        connection.remove_call(sent.id);
        answered.map_err(|error| (error, None))
    }

    /// Waits for the answer. Each part of a scan restarts the timeout.
    fn wait(
        &self,
        connection: &Connection,
        sent: &SentCall,
        caller: &mut CallHandlers<'_>,
    ) -> Result<Answered, CallError> {
        let cancel = caller.cancel;
        let mut progress = self.clock.elapsed();
        let mut cancelled_at = None;
        loop {
            match connection.wait(sent) {
                WaitResult::Event(Event::Part(reply, bytes)) => {
                    if let Err(error) = (caller.part)(*reply, bytes) {
                        connection.cancel(sent.id);
                        return Err(CallError::Reported(error));
                    }
                    progress = self.clock.elapsed();
                }
                WaitResult::Event(Event::Ask(question, text)) => {
                    connection.answer(question, answered(caller.answers, &text));
                }
                WaitResult::Event(Event::Done(answer, bytes)) => {
                    let answer = answer.map_err(CallError::Reported)?;
                    return Ok((answer, bytes));
                }
                WaitResult::Ended => return Err(CallError::Process(connection.end_reason())),
                WaitResult::TimedOut => {}
            }
            let now = self.clock.elapsed();
            match cancelled_at {
                None if cancel.is_cancelled() || now - progress > self.call_time() => {
                    connection.cancel(sent.id);
                    cancelled_at = Some(now);
                }
                Some(since) if now - since > Duration::from_millis(self.limits.grace_ms) => {
                    return Err(CallError::Process(self.kill(connection, cancel)));
                }
                _ => {}
            }
        }
    }

    /// Returns the running process, and restarts it if necessary.
    pub(super) fn connection(&self) -> Result<Arc<Connection>, PluginError> {
        let mut state = lock(&self.state);
        let now = self.clock.elapsed();
        match state.connection.take() {
            Some(connection) if connection.end().is_none() => {
                state.connection = Some(Arc::clone(&connection));
                return Ok(connection);
            }
            Some(connection) => {
                self.report(connection.end());
                state.record_failure(now, connection.end());
            }
            None => {}
        }
        state.check_restart(now)?;
        let file = state.launch.file.display().to_string();
        tracing::info!(file, "plugin process restarts");
        match self.spawn(&state.launch, PluginErrorKind::Protocol) {
            Ok(connection) => {
                state.connection = Some(Arc::clone(&connection));
                Ok(connection)
            }
            Err(error) => {
                state.record_failure(self.clock.elapsed(), Some(&error));
                Err(error)
            }
        }
    }

    /// Starts a process and checks that it offers the same sources and tools as the first one.
    fn spawn(
        &self,
        launch: &Arc<Launch>,
        mismatch: PluginErrorKind,
    ) -> Result<Arc<Connection>, PluginError> {
        let (connection, offer) = Connection::open(launch, &self.clock)?;
        if offer == self.offer {
            return Ok(connection);
        }
        let reason = "offers other sources or tools than before";
        let help = "restart this program to use the new ones";
        let error = launch.failed(mismatch, reason.into());
        Err(connection.close(PluginError { help: help.into(), ..error }))
    }

    /// Records the failure if the process has ended, so that the backoff starts now.
    fn record_end(&self, connection: &Arc<Connection>) {
        let Some(error) = connection.end() else { return };
        let mut state = lock(&self.state);
        let is_same = |own: &mut Arc<Connection>| Arc::ptr_eq(own, connection);
        if state.connection.take_if(is_same).is_some() {
            self.report(Some(error));
            state.record_failure(self.clock.elapsed(), Some(error));
        }
    }

    /// Reports the end of the process.
    fn report(&self, error: Option<&PluginError>) {
        let reason = error.map_or("its process has ended", |error| &error.reason);
        self.log.failed(&self.name, reason);
    }

    /// Kills a process because a call did not return.
    fn kill(&self, connection: &Connection, cancel: &Cancel) -> PluginError {
        let limits = &self.limits;
        let reason = if cancel.is_cancelled() {
            format!("did not return within {} ms after it was cancelled", limits.grace_ms)
        } else {
            format!("did not answer within {} ms", limits.call_ms)
        };
        tracing::warn!(%reason, "plugin process is killed");
        connection.fail(PluginErrorKind::Deadline, reason)
    }

    /// Waits for a slot within the time limit of a call.
    fn slot(&self, cancel: &Cancel) -> Result<CallSlot<'_>, SourceError> {
        let since = self.clock.elapsed();
        let is_over = || self.clock.elapsed() - since > self.call_time();
        self.slots.take(cancel, is_over)
    }

    fn call_time(&self) -> Duration {
        Duration::from_millis(self.limits.call_ms)
    }
}

/// Answers a question of a plugin's process.
fn answered(
    answers: Option<&dyn conversation::Answer>,
    question: &str,
) -> Result<Vec<u8>, AbiError> {
    let Some(answers) = answers else {
        return Err(AbiError::new(codes::UNSUPPORTED, "this call has no conversation"));
    };
    let failed = Err(AbiError::new(codes::INTERNAL, "the host failed to answer"));
    contain(failed, || answers.answer(question))
}

/// The processes of a replacement.
pub(super) struct Replaced {
    pub(super) new: Arc<Connection>,
    pub(super) old: Option<Arc<Connection>>,
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        if let Some(connection) = lock(&self.state).connection.take() {
            let _ = connection.fail(PluginErrorKind::Crashed, "is no longer used".to_owned());
            connection.wait_for_output();
        }
    }
}
