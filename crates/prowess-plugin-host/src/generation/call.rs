//! Calls of a plugin.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use abi_stable::std_types::RResult;
use prowess_core::{Caller, Cancel};
use prowess_plugin_abi::conversation::CallNotes;
use prowess_plugin_abi::{AbiError, CallCtx};

use super::Shared;
use crate::adapter::convert;
use crate::conversation::{AnswersLease, Shown};
use crate::failure::Failure;
use crate::instance::{Instance, into_result};
use crate::trace;
use crate::worker_pool::CallOptions;

#[derive(Clone, Copy)]
pub(crate) struct CallContext<'a> {
    /// The name of the method, for the trace span.
    pub(crate) operation: &'static str,
    pub(crate) cancel: Option<&'a Cancel>,
    pub(crate) progress: Option<&'a AtomicU64>,
    /// The id of the session; empty if there is none.
    pub(crate) session: &'a str,
    pub(crate) caller: Caller,
    /// The conversation, for a plugin with access to it.
    pub(crate) shown: Option<Shown<'a>>,
}

impl CallContext<'_> {
    /// Creates the context of a call without a conversation.
    pub(crate) fn new(operation: &'static str) -> Self {
        Self {
            operation,
            cancel: None,
            progress: None,
            session: "",
            caller: Caller::default(),
            shown: None,
        }
    }
}

impl Shared {
    /// Calls the plugin. `work` receives the instance and the context for the plugin.
    pub(crate) fn call<T: Send + 'static>(
        &self,
        call: &CallContext<'_>,
        work: impl FnOnce(&Instance, CallCtx<'_>) -> RResult<T, AbiError> + Send + 'static,
    ) -> Result<T, Failure> {
        let span = trace::plugin_call(&self.name, "in-process", call.operation);
        let _entered = span.enter();
        self.attempt(call, work).inspect_err(|failure| {
            trace::record_error(&span, &convert::trace_code(failure));
        })
    }

    fn attempt<T: Send + 'static>(
        &self,
        call: &CallContext<'_>,
        work: impl FnOnce(&Instance, CallCtx<'_>) -> RResult<T, AbiError> + Send + 'static,
    ) -> Result<T, Failure> {
        let instance = self.instance()?;
        let shown = call.shown.filter(|_| self.shows_conversation);
        let lease = shown.map(|shown| AnswersLease::new(shown.answers));
        let answers = lease.as_ref().map(|lease| Arc::clone(lease.lent()));
        let running = self.host.register_call(call.cancel, answers);
        let CallContext { cancel, progress, .. } = *call;
        let options = CallOptions { cancel, progress, ..self.default_options() };
        let cancel_token = running.token;
        let deadline_ms = self.limits.call_ms;
        let session = call.session.to_owned();
        let ext = self.notes(call.caller, shown);
        let called = Arc::clone(&instance);
        let answer = self.pool.run(&options, move || {
            let trace_id = session.as_str().into();
            let ctx = CallCtx { deadline_ms, cancel_token, trace_id, ext: (&*ext).into() };
            let answer = into_result(work(&called, ctx));
            // Freed by the thread that made it, which costs less.
            (answer, session)
        });
        drop(running);
        match answer {
            Ok((answer, _)) => answer.map_err(|error| self.failed(&instance, &error)),
            Err(error) => Err(self.call_failed(error)),
        }
    }

    /// Returns the `ext` field of a call as JSON, cached. Older plugins ignore it and assume that
    /// the model is the caller.
    fn notes(&self, caller: Caller, shown: Option<Shown<'_>>) -> Arc<str> {
        if caller == Caller::Model && shown.is_none() {
            return Arc::default();
        }
        let notes = CallNotes {
            caller: (caller == Caller::User).then(|| "user".to_owned()),
            catalog: shown.map(|shown| shown.catalog),
            state: shown.and_then(|shown| shown.state),
            boundary: shown.map_or("", |shown| shown.boundary).to_owned(),
            takes_texts: shown.is_some(),
        };
        let encode = |notes: &CallNotes| Some(serde_json::to_string(notes).ok()?.into());
        self.notes.get_or_insert_with(notes, encode).unwrap_or_default()
    }
}
