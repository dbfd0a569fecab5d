//! Calls of tools that the host runs itself, on the path of every other call.

use prowess_core::{ToolCall, ToolContext, ToolResult};

use super::dispatched::{Answer, Dispatched};
use super::{Admission, Toolbox};
use crate::gate::{GateRequest, Refusal};
use crate::guarded::guarded;
use crate::hooks::HookedCall;
use crate::{codes, trace};

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
        let span = trace::call(Some(&call.name), context.caller);
        let _entered = span.enter();
        let begun = context.clock.elapsed();
        let intent = self.audit().intent(context, &call.name);
        let mut admission = Admission { intent, approval: None, package: None };
        // The host may run a tool of this toolbox by itself, and rules may have its other name.
        let canonical = self.canonical_name(&call.name).map(str::to_owned);
        let aliases: Vec<_> = self.other_names(&call.name).into_iter().chain(canonical).collect();
        let aliases: Vec<_> = aliases.iter().map(String::as_str).collect();
        let hooked = HookedCall {
            tool: &call.name,
            canonical: self.canonical_name(&call.name).unwrap_or(&call.name),
            aliases: &aliases,
            arguments: &call.arguments,
        };
        let answer = match self.admit_call(context, &hooked, &mut admission) {
            Ok(()) => {
                let mut result = guarded(run).unwrap_or_else(failed);
                self.after_call(context, &hooked, &mut result);
                Answer::ran(result)
            }
            Err(refusal) => Answer::refused(refusal),
        };
        trace::record_outcome(&span, &answer.outcome);
        let duration = context.clock.elapsed().saturating_sub(begun);
        self.finish(call, admission, answer, duration)
    }

    fn admit_call(
        &self,
        context: &ToolContext<'_>,
        call: &HookedCall<'_>,
        admission: &mut Admission,
    ) -> Result<(), Refusal> {
        if context.cancel.is_cancelled() {
            return Err(Refusal::new(codes::CANCELLED, "not run: the turn was cancelled"));
        }
        self.limits.admit(&admission.intent)?;
        let HookedCall { tool, aliases, arguments, .. } = *call;
        let request =
            GateRequest { context, tool, spelled: tool, aliases, arguments, subject: None };
        self.ask_gate(&request, admission)?;
        self.before_call(context, call)?;
        self.audit().intend(&admission.intent)
    }
}

fn failed() -> ToolResult {
    ToolResult::error(codes::TOOL_FAILED, "the tool broke down while it worked; go on without it")
}
