//! The hooks of the events `PreToolUse`, `PostToolUse` and `Stop`.

use std::sync::Arc;

use prowess_core::{ActiveSkill, SessionState, ToolContext, ToolResult};
use prowess_text::quoted;
use serde_json::{Value, json};
use tracing::warn;

use super::answer::{Verdict as HookVerdict, verdict};
use super::declared::{Declared, Event, EventHook};
use super::run::Run;
use super::{HookedCall, SkillHooks};
use crate::codes;
use crate::gate::Refusal;
use crate::lookup::package::still_there;
use crate::names::manages_skills;

/// The most bytes of a result that a hook gets.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

impl SkillHooks {
    /// Runs the hooks `PreToolUse` of the active skills before a call of a tool.
    ///
    /// # Errors
    ///
    /// A hook refuses the call, or cannot run.
    pub(crate) fn before_call(
        &self,
        context: &ToolContext<'_>,
        call: &HookedCall<'_>,
    ) -> Result<(), Refusal> {
        let input = || json!({ "tool_name": call.tool, "tool_input": call.arguments });
        self.each(context, Event::PreToolUse, Some(call), &input, |skill, answer| {
            let reason = match answer {
                HookVerdict::Pass => return Ok(()),
                HookVerdict::Block(reason) => format!("a hook of {skill} refused it: {reason}"),
                HookVerdict::Failed(reason) => {
                    format!("a hook of {skill} has to agree and failed: {reason}; tell the user")
                }
            };
            let message = format!("{} was not run: {reason}", quoted(call.tool));
            Err(Refusal::new(codes::HOOK_REFUSED, message))
        })
    }

    /// Runs the hooks `PostToolUse` of the active skills after a call, and adds what they want the
    /// model to know to its result.
    pub(crate) fn after_call(
        &self,
        context: &ToolContext<'_>,
        call: &HookedCall<'_>,
        result: &mut ToolResult,
    ) {
        let input = || {
            json!({
                "tool_name": call.tool,
                "tool_input": call.arguments,
                "tool_response": response(result),
            })
        };
        let mut notes = Vec::new();
        let ran = self.each(context, Event::PostToolUse, Some(call), &input, |skill, answer| {
            match answer {
                HookVerdict::Pass => {}
                HookVerdict::Block(reason) => notes.push(format!("A hook of {skill}: {reason}")),
                HookVerdict::Failed(_) => {
                    warn!(target: "prowess", skill, code = codes::HOOK_FAILED.as_str(), "hook_failed");
                }
            }
            Ok(())
        });
        debug_assert!(ran.is_ok(), "no such hook refuses anything");
        notes.iter().for_each(|note| result.add_note(note));
    }

    /// Runs the hooks `Stop` of the active skills, which a host calls when the model has finished
    /// its work. Returns why the model should continue, if a hook says so.
    pub fn stop(&self, context: &ToolContext<'_>) -> Option<String> {
        let mut reasons = Vec::new();
        let ran = self.each(context, Event::Stop, None, &|| json!({}), |skill, answer| {
            match answer {
                HookVerdict::Pass => {}
                HookVerdict::Block(reason) => reasons.push(format!("a hook of {skill}: {reason}")),
                HookVerdict::Failed(_) => {
                    warn!(target: "prowess", skill, code = codes::HOOK_FAILED.as_str(), "hook_failed");
                }
            }
            Ok(())
        });
        debug_assert!(ran.is_ok(), "no such hook refuses anything");
        (!reasons.is_empty()).then(|| reasons.join("\n"))
    }

    /// Runs each hook of an event that matches a call, and passes its verdict on.
    fn each(
        &self,
        context: &ToolContext<'_>,
        event: Event,
        call: Option<&HookedCall<'_>>,
        input: &dyn Fn() -> Value,
        mut judge: impl FnMut(&str, HookVerdict) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let manages = |call: &HookedCall<'_>| manages_skills(call.canonical);
        if self.is_off() || call.is_some_and(manages) {
            return Ok(());
        }
        let state = context.session.state()?;
        // The end of a fork is not that of its parent.
        let is_own = |skill: &&Arc<ActiveSkill>| {
            call.is_some() || state.active.iter().any(|own| Arc::ptr_eq(own, skill))
        };
        let skills = state.limiting().filter(is_own);
        for skill in skills.filter(|skill| Declared::may_have_hooks(skill)) {
            let id = quoted(&skill.id);
            let declared = match Declared::of(skill) {
                Ok(declared) => declared,
                Err(reason) => {
                    judge(&id, HookVerdict::Failed(reason))?;
                    continue;
                }
            };
            for hook in declared.events.iter().filter(|hook| hook.event == event) {
                if !call.is_none_or(|call| hook.matches(call)) {
                    continue;
                }
                if hook.once && !self.memory.is_first(context.session.id(), skill, hook.index) {
                    continue;
                }
                judge(&id, self.run_event(context, &state, skill, hook, input()))?;
            }
        }
        Ok(())
    }

    fn run_event(
        &self,
        context: &ToolContext<'_>,
        state: &SessionState,
        skill: &ActiveSkill,
        hook: &EventHook,
        mut input: Value,
    ) -> HookVerdict {
        let failed = HookVerdict::Failed;
        let Ok(record) = still_there(context.catalog, skill) else {
            return failed("the skill is no longer where it was loaded from".to_owned());
        };
        // An approval of a load in its parent holds in a fork.
        let mut sessions = std::iter::once(&state.id).chain(&state.scope.parent);
        let approved = sessions.find_map(|session| self.memory.approved(session, skill));
        if let Err(reason) = self.check_trust(record, approved) {
            return failed(reason);
        }
        input["session_id"] = json!(context.session.id().log_name());
        input["hook_event_name"] = json!(hook.event.name());
        let seconds = hook.seconds.unwrap_or(self.seconds).min(self.seconds).max(1);
        let input = input.to_string().into_bytes();
        let (name, script) = (hook.event.name(), &hook.script);
        let run = Run { record, skill, name, script, input, seconds, approved };
        match self.run(context, &run) {
            Ok(outcome) => verdict(&outcome),
            Err(reason) => failed(reason),
        }
    }
}

/// Returns a result as a hook reads it.
fn response(result: &ToolResult) -> Value {
    let text: String = result.texts().collect::<Vec<_>>().join("\n");
    let end = text.floor_char_boundary(MAX_RESPONSE_BYTES);
    json!({ "is_error": result.is_error, "text": text[..end] })
}
