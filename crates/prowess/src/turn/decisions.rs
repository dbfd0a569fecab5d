//! Decisions of the gate about calls that are not made.

use prowess_core::{ApprovalStoreError, Caller, Cancel, ToolResult};
use prowess_gate::{Decision, Grounds, Reason, Refusal};
use serde_json::Value;

use super::Turn;
use crate::Error;
use crate::gate::{GatedCall, RuntimeGate};

impl Turn {
    /// Decides whether a call of a tool may run, and says why. Nothing is run, spent or asked. A
    /// call that the gate permits and a skill tool would refuse is refused here, too.
    ///
    /// `tool` is the name of a tool of the runtime, as the model sees it, or of one that the host
    /// runs itself.
    ///
    /// # Errors
    ///
    /// The session is not open, or the approvals cannot be read.
    pub fn decide(&self, tool: &str, arguments: &Value) -> Result<Decision, Error> {
        self.gated(tool, arguments, RuntimeGate::decide)
    }

    /// Decides as [`Self::decide`] does, and names the line and column of each rule also for a call
    /// that may run. This reads the files of the loaded skills.
    ///
    /// # Errors
    ///
    /// As [`Self::decide`].
    pub fn explain(&self, tool: &str, arguments: &Value) -> Result<Decision, Error> {
        self.gated(tool, arguments, RuntimeGate::explain)
    }

    /// Returns the names of the host's tools that the loaded skills leave possible now; `None` if
    /// they limit nothing, as under every policy but `gate.tool_semantics: restrict`. The host may
    /// offer these alone. Of a tool with a pattern, only some calls are possible: [`Self::decide`].
    ///
    /// The example `host_tools` of `examples/extension-points` shows this.
    ///
    /// # Errors
    ///
    /// The session is not open.
    pub fn allowed_tools(&self) -> Result<Option<Vec<String>>, Error> {
        let state = self.place.session.state()?;
        Ok(self.place.parts.gate.allowed_tools(&self.place.catalog, &state))
    }

    fn gated(
        &self,
        tool: &str,
        arguments: &Value,
        decide: fn(&RuntimeGate, &GatedCall<'_>) -> Result<Decision, ApprovalStoreError>,
    ) -> Result<Decision, Error> {
        let canonical = self.place.parts.toolbox.canonical_name(tool).unwrap_or(tool);
        let aliases = self.place.parts.toolbox.other_names(tool);
        let never = Cancel::default();
        let context = self.context(Caller::Model, &never);
        let subject = self.place.parts.toolbox.subject(&context, tool, arguments);
        let gate = &self.place.parts.gate;
        let call = GatedCall {
            subject,
            tool: canonical,
            aliases: &aliases.iter().map(String::as_str).collect::<Vec<_>>(),
            arguments: &gate.covered(canonical, arguments, &self.place.catalog, subject),
            catalog: &self.place.catalog,
            state: &self.place.session.state()?,
            origin: self.place.session.origin(),
        };
        let decision = decide(gate, &call).map_err(Error::Approvals)?;
        let refused = match decision {
            Decision::Deny { .. } => None,
            Decision::Ask { .. } => gate.unrunnable(&call).map(ToolResult::from),
            // The tool may refuse a call that the gate permits.
            Decision::Allow { .. } => self.place.parts.toolbox.refusal(&context, tool, arguments),
        };
        let refused = refused.and_then(|it| it.code.clone().zip(it.failure()));
        let Some((code, error)) = refused else { return Ok(decision) };
        let refusal = Refusal { code, error };
        let detail = Some(refusal.message().replace('\n', " "));
        let grounds = Grounds {
            reason: Reason::Refused,
            rules: Vec::new(),
            detail,
            ..decision.grounds().clone()
        };
        Ok(Decision::Deny { refusal, grounds })
    }
}
