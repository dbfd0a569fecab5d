//! Calls of the host's own tools that run between two calls of the runtime.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use prowess_core::{
    Boundary, Caller, Cancel, Catalog, Progress, ToolCall, ToolContext, ToolResult,
};
use prowess_session::SessionHandle;
use prowess_tools::{AdmittedCall, Dispatched};

use super::Turn;
use crate::parts::Parts;

/// The permission to run one call of a tool that the host runs itself, from [`Turn::admit`]. The
/// audit has the intent of the call.
///
/// [`Self::finish`] records the result. A permit that is dropped instead, such as with a future
/// that awaits the tool, records that the call was cancelled or, while its thread panics, that it
/// has failed: each intent has an end.
///
/// A permit owns what it needs, so it can move to another thread or task, and outlive its turn.
#[must_use = "a permit that is dropped records that the call was cancelled"]
pub struct Permit {
    place: Arc<CallPlace>,
    /// `None` once the end of the call is recorded.
    admitted: Option<AdmittedCall<'static>>,
}

impl Permit {
    /// Records the result of the call, and returns it as a model reads it: hooks of loaded skills
    /// may add to it. If the policy runs hooks, this waits for their scripts.
    pub fn finish(mut self, result: ToolResult) -> Dispatched {
        let admitted = self.admitted.take().expect("only this and the drop take it");
        let cancel = Cancel::default();
        let context = self.place.context(Caller::Model, &cancel);
        self.place.parts.toolbox.finish_admitted(&context, admitted, result)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(admitted) = self.admitted.take() {
            let cancel = Cancel::default();
            let context = self.place.context(Caller::Model, &cancel);
            self.place.parts.toolbox.drop_admitted(&context, admitted);
        }
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Permit").field(&self.admitted).finish()
    }
}

/// The part of a turn that its calls need.
pub(crate) struct CallPlace {
    pub(crate) parts: Arc<Parts>,
    pub(crate) session: SessionHandle,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) boundary: Boundary,
}

impl CallPlace {
    pub(crate) fn context<'a>(&'a self, caller: Caller, cancel: &'a Cancel) -> ToolContext<'a> {
        ToolContext {
            catalog: &self.catalog,
            session: &self.session,
            caller,
            origin: self.session.origin(),
            clock: self.parts.clock.as_ref(),
            cancel,
            approved: None,
            progress: Progress::default(),
            boundary: &self.boundary,
            result_bytes: None,
            keeps_results: false,
        }
    }
}

impl Turn {
    /// Decides about a call of a tool that the host runs itself, as [`Self::guard`] does, for a
    /// host that awaits the tool: the permit records its end.
    ///
    /// ```
    /// # use prowess::{Dispatched, ToolCall, ToolResult, Turn};
    /// # async fn fetch() -> String { String::new() }
    /// async fn answer(turn: &Turn, call: &ToolCall) -> Result<Dispatched, Box<Dispatched>> {
    ///     let permit = turn.admit(call)?;
    ///     let page = fetch().await;
    ///     Ok(permit.finish(ToolResult::text(page)))
    /// }
    /// ```
    ///
    /// Admission waits for no tool. As in any call, it reads the stores of sessions and approvals,
    /// and runs the hooks of loaded skills if the policy says so. A call that nothing grants also
    /// reads the packages of the loaded skills, to which an approval is bound.
    ///
    /// # Errors
    ///
    /// The call is refused. The error is its result, which the audit has.
    pub fn admit(&self, call: &ToolCall) -> Result<Permit, Box<Dispatched>> {
        let cancel = Cancel::default();
        let _entered = self.span.enter();
        let context = self.context(Caller::Model, &cancel);
        let admitted = self.place.parts.toolbox.admit(&context, Cow::Owned(call.clone()))?;
        Ok(Permit { place: Arc::clone(&self.place), admitted: Some(admitted) })
    }
}
