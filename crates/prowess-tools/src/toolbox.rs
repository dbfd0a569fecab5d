//! One way for every call: find, check, ask, run, write down.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use prowess_core::{
    AuditEvent, AuditSink, Catalog, Code, NoAudit, Outcome, Tool, ToolCall, ToolContext,
    ToolDefinition, ToolProvider, ToolResult,
};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::arguments::{self, ValidatorCell};
use crate::suggestion::{closest, hint};
use crate::text::quoted;
use crate::{AllowAll, BuildError, Gate, GateRequest, Refusal, Surface, codes};

/// How many skills of one call the audit names.
const MOST_AUDITED_SKILLS: usize = 64;

/// How many characters of a name that a model typed the audit keeps.
const MOST_AUDITED_CHARS: usize = 256;

/// The tools that a model may call, under the names of one surface.
///
/// A tool is found by its own name alone. Skills have no part in it, so a skill called `skills-load`
/// takes the place of nothing.
pub struct Toolbox {
    surface: Surface,
    tools: Vec<Slot>,
    by_name: HashMap<String, usize>,
    gate: Arc<dyn Gate>,
    audit: Arc<dyn AuditSink>,
}

/// One tool with what is kept for it between calls.
struct Slot {
    /// In the core's spelling.
    name: String,
    tool: Arc<dyn Tool>,
    validator: ValidatorCell,
}

/// Builds a [`Toolbox`].
pub struct ToolboxBuilder {
    surface: Surface,
    tools: Vec<Arc<dyn Tool>>,
    gate: Arc<dyn Gate>,
    audit: Arc<dyn AuditSink>,
}

impl ToolboxBuilder {
    /// Adds the tools of a provider.
    #[must_use]
    pub fn provider(mut self, provider: &dyn ToolProvider) -> Self {
        self.tools.extend(provider.tools());
        self
    }

    /// Asks this gate before each run. By default every call may run.
    #[must_use]
    pub fn gate(mut self, gate: Arc<dyn Gate>) -> Self {
        self.gate = gate;
        self
    }

    /// Tells this sink of each call. By default nobody is told.
    #[must_use]
    pub fn audit(mut self, audit: Arc<dyn AuditSink>) -> Self {
        self.audit = audit;
        self
    }

    /// The finished toolbox.
    ///
    /// # Errors
    ///
    /// Two tools have one name for a model, a name is not legal, or a tool's schema is not one.
    pub fn build(self) -> Result<Toolbox, BuildError> {
        let nothing = Catalog::empty();
        let slots = self.tools.into_iter().map(|tool| Slot::new(tool, &nothing));
        let tools: Vec<_> = slots.collect::<Result<_, _>>()?;
        let names: Vec<_> = tools.iter().map(|slot| slot.name.clone()).collect();
        let by_name = self.surface.index(&names)?;
        let Self { surface, gate, audit, .. } = self;
        Ok(Toolbox { surface, tools, by_name, gate, audit })
    }
}

impl Slot {
    fn new(tool: Arc<dyn Tool>, catalog: &Catalog) -> Result<Self, BuildError> {
        let asked = guarded(|| (tool.definition(catalog).name, tool.accepts(catalog)));
        let (name, schema) = asked.ok_or(BuildError::Panicked)?;
        let validator = ValidatorCell::default();
        match validator.get(&schema) {
            Ok(_) => Ok(Self { name, tool, validator }),
            Err(reason) => Err(BuildError::BadSchema { tool: name, reason }),
        }
    }
}

/// The answer to a call with what a host wants to know beside it.
///
/// Serialises to the contract of the command line: `{tool, is_error, code, content, duration_ms}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatched {
    /// The tool's name in the core's spelling, or the unknown name that the model typed.
    pub tool: String,
    /// What the model reads.
    pub result: ToolResult,
    /// How long it took, by the host's clock.
    pub duration: Duration,
}

impl Serialize for Dispatched {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shape<'a> {
            tool: &'a str,
            is_error: bool,
            code: Option<&'a Code>,
            content: &'a [prowess_core::Content],
            duration_ms: u128,
        }
        let ToolResult { is_error, code, content, .. } = &self.result;
        Shape {
            tool: &self.tool,
            is_error: *is_error,
            code: code.as_ref(),
            content,
            duration_ms: self.duration.as_millis(),
        }
        .serialize(serializer)
    }
}

/// A result with its place in the audit.
struct Answer {
    result: ToolResult,
    outcome: Outcome,
}

impl Answer {
    fn refused(refusal: Refusal) -> Self {
        let outcome = Outcome::Refused(refusal.code.clone());
        Self { result: refusal.into(), outcome }
    }

    fn ran(result: ToolResult) -> Self {
        let outcome = match &result.code {
            _ if !result.is_error => Outcome::Done,
            Some(code) => Outcome::Failed(code.clone()),
            None => Outcome::Failed(codes::TOOL_FAILED),
        };
        Self { result, outcome }
    }
}

impl Toolbox {
    /// Begins an empty toolbox.
    pub fn builder(surface: Surface) -> ToolboxBuilder {
        let tools = Vec::new();
        ToolboxBuilder { surface, tools, gate: Arc::new(AllowAll), audit: Arc::new(NoAudit) }
    }

    /// The names under which a model sees the tools.
    pub fn surface(&self) -> Surface {
        self.surface
    }

    /// The tools that a model is shown while `catalog` is pinned, under the surface's names and in the
    /// order of their providers. A tool that panics here is left out.
    pub fn definitions(&self, catalog: &Catalog) -> Vec<ToolDefinition> {
        let shown = |slot: &Slot| {
            let is_offered = slot.tool.is_offered(catalog);
            is_offered.then(|| slot.tool.definition(catalog))
        };
        let spelled = |slot: &Slot| {
            let definition = guarded(|| shown(slot))??;
            Some(ToolDefinition { name: self.surface.spell(&slot.name), ..definition })
        };
        self.tools.iter().filter_map(spelled).collect()
    }

    /// Answers a call. Whatever the model wrote and whatever the tool does, there is a result, and the
    /// audit hears of the call once.
    pub fn dispatch(&self, context: &ToolContext<'_>, call: &ToolCall) -> Dispatched {
        let (at, begun) = (context.clock.now(), context.clock.elapsed());
        let slot = self.by_name.get(&call.name).map(|&at| &self.tools[at]);
        let answer = match slot {
            Some(slot) => self.answer(slot, context, call),
            None => self.unknown(&call.name),
        };
        let tool = slot.map_or_else(|| clipped(&call.name), |slot| slot.name.clone());
        self.audit.record(&AuditEvent {
            at,
            session: context.session.id().clone(),
            tool: tool.clone(),
            skills: named_skills(&call.arguments),
            outcome: answer.outcome,
            generation: context.catalog.generation(),
        });
        let duration = context.clock.elapsed().saturating_sub(begun);
        Dispatched { tool, result: answer.result, duration }
    }

    fn answer(&self, slot: &Slot, context: &ToolContext<'_>, call: &ToolCall) -> Answer {
        match self.admit(slot, context, &call.arguments) {
            Ok(arguments) => {
                let run = guarded(|| slot.tool.call(context, &arguments));
                Answer::ran(run.unwrap_or_else(|| self.broken(slot).into()))
            }
            Err(refusal) => Answer::refused(refusal),
        }
    }

    /// Everything that stands before the run. Gives the arguments as they were meant.
    fn admit<'a>(
        &self,
        slot: &Slot,
        context: &ToolContext<'_>,
        arguments: &'a Value,
    ) -> Result<Cow<'a, Value>, Refusal> {
        if context.cancel.is_cancelled() {
            let message = format!("{} was not run: the turn was cancelled", self.show(slot));
            return Err(Refusal::new(codes::CANCELLED, message));
        }
        let arguments = self.checked(slot, context, arguments)?;
        let request = GateRequest { context, tool: &slot.name, arguments: &arguments };
        let verdict = guarded(|| self.gate.check(&request));
        verdict.unwrap_or_else(|| Err(self.without_gate(slot)))?;
        Ok(arguments)
    }

    fn checked<'a>(
        &self,
        slot: &Slot,
        context: &ToolContext<'_>,
        arguments: &'a Value,
    ) -> Result<Cow<'a, Value>, Refusal> {
        let broken = || self.broken(slot);
        let schema = guarded(|| slot.tool.accepts(context.catalog)).ok_or_else(broken)?;
        let validator = slot.validator.get(&schema).map_err(|_| broken())?;
        let meant = arguments::tidy(arguments, &schema);
        arguments::check(&validator, &schema, &meant).map_err(|faults| {
            let message = format!("{}: {faults}. Correct this and call again", self.show(slot));
            Refusal::new(codes::INVALID_ARGUMENTS, message)
        })?;
        Ok(meant)
    }

    fn unknown(&self, name: &str) -> Answer {
        let known = self.tools.iter().map(|slot| self.surface.spell(&slot.name));
        let known: Vec<_> = known.collect();
        let next = match closest(name, known.iter().map(String::as_str)) {
            Some(meant) => hint(meant),
            None => "; call one of those that you were given".to_owned(),
        };
        let message = format!("no tool named {}{next}", quoted(name));
        Answer::refused(Refusal::new(codes::UNKNOWN_TOOL, message))
    }

    fn without_gate(&self, slot: &Slot) -> Refusal {
        let message = format!(
            "{} was not run: whether it may run could not be found out; tell the user",
            self.show(slot)
        );
        Refusal::new(codes::GATE_FAILED, message)
    }

    /// What a panic looks like to a model. Its message stays out: it may name anything of the host.
    fn broken(&self, slot: &Slot) -> Refusal {
        let message = format!(
            "{} broke down while it worked; try other arguments, or go on without it",
            self.show(slot)
        );
        Refusal::new(codes::TOOL_FAILED, message)
    }

    fn show(&self, slot: &Slot) -> String {
        quoted(&self.surface.spell(&slot.name))
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.tools.iter().map(|slot| &slot.name);
        formatter.debug_list().entries(names).finish()
    }
}

/// Runs what is not ours; `None` if it panicked. What it left half done is its own: nothing of the
/// toolbox is changed while it runs.
fn guarded<T>(run: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(run)).ok()
}

/// The skills that a call names, in the fields by which every tool names them.
fn named_skills(arguments: &Value) -> Vec<String> {
    let one = arguments["skill"].as_str();
    let several = arguments["names"].as_array().into_iter().flatten().filter_map(Value::as_str);
    one.into_iter().chain(several).take(MOST_AUDITED_SKILLS).map(clipped).collect()
}

fn clipped(text: &str) -> String {
    text.chars().take(MOST_AUDITED_CHARS).collect()
}
