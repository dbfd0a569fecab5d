//! A plugin's process kept alive: started again after a failure, left alone after too many, and
//! replaced when there is another build.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use prowess_core::{self as core, Cancel, Catalog, Clock, SourceError, ToolContext};
use prowess_plugin_abi::{AbiError, codes};

use super::broken::Broken;
use super::connection::{Connection, Event, SentCall, Waited};
use super::protocol::{Answer, Call, Offer, Reply};
use super::restarts::Failures;
use super::slots::{CallSlot, CallSlots};
use super::{Launch, locked};
use crate::conversation::Conversation;
use crate::guard::contain;
use crate::{PluginError, PluginErrorKind, PluginLimits, PluginLog, Staged, conversation, trace};

pub(super) struct Supervisor {
    /// The plugin's name, for the trace.
    name: String,
    clock: Arc<dyn Clock>,
    limits: PluginLimits,
    offer: Offer,
    state: Mutex<State>,
    slots: CallSlots,
    log: Arc<dyn PluginLog>,
}

struct State {
    /// The launch of the next process.
    launch: Arc<Launch>,
    connection: Option<Arc<Connection>>,
    failures: Failures,
}

/// An answer and the bytes next to it.
pub(super) type Answered = (Answer, Vec<u8>);

/// The work of a caller while it waits.
pub(super) struct Caller<'a> {
    pub(super) cancel: &'a Cancel,
    /// Takes the parts of a scan.
    pub(super) part: TakePart<'a>,
    /// Answers the questions of a tool; `None` for a call that shows no conversation.
    pub(super) answers: Option<&'a dyn conversation::Answer>,
}

/// Takes the parts of a scan.
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
        let failures = Failures::default();
        let state = Mutex::new(State { launch, connection, failures });
        Ok(Self { name, clock, limits, offer, state, slots, log })
    }

    pub(super) fn offer(&self) -> &Offer {
        &self.offer
    }

    /// Starts another build and returns its process. Calls that are under way end on the old one,
    /// which the caller retires.
    pub(super) fn replace(&self, library: Staged) -> Result<Replaced, PluginError> {
        let launch = Arc::new(locked(&self.state).launch.with(library));
        let connection = self.begin(&launch, PluginErrorKind::Init)?;
        let mut state = locked(&self.state);
        let old = state.connection.replace(Arc::clone(&connection));
        (state.launch, state.failures) = (launch, Failures::default());
        Ok(Replaced { new: connection, old })
    }

    /// Sends a call and waits for the answer.
    pub(super) fn call(&self, call: Call, caller: &mut Caller<'_>) -> Result<Answered, Broken> {
        let span = trace::plugin_call(&self.name, "process", call.operation());
        let _entered = span.enter();
        self.attempt(call, caller).inspect_err(|broken| trace::record_error(&span, &broken.code()))
    }

    fn attempt(&self, mut call: Call, caller: &mut Caller<'_>) -> Result<Answered, Broken> {
        let _slot = self.slot(caller.cancel).map_err(Broken::Reported)?;
        loop {
            let connection = self.connection().map_err(Broken::Process)?;
            match self.call_on(&connection, call, caller) {
                Ok(answered) => return Ok(answered),
                // It was replaced before the call was sent.
                Err((_, Some(unsent))) if connection.is_retired() => call = *unsent,
                Err((broken, _)) => {
                    self.note_end(&connection);
                    return Err(broken);
                }
            }
        }
    }

    /// As [`Self::call`], in this process and no later one. A call that was not sent comes back.
    pub(super) fn call_on(
        &self,
        connection: &Connection,
        call: Call,
        caller: &mut Caller<'_>,
    ) -> Result<Answered, (Broken, Option<Box<Call>>)> {
        let sent = connection.send_call(call);
        let sent = sent.map_err(|(error, call)| (Broken::Process(error), Some(call)))?;
        let answered = self.wait(connection, &sent, caller);
        connection.forget(sent.id);
        answered.map_err(|broken| (broken, None))
    }

    /// Waits for the answer. Each part of a scan extends the deadline.
    fn wait(
        &self,
        connection: &Connection,
        sent: &SentCall,
        caller: &mut Caller<'_>,
    ) -> Result<Answered, Broken> {
        let cancel = caller.cancel;
        let mut progress = self.clock.elapsed();
        let mut ending_since = None;
        loop {
            match connection.wait(sent) {
                Waited::Event(Event::Part(reply, bytes)) => {
                    if let Err(error) = (caller.part)(*reply, bytes) {
                        connection.cancel(sent.id);
                        return Err(Broken::Reported(error));
                    }
                    progress = self.clock.elapsed();
                }
                Waited::Event(Event::Ask(question, text)) => {
                    connection.answer(question, answered(caller.answers, &text));
                }
                Waited::Event(Event::Done(answer, bytes)) => {
                    let answer = answer.map_err(|failed| Broken::Reported(failed.into()))?;
                    return Ok((answer, bytes));
                }
                Waited::Ended => return Err(Broken::Process(connection.ended())),
                Waited::Nothing => {}
            }
            let now = self.clock.elapsed();
            match ending_since {
                None if cancel.is_cancelled() || now - progress > self.call_time() => {
                    connection.cancel(sent.id);
                    ending_since = Some(now);
                }
                Some(since) if now - since > Duration::from_millis(self.limits.grace_ms) => {
                    return Err(Broken::Process(self.give_up(connection, cancel)));
                }
                _ => {}
            }
        }
    }

    /// Returns the process that answers now, started again if need be.
    pub(super) fn connection(&self) -> Result<Arc<Connection>, PluginError> {
        let mut state = locked(&self.state);
        let now = self.clock.elapsed();
        match state.connection.take() {
            Some(connection) if connection.end().is_none() => {
                state.connection = Some(Arc::clone(&connection));
                return Ok(connection);
            }
            Some(connection) => {
                self.report(connection.end());
                state.failures.note(now, connection.end());
            }
            None => {}
        }
        state.failures.may_begin(now, &self.limits)?;
        let file = state.launch.file.display().to_string();
        tracing::info!(file, "plugin process starts again");
        match self.begin(&state.launch, PluginErrorKind::Protocol) {
            Ok(connection) => {
                state.connection = Some(Arc::clone(&connection));
                Ok(connection)
            }
            Err(error) => {
                state.failures.note(self.clock.elapsed(), Some(&error));
                Err(error)
            }
        }
    }

    /// Starts a further process, which has to offer what the first one did.
    fn begin(
        &self,
        launch: &Arc<Launch>,
        otherwise: PluginErrorKind,
    ) -> Result<Arc<Connection>, PluginError> {
        let (connection, offer) = Connection::open(launch, &self.clock)?;
        if offer == self.offer {
            return Ok(connection);
        }
        let reason = "offers other sources or tools than it did when it began";
        let help = "restart this program to use the new ones";
        let error = launch.failed(otherwise, reason.into());
        Err(connection.close(PluginError { help: help.into(), ..error }))
    }

    /// Takes note if the process has ended, so that the time until it is started again runs from
    /// now.
    fn note_end(&self, connection: &Arc<Connection>) {
        let Some(error) = connection.end() else { return };
        let mut state = locked(&self.state);
        let is_ours = |own: &mut Arc<Connection>| Arc::ptr_eq(own, connection);
        if state.connection.take_if(is_ours).is_some() {
            self.report(Some(error));
            state.failures.note(self.clock.elapsed(), Some(error));
        }
    }

    /// Reports the end of the process.
    fn report(&self, error: Option<&PluginError>) {
        let reason = error.map_or("its process has ended", |error| &error.reason);
        self.log.failed(&self.name, reason);
    }

    /// Ends the process of a call that does not end.
    fn give_up(&self, connection: &Connection, cancel: &Cancel) -> PluginError {
        let limits = &self.limits;
        let reason = if cancel.is_cancelled() {
            format!("went on for {} ms after it was cancelled", limits.grace_ms)
        } else {
            format!("did not answer within {} ms", limits.call_ms)
        };
        tracing::warn!(%reason, "plugin process is killed");
        connection.fail(PluginErrorKind::Deadline, reason)
    }

    /// Returns what answers the questions of a tool's call.
    pub(super) fn conversation<'a>(&'a self, context: &ToolContext<'a>) -> Conversation<'a> {
        Conversation {
            catalog: context.catalog,
            session: Some(context.session),
            caller: context.caller,
            clock: context.clock,
            most_bytes: self.limits.answer_bytes,
        }
    }

    /// Returns what answers the questions of a tool that is described.
    pub(super) fn catalog_alone<'a>(&'a self, catalog: &'a Catalog) -> Conversation<'a> {
        Conversation {
            catalog,
            session: None,
            caller: core::Caller::Model,
            clock: &*self.clock,
            most_bytes: self.limits.answer_bytes,
        }
    }

    /// Waits for a slot, for as long as a call may take.
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
        return Err(AbiError::new(codes::UNSUPPORTED, "this call shows no conversation"));
    };
    let failed = Err(AbiError::new(codes::INTERNAL, "the host failed while it answered"));
    contain(failed, || answers.answer(question))
}

/// A process that was replaced by another one.
pub(super) struct Replaced {
    pub(super) new: Arc<Connection>,
    pub(super) old: Option<Arc<Connection>>,
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        if let Some(connection) = locked(&self.state).connection.take() {
            let _ = connection.fail(PluginErrorKind::Crashed, "is no longer used".to_owned());
        }
    }
}
