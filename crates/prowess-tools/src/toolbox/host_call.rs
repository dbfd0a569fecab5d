//! Calls of tools that the host runs itself, on the path of every other call.

use std::borrow::Cow;
use std::iter::once;
use std::time::Duration;

use prowess_core::{ToolCall, ToolContext, ToolResult};
use tracing::Span;

use super::dispatched::{Answer, Dispatched};
use super::{Admission, Toolbox};
use crate::gate::{GateRequest, Refusal};
use crate::guarded::guarded;
use crate::hooks::HookedCall;
use crate::{codes, trace};

/// A call that may run, from [`Toolbox::admit`]: the audit has its intent.
/// [`Toolbox::finish_admitted`] or [`Toolbox::drop_admitted`] records its end.
#[must_use = "the audit has the intent of this call, and no end of it yet"]
#[derive(Debug)]
pub struct AdmittedCall<'c> {
    call: Cow<'c, ToolCall>,
    admission: Admission,
    begun: Duration,
    span: Span,
}

impl Toolbox {
    /// Runs a tool that is not in this toolbox, if the gate permits the call: the limits, the gate
    /// and the audit are those of every other call. The host has checked the arguments.
    ///
    /// `run` is called at most once, and not at all if the call is refused. A tool that panics has
    /// failed.
    pub fn guard(
        &self,
        context: &ToolContext<'_>,
        call: &ToolCall,
        run: impl FnOnce() -> ToolResult,
    ) -> Dispatched {
        match self.admit(context, Cow::Borrowed(call)) {
            Ok(admitted) => {
                let result = admitted.span.in_scope(|| guarded(run)).unwrap_or_else(failed);
                self.finish_admitted(context, admitted, result)
            }
            Err(refused) => *refused,
        }
    }

    /// Makes the checks of [`Self::guard`] before the tool runs, for a host that runs it later or
    /// elsewhere, such as in async code.
    ///
    /// # Errors
    ///
    /// The call is refused, which the audit has already. The error is its result.
    pub fn admit<'c>(
        &self,
        context: &ToolContext<'_>,
        call: Cow<'c, ToolCall>,
    ) -> Result<AdmittedCall<'c>, Box<Dispatched>> {
        let span = trace::call(Some(&call.name), context.caller);
        let entered = span.clone().entered();
        let begun = context.clock.elapsed();
        let own = self.tools.iter().find(|slot| slot.name == call.name);
        let intent = self.intent(own, context, &call);
        let admission = Admission { intent, approval: None, package: None };
        let mut admitted = AdmittedCall { call, admission, begun, span };
        let checked = self.check_call(context, &mut admitted);
        drop(entered);
        match checked {
            Ok(()) => Ok(admitted),
            Err(refusal) => Err(Box::new(self.end(context, admitted, Answer::refused(refusal)))),
        }
    }

    /// Records the result of a call that [`Self::admit`] has admitted in this context, and returns
    /// it with what hooks of skills add.
    pub fn finish_admitted(
        &self,
        context: &ToolContext<'_>,
        admitted: AdmittedCall<'_>,
        mut result: ToolResult,
    ) -> Dispatched {
        let names = self.rule_names(&admitted.call.name);
        let hooked = self.hooked(&admitted.call, &names);
        admitted.span.in_scope(|| self.after_call(context, &hooked, &mut result));
        self.end(context, admitted, Answer::ran(result))
    }

    /// Records the end of a call that [`Self::admit`] has admitted in this context and that has no
    /// result: while this thread panics, the tool has failed, otherwise the call was cancelled. No
    /// hooks run.
    pub fn drop_admitted(
        &self,
        context: &ToolContext<'_>,
        admitted: AdmittedCall<'_>,
    ) -> Dispatched {
        let result = if std::thread::panicking() { failed() } else { cancelled() };
        self.end(context, admitted, Answer::ran(result))
    }

    fn check_call(
        &self,
        context: &ToolContext<'_>,
        admitted: &mut AdmittedCall<'_>,
    ) -> Result<(), Refusal> {
        if context.cancel.is_cancelled() {
            return Err(Refusal::new(codes::CANCELLED, "not run: the turn was cancelled"));
        }
        let AdmittedCall { call, admission, .. } = admitted;
        self.limits.admit(&admission.intent)?;
        let names = self.rule_names(&call.name);
        let hooked = self.hooked(call, &names);
        let HookedCall { tool, aliases, arguments, .. } = hooked;
        let request =
            GateRequest { context, tool, spelled: tool, aliases, arguments, subject: None };
        self.ask_gate(&request, admission)?;
        self.before_call(context, &hooked)?;
        self.audit().intend(&admission.intent)
    }

    fn end(
        &self,
        context: &ToolContext<'_>,
        admitted: AdmittedCall<'_>,
        answer: Answer,
    ) -> Dispatched {
        let AdmittedCall { call, admission, begun, span } = admitted;
        let _entered = span.enter();
        trace::record_outcome(&span, &answer.outcome);
        let duration = context.clock.elapsed().saturating_sub(begun);
        self.finish(&call, admission, answer, duration)
    }

    /// Returns the further names of a tool in rules: the host may run a tool of this toolbox by
    /// itself, and rules may have its other names.
    fn rule_names(&self, name: &str) -> Vec<&str> {
        self.exact(name).map_or_else(Vec::new, |slot| {
            slot.aliases().into_iter().chain(once(&*slot.name)).collect()
        })
    }

    fn hooked<'a>(&'a self, call: &'a ToolCall, aliases: &'a [&'a str]) -> HookedCall<'a> {
        let canonical = self.exact(&call.name).map_or(&*call.name, |slot| &*slot.name);
        HookedCall { tool: &call.name, canonical, aliases, arguments: &call.arguments }
    }
}

fn cancelled() -> ToolResult {
    ToolResult::error(codes::CANCELLED, "the call was cancelled while it ran")
}

fn failed() -> ToolResult {
    ToolResult::error(codes::TOOL_FAILED, "the tool broke down while it worked; go on without it")
}
