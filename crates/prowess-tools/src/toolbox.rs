//! The one path of every call: find the tool, check the arguments, ask the gate, run, audit.

pub(crate) mod builder;
pub(crate) mod dispatched;
pub(crate) mod host_call;
mod limits;
pub(crate) mod naming;
mod slot;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use prowess_core::{
    ApprovalId, AuditEvent, AuditedDecision, CallIntent, Catalog, Digest, Outcome, Record,
    ToolCall, ToolContext, ToolDefinition, ToolInfo, ToolResult, Verdict,
};
use prowess_text::quoted;
use serde_json::Value;

use crate::arguments;
use crate::audited::{self, CallAudit};
use crate::gate::{Gate, GateAnswer, GateRequest, Refusal};
use crate::guarded::guarded;
use crate::hooks::{HookedCall, SkillHooks};
use crate::suggestion::{LEAST_SIMILARITY, closest, hint};
use crate::{codes, names, trace};

use dispatched::{Answer, Dispatched};
use limits::Limits;
use naming::ToolNaming;
use slot::Slot;

/// The tools that a model may call, with one spelling of their names.
///
/// A tool is found by its own name alone. Skills have no part in it, so a skill called
/// `skills-load` takes the place of nothing.
pub struct Toolbox {
    pub(crate) naming: ToolNaming,
    pub(crate) tools: Vec<Slot>,
    pub(crate) by_name: HashMap<String, usize>,
    pub(crate) gate: Arc<dyn Gate>,
    pub(crate) limits: Limits,
    pub(crate) audit: CallAudit,
    pub(crate) hooks: Option<SkillHooks>,
}

/// A call on its way through the checks.
#[derive(Debug)]
pub(crate) struct Admission {
    pub(crate) intent: CallIntent,
    pub(crate) approval: Option<ApprovalId>,
    pub(crate) package: Option<Digest>,
}

impl Toolbox {
    /// Returns the naming of the tools for the model.
    pub fn naming(&self) -> ToolNaming {
        self.naming
    }

    /// Returns the canonical name of the tool that a model calls by this name.
    pub fn canonical_name(&self, name: &str) -> Option<&str> {
        self.slot(name).map(|slot| &*slot.name)
    }

    /// Returns the tool that a model calls by this name: as it is spelled, or else in another case,
    /// which documents and models write, if no other tool has that. The tool that runs scripts has
    /// both of its names, one for each surface.
    fn slot(&self, name: &str) -> Option<&Slot> {
        let has_name = |slot: &&Slot| {
            let script = slot.name == names::RUN && *name == self.naming.spell(names::RUN_SCRIPT);
            script || slot.spelled.eq_ignore_ascii_case(name)
        };
        let mut similar = self.tools.iter().filter(has_name);
        let only = similar.next().filter(|_| similar.next().is_none());
        self.exact(name).or(only)
    }

    fn exact(&self, name: &str) -> Option<&Slot> {
        self.by_name.get(name).map(|&at| &self.tools[at])
    }

    /// Returns the names of all tools, listed or not: the canonical ones and those that a model
    /// calls.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = self.by_name.keys().cloned().collect();
        names.extend(self.tools.iter().map(|slot| slot.name.to_string()));
        names.sort();
        names.dedup();
        names
    }

    /// Returns the other names under which rules may mention a tool: of one that a model calls by
    /// this name, each name of it as the model sees it and as its provider spells it, and of any
    /// other tool none.
    pub fn other_names(&self, name: &str) -> Vec<String> {
        self.slot(name).map_or_else(Vec::new, |slot| slot.aliases.clone())
    }

    /// Returns the definitions of the tools that are offered with `catalog`, spelled for the model
    /// and in the order of their providers. Skips a tool that panics.
    pub fn definitions(&self, catalog: &Catalog) -> Vec<ToolDefinition> {
        self.definitions_with(catalog, &[])
    }

    /// As [`Self::definitions`], with the tools of these canonical names, which are offered with a
    /// catalog that the model does not see whole.
    pub fn definitions_with(&self, catalog: &Catalog, names: &[&str]) -> Vec<ToolDefinition> {
        self.tools.iter().filter_map(|slot| offered(slot, catalog, names)).collect()
    }

    /// Returns the type and the time limit of the tool that a model calls by this name.
    pub fn info(&self, name: &str) -> Option<ToolInfo> {
        let slot = self.slot(name)?;
        guarded(|| slot.tool.info())
    }

    /// Returns the JSON Schema that the arguments of the tool with this name are checked with.
    pub fn accepts(&self, name: &str, catalog: &Catalog) -> Option<Cow<'_, Value>> {
        let slot = self.slot(name)?;
        guarded(|| slot.tool.accepts(catalog))
    }

    /// Returns the skill whose content a call of the tool with this name would run.
    pub fn subject<'c>(
        &self,
        context: &ToolContext<'c>,
        name: &str,
        arguments: &Value,
    ) -> Option<Record<'c>> {
        let slot = self.slot(name)?;
        guarded(|| slot.tool.subject(context, arguments)).flatten()
    }

    /// Returns the result of a call of the tool with this name if it would be refused, whatever the
    /// gate decides. Nothing is run or changed.
    pub fn refusal(
        &self,
        context: &ToolContext<'_>,
        name: &str,
        arguments: &Value,
    ) -> Option<ToolResult> {
        let slot = &self.tools[*self.by_name.get(name)?];
        match self.checked(slot, context, arguments) {
            Ok(arguments) => guarded(|| slot.tool.refusal(context, &arguments)).flatten(),
            Err(refusal) => Some(refusal.into()),
        }
    }

    /// Answers a call. Every call has a result and one audit event, whatever its arguments are and
    /// whatever the tool does.
    pub fn dispatch(&self, context: &ToolContext<'_>, call: &ToolCall) -> Dispatched {
        self.dispatch_known(context, call, &|_| true)
    }

    /// As [`Self::dispatch`], for a model to which every tool is unknown but those whose canonical
    /// names `is_known` accepts.
    pub fn dispatch_known(
        &self,
        context: &ToolContext<'_>,
        call: &ToolCall,
        is_known: &dyn Fn(&str) -> bool,
    ) -> Dispatched {
        let slot = self.slot(&call.name).filter(|slot| is_known(&slot.name));
        let span = trace::call(slot.map(|slot| &*slot.name), context.caller);
        let _entered = span.enter();
        let begun = context.clock.elapsed();
        let intent = self.intent(slot, context, call);
        let mut admission = Admission { intent, approval: None, package: None };
        let answer = match slot {
            Some(slot) => self.answer(slot, context, &call.arguments, &mut admission),
            None => self.unknown(context.catalog, &call.name, is_known),
        };
        trace::record_outcome(&span, &answer.outcome);
        let duration = context.clock.elapsed().saturating_sub(begun);
        self.finish(call, admission, answer, duration)
    }

    /// Records how a call ended, and returns its result.
    pub(crate) fn finish(
        &self,
        call: &ToolCall,
        admission: Admission,
        answer: Answer,
        duration: Duration,
    ) -> Dispatched {
        let Admission { mut intent, approval, .. } = admission;
        self.limits.track(&intent, &call.arguments, &answer, duration);
        let Answer { result, outcome } = answer;
        let error = result.message().filter(|_| is_denied(&intent)).map(audited::clipped);
        let error = error.or_else(|| Some(format!("the exit code is {}", result.exit?)));
        let refused = result.structured.as_ref().filter(|_| result.sandbox.is_some());
        let refused =
            refused.and_then(|data| data[names::REFUSED_READS].as_array()).map(|places| {
                let places: Vec<_> = places.iter().filter_map(Value::as_str).collect();
                audited::clipped(&places.join(", "))
            });
        let error = error.or(refused);
        let tool = intent.tool.clone();
        let named = intent.skills.first().map(|skill| skill.id.as_ref().unwrap_or(&skill.typed));
        // As in the audit, a file without a skill is one of the skill that was loaded last.
        let of_file = || intent.skill.clone().filter(|_| intent.resource.is_some());
        let skill = named.cloned().or_else(of_file);
        let (decision, resource) = (intent.decision.clone(), intent.resource.clone());
        let (sandbox, isolation) = (result.sandbox.clone(), result.isolation.clone());
        if result.sandbox.is_some() && matches!(outcome, Outcome::Refused(_)) {
            // As of any other call that would read the file.
            intent.decision = Some(AuditedDecision::new(Verdict::Denied));
        }
        for refused in &result.refused_hosts {
            self.audit.refused(&intent, refused);
        }
        let event =
            AuditEvent { intent, outcome: outcome.clone(), error, sandbox, isolation, duration };
        self.audit.record(&event);
        Dispatched { tool, result, outcome, skill, resource, duration, decision, approval }
    }

    /// Returns the audit of the calls, for tools that the host runs itself.
    pub fn audit(&self) -> &CallAudit {
        &self.audit
    }

    /// Describes a call for the audit. A tool that panics names no skills and no file.
    fn intent(
        &self,
        slot: Option<&Slot>,
        context: &ToolContext<'_>,
        call: &ToolCall,
    ) -> CallIntent {
        let mut intent = self.audit.intent(context, slot.map_or(&call.name, |slot| &slot.name));
        if let Some(Slot { tool, .. }) = slot {
            let named = guarded(|| tool.named_skills(&call.arguments)).unwrap_or_default();
            intent.skills = audited::skills(context, &named);
            let resource = guarded(|| tool.named_resource(&call.arguments)).flatten();
            intent.resource = resource.map(audited::clipped);
        }
        intent
    }

    fn answer(
        &self,
        slot: &Slot,
        context: &ToolContext<'_>,
        arguments: &Value,
        admission: &mut Admission,
    ) -> Answer {
        match self.check_own(slot, context, arguments, admission) {
            Ok(arguments) => {
                let context = &ToolContext { approved: admission.package, ..*context };
                let run = guarded(|| slot.tool.call(context, &arguments));
                let mut result = run.unwrap_or_else(|| self.broken(slot).into());
                let call = HookedCall {
                    tool: &slot.spelled,
                    canonical: &slot.name,
                    aliases: &slot.aliases(),
                    arguments: &arguments,
                };
                self.after_call(context, &call, &mut result);
                Answer::ran(result)
            }
            Err(refusal) => Answer::refused(refusal),
        }
    }

    /// Makes the checks before the run and stores the intent. Returns the normalised arguments.
    fn check_own<'a>(
        &self,
        slot: &Slot,
        context: &ToolContext<'_>,
        arguments: &'a Value,
        admission: &mut Admission,
    ) -> Result<Cow<'a, Value>, Refusal> {
        if context.cancel.is_cancelled() {
            let message = format!("{} was not run: the turn was cancelled", show(slot));
            return Err(Refusal::new(codes::CANCELLED, message));
        }
        let arguments = self.checked(slot, context, arguments)?;
        self.limits.admit(&admission.intent)?;
        let (tool, spelled, aliases) = (&*slot.name, &*slot.spelled, &slot.aliases());
        let subject = guarded(|| slot.tool.subject(context, &arguments)).flatten();
        let request =
            GateRequest { context, tool, spelled, aliases, arguments: &arguments, subject };
        self.ask_gate(&request, admission)?;
        let call = HookedCall { tool: spelled, canonical: tool, aliases, arguments: &arguments };
        self.before_call(context, &call)?;
        self.audit.intend(&admission.intent)?;
        Ok(arguments)
    }

    /// Runs the hooks of the active skills that may refuse a call. The gate has permitted it.
    pub(crate) fn before_call(
        &self,
        context: &ToolContext<'_>,
        call: &HookedCall<'_>,
    ) -> Result<(), Refusal> {
        self.hooks.as_ref().map_or(Ok(()), |hooks| hooks.before_call(context, call))
    }

    /// Runs the hooks of the active skills after a call.
    pub(crate) fn after_call(
        &self,
        context: &ToolContext<'_>,
        call: &HookedCall<'_>,
        result: &mut ToolResult,
    ) {
        if let Some(hooks) = &self.hooks {
            hooks.after_call(context, call, result);
        }
    }

    /// Returns the hooks of skills that run around the calls, if there are any.
    pub fn hooks(&self) -> Option<&SkillHooks> {
        self.hooks.as_ref()
    }

    /// Asks the gate, which refuses the call if it panics.
    pub(crate) fn ask_gate(
        &self,
        request: &GateRequest<'_>,
        admission: &mut Admission,
    ) -> Result<(), Refusal> {
        let answer = guarded(|| self.gate.check(request));
        let answer = answer.unwrap_or_else(|| GateAnswer::deny(without_gate(request.spelled)));
        admission.intent.decision = Some(answer.decision);
        admission.approval = answer.approval;
        admission.package = answer.package;
        answer.refusal.map_or(Ok(()), Err)
    }

    fn checked<'a>(
        &self,
        slot: &Slot,
        context: &ToolContext<'_>,
        arguments: &'a Value,
    ) -> Result<Cow<'a, Value>, Refusal> {
        let broken = || self.broken(slot);
        let schema = guarded(|| slot.tool.accepts(context.catalog)).ok_or_else(broken)?;
        let validator = slot.validator.get(&schema).map_err(|reason| {
            let message = format!("the schema of {} {reason}; go on without it", show(slot));
            Refusal::new(codes::TOOL_FAILED, message)
        })?;
        let meant = arguments::tidy(arguments, &schema);
        let shown = || guarded(|| slot.tool.definition(context.catalog).input_schema);
        arguments::check(&validator, &meant, || shown().unwrap_or_default()).map_err(|faults| {
            let message = format!("{}: {faults}. Correct this and call again", show(slot));
            Refusal::new(codes::INVALID_ARGUMENTS, message)
        })?;
        Ok(meant)
    }

    /// Refuses a call of an unknown tool, and suggests one that the model is offered.
    fn unknown(&self, catalog: &Catalog, name: &str, is_known: &dyn Fn(&str) -> bool) -> Answer {
        let is_offered = |slot: &&Slot| {
            is_known(&slot.name) && guarded(|| slot.tool.is_offered(catalog)).unwrap_or_default()
        };
        let offered = self.tools.iter().filter(is_offered);
        let known = offered.map(|slot| &*slot.spelled);
        let next = match closest(name, known, LEAST_SIMILARITY) {
            Some(meant) => hint(meant),
            None => "; call one of those that you were given".to_owned(),
        };
        let message = format!("no tool named {}{next}", quoted(name));
        Answer::refused(Refusal::new(codes::UNKNOWN_TOOL, message))
    }

    /// Returns the refusal after a panic. The panic's message stays out: it may have internals of
    /// the host.
    fn broken(&self, slot: &Slot) -> Refusal {
        let message = format!(
            "{} broke down while it worked; try other arguments, or go on without it",
            show(slot)
        );
        Refusal::new(codes::TOOL_FAILED, message)
    }
}

/// Returns the name of a tool for a message to the model.
fn show(slot: &Slot) -> String {
    quoted(&slot.spelled)
}

/// Returns the definition of a tool under its spelled name, if it is offered with this catalog or
/// has one of the names.
fn offered(slot: &Slot, catalog: &Catalog, names: &[&str]) -> Option<ToolDefinition> {
    let is_named = names.contains(&&*slot.name);
    let definition = guarded(|| {
        let is_offered = is_named || slot.tool.is_offered(catalog);
        is_offered.then(|| slot.tool.definition(catalog))
    })??;
    Some(ToolDefinition { name: slot.spelled.clone(), ..definition })
}

fn without_gate(tool: &str) -> Refusal {
    let message = format!(
        "{} was not run: whether it may run could not be found out; tell the user",
        quoted(tool)
    );
    Refusal::new(codes::GATE_FAILED, message)
}

fn is_denied(intent: &CallIntent) -> bool {
    intent.decision.as_ref().is_some_and(|decision| decision.verdict == Verdict::Denied)
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.tools.iter().map(|slot| &slot.name);
        formatter.debug_list().entries(names).finish()
    }
}
