//! Calls of tools, by the model, the user or the host.

use prowess_core::{BodyDelivery, Caller, Cancel, Progress, ToolCall, ToolContext, ToolResult};
use prowess_tools::Dispatched;

use super::Turn;

/// The options of one call. By default, the model makes it, nothing cancels it, and its reports are
/// discarded.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallOptions<'a> {
    /// The caller. A user may load skills that are not offered to a model, but none that only a
    /// model may load.
    pub caller: Caller,
    /// Cancels the call, which ends soon after.
    pub cancel: Option<&'a Cancel>,
    /// Receives reports while the call runs, on the thread of the call.
    pub progress: Progress<'a>,
    /// The maximum size of the text of a result that the client keeps, in bytes; `None` if it is
    /// not known to cut any. Instructions and files that are longer are returned in pages.
    pub result_bytes: Option<usize>,
    /// Whether the client says that its conversation keeps the results of the session, so that each
    /// body is sent once. The results of a host's own calls are always kept.
    pub keeps_results: bool,
}

impl Turn {
    /// Runs a call of the model. There is always a result.
    pub fn call(&self, call: &ToolCall) -> Dispatched {
        self.call_until(call, &Cancel::default())
    }

    /// Like [`Self::call`], and ends soon after `cancel`.
    pub fn call_until(&self, call: &ToolCall, cancel: &Cancel) -> Dispatched {
        self.call_with(call, CallOptions { cancel: Some(cancel), ..CallOptions::default() })
    }

    /// Runs a call like [`Self::call`] with options: its caller, a way to cancel it, and a receiver
    /// of its reports while it runs, such as the lines that a script prints.
    pub fn call_with(&self, call: &ToolCall, options: CallOptions<'_>) -> Dispatched {
        let never = Cancel::default();
        let _entered = self.span.enter();
        let context = ToolContext {
            progress: options.progress,
            result_bytes: options.result_bytes,
            keeps_results: options.keeps_results,
            ..self.context(options.caller, options.cancel.unwrap_or(&never))
        };
        let is_bound = self.is_bound && options.caller == Caller::Model;
        let is_known = |tool: &str| !is_bound || self.face.can_call(tool);
        let mut dispatched = self.place.parts.toolbox.dispatch_known(&context, call, &is_known);
        self.record_use(call, &dispatched);
        if self.body_delivery() == BodyDelivery::ToolResult && options.caller == Caller::Model {
            self.append_changed_skills(&mut dispatched);
        }
        dispatched
    }

    /// Runs a call that the user makes by a command of the host, such as `/pdf`, with the same
    /// checks as any other. A user may load skills that are not offered to a model, but none that
    /// only a model may load.
    pub fn call_as_user(&self, call: &ToolCall) -> Dispatched {
        self.call_with(call, CallOptions { caller: Caller::User, ..CallOptions::default() })
    }

    /// Runs a tool that the host runs itself, if the gate permits the call. Limits, gate and audit
    /// are those of the runtime's own tools. The definition is the host's, which offers it with
    /// [`Self::tools`] and checks the arguments.
    ///
    /// `run` is not called if the call is refused. If a person has to approve the call first,
    /// [`Dispatched::approval`] has the id of the pending approval, and the same call runs once it
    /// is granted.
    pub fn guard(&self, call: &ToolCall, run: impl FnOnce() -> ToolResult) -> Dispatched {
        let cancel = Cancel::default();
        let _entered = self.span.enter();
        self.place.parts.toolbox.guard(&self.context(Caller::Model, &cancel), call, run)
    }

    /// Runs the hooks `Stop` of the loaded skills, which a host calls when the model has finished
    /// its work. Returns why the model should continue, for its next message, if a hook says so.
    ///
    /// A host limits how often a model continues: a hook may always say so.
    pub fn stop(&self) -> Option<String> {
        let cancel = Cancel::default();
        let _entered = self.span.enter();
        self.place.parts.hooks.stop(&self.context(Caller::Model, &cancel))
    }

    pub(super) fn context<'a>(&'a self, caller: Caller, cancel: &'a Cancel) -> ToolContext<'a> {
        self.place.context(caller, cancel)
    }
}
