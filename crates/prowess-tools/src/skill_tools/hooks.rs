//! Scripts that a skill wants to be run around its activation and around calls of tools.

mod answer;
mod declared;
mod memory;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use prowess_core::{
    ActiveSkill, AuditEvent, AuditedDecision, AuditedSkill, Code, Content, Digest, HookCommand,
    Outcome, Record, RecordIndex, ScriptOutcome, ScriptRequest, ScriptRunner, SessionState,
    SkillError, ToolContext, ToolResult, Trust, Verdict,
};
use prowess_text::{clipped, quoted};
use serde_json::{Value, json};
use tracing::warn;

use super::SkillTools;
use super::package::still_there;
use super::problem::Problem;
use crate::{CallAudit, HookPolicy, Refusal, codes};

use answer::{MAX_REASON_CHARS, Verdict as HookVerdict, ended, verdict};
use declared::{Declared, Event, EventHook};
pub(super) use memory::HookMemory;

/// The name of the runs of hooks in the audit.
const AUDITED_TOOL: &str = "skills.hook";
/// The most bytes of a result that a hook gets.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// The hooks of skills: scripts that the frontmatter names, run by the runner of scripts.
///
/// A skill has hooks in either form:
///
/// - `hooks: { pre, post }` with paths of scripts: `pre` runs before the skill is loaded and stops
///   the load if it fails, and `post` runs after a call unloaded it. Where a skill ends with its
///   task, its session or its trust, no call is there to run a script for, so `post` does not run:
///   the trace `hook_not_run` reports it.
/// - The events of Claude Code, `PreToolUse`, `PostToolUse` and `Stop`, each with matchers and
///   handlers of the type `command`. A command is the path of a script of the package and literal
///   arguments; no shell reads it. The script gets the event as JSON on standard input. Exit code 2
///   or a JSON object with a decision refuses the call, or gives the model its next step.
///
/// A hook never widens a right: its `allow` changes nothing. A `PreToolUse` that cannot run refuses
/// the call. The tools that manage skills have no events, so that a skill can always be unloaded.
///
/// Each run is audited as a call of `skills.hook`, with its intent and its outcome.
#[derive(Clone)]
pub struct SkillHooks {
    pub(super) policy: HookPolicy,
    pub(super) seconds: u64,
    pub(super) runner: Option<Arc<dyn ScriptRunner>>,
    /// The least trust of a source whose hooks need no approval.
    pub(super) trust: Trust,
    pub(super) audit: CallAudit,
    pub(super) memory: Arc<HookMemory>,
}

/// A call of a tool, for the hooks of the active skills.
#[derive(Clone, Copy)]
pub(crate) struct HookedCall<'a> {
    /// The name as the model sees it.
    pub(crate) tool: &'a str,
    /// The canonical name.
    pub(crate) canonical: &'a str,
    /// Further names of the tool.
    pub(crate) aliases: &'a [&'a str],
    pub(crate) arguments: &'a Value,
}

/// One hook of a skill that is to run.
struct Run<'r> {
    record: Record<'r>,
    skill: &'r ActiveSkill,
    /// The name of the hook in the frontmatter.
    name: &'static str,
    script: &'r HookCommand,
    input: Vec<u8>,
    seconds: u64,
    approved: Option<Digest>,
}

impl SkillHooks {
    fn is_off(&self) -> bool {
        self.policy == HookPolicy::Ignore
    }

    /// Runs the hooks of skills that are about to become active. `skills` has their content.
    ///
    /// # Errors
    ///
    /// A hook fails, cannot run or is not valid. The skills must not be activated.
    pub fn before_activation(
        &self,
        context: &ToolContext<'_>,
        skills: &[(Record<'_>, &ActiveSkill)],
    ) -> Result<(), Refusal> {
        if self.is_off() {
            return Ok(());
        }
        let state = context.session.state();
        let state = state.map_err(|error| Problem::from(error).into_refusal())?;
        let subject = self.subject(&state, skills.iter().copied());
        for &(record, skill) in skills {
            if is_active(&state, record) {
                continue;
            }
            let failed = |reason: String| not_loaded(record, &reason);
            let declared = Declared::of(skill).map_err(failed)?;
            if declared.is_empty() {
                continue;
            }
            // The approval of the call is of the package of its subject alone.
            let is_subject = subject == Some(record.index());
            let approved = context.approved.filter(|_| is_subject);
            self.check_trust(record, approved).map_err(failed)?;
            if let Some(script) = &declared.pre {
                let (name, seconds) = ("pre", self.seconds);
                let run = Run { record, skill, name, script, input: vec![], seconds, approved };
                self.succeed(context, &run).map_err(failed)?;
            }
            self.memory.approve(context.session.id(), skill, approved);
        }
        Ok(())
    }

    /// Runs the hooks `post` of the skills that were active in `before` and are not any more. The
    /// skills are unloaded already, so a failing hook is a trace.
    pub fn after_deactivation(&self, context: &ToolContext<'_>, before: &SessionState) {
        if self.is_off() {
            return;
        }
        let Ok(after) = context.session.state() else { return };
        let is_gone = |skill: &ActiveSkill| {
            after.active.iter().all(|active| active.location != skill.location)
        };
        for skill in before.active.iter().rev().filter(|skill| is_gone(skill)) {
            let approved = self.memory.forget(context.session.id(), skill);
            if let Err(code) = self.run_post(context, skill, approved) {
                warn!(target: "prowess", skill = skill.id, code = code.as_str(), "hook_failed");
            }
        }
    }

    fn run_post(
        &self,
        context: &ToolContext<'_>,
        skill: &ActiveSkill,
        approved: Option<Digest>,
    ) -> Result<(), Code> {
        let failed = |_| codes::HOOK_FAILED;
        let declared = Declared::of(skill).map_err(failed)?;
        let Some(script) = &declared.post else { return Ok(()) };
        let record = still_there(context.catalog, skill);
        let record = record.map_err(|_| codes::SKILL_CHANGED)?;
        self.check_trust(record, approved).map_err(failed)?;
        let (name, seconds) = ("post", self.seconds);
        let run = Run { record, skill, name, script, input: vec![], seconds, approved };
        self.succeed(context, &run).map_err(failed)
    }

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
        result.content.extend(notes.into_iter().map(|text| Content::Text { text }));
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
        let manages = |call: &HookedCall<'_>| SkillTools::manages_skills(call.canonical);
        if self.is_off() || call.is_some_and(manages) {
            return Ok(());
        }
        let state = context.session.state();
        let state = state.map_err(|error| Problem::from(error).into_refusal())?;
        for skill in state.active.iter().filter(|skill| Declared::may_have_hooks(skill)) {
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
                judge(&id, self.run_event(context, skill, hook, input()))?;
            }
        }
        Ok(())
    }

    fn run_event(
        &self,
        context: &ToolContext<'_>,
        skill: &ActiveSkill,
        hook: &EventHook,
        mut input: Value,
    ) -> HookVerdict {
        let failed = HookVerdict::Failed;
        let Ok(record) = still_there(context.catalog, skill) else {
            return failed("the skill is no longer where it was loaded from".to_owned());
        };
        let approved = self.memory.approved(context.session.id(), skill);
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

    /// Returns the first of some skills whose load runs something of its package, or lets it run
    /// later.
    pub(super) fn subject<'a>(
        &self,
        state: &SessionState,
        skills: impl IntoIterator<Item = (Record<'a>, &'a ActiveSkill)>,
    ) -> Option<RecordIndex> {
        let mut skills = skills.into_iter();
        let is_hooked = |(record, skill): &(Record<'_>, &ActiveSkill)| {
            !self.is_off() && Declared::may_have_hooks(skill) && !is_active(state, *record)
        };
        skills.find(is_hooked).map(|(record, _)| record.index())
    }

    /// Refuses the hooks of a source that is not trusted, unless a person has approved the package.
    fn check_trust(&self, record: Record<'_>, approved: Option<Digest>) -> Result<(), String> {
        if record.trust() >= self.trust || approved.is_some() {
            return Ok(());
        }
        Err("hooks of sources that are not trusted run only with the approval of a person, for a \
             load of this skill alone"
            .to_owned())
    }

    /// Runs a hook that has to succeed.
    fn succeed(&self, context: &ToolContext<'_>, run: &Run<'_>) -> Result<(), String> {
        let failed = |reason: String| {
            let script = quoted(run.script.path.as_str());
            format!("its hook `{}`, {script}, failed: {reason}", run.name)
        };
        let outcome = self.run(context, run).map_err(failed)?;
        if outcome.exit_code == Some(0) { Ok(()) } else { Err(failed(ended(&outcome))) }
    }

    /// Runs a hook, with its intent and its outcome in the audit.
    fn run(&self, context: &ToolContext<'_>, run: &Run<'_>) -> Result<ScriptOutcome, String> {
        let Run { record, skill, name, script, input, seconds, approved } = run;
        let Some(runner) = &self.runner else { return Err("no script can be run here".to_owned()) };
        let mut intent = self.audit.intent(context, AUDITED_TOOL);
        intent.correlation = context.origin.run(context.session.id(), skill);
        intent.skill = Some(skill.id.clone());
        intent.skills = vec![AuditedSkill {
            typed: skill.id.clone(),
            id: Some(skill.id.clone()),
            layer: Some(skill.layer.clone()),
            version: skill.version.clone(),
        }];
        intent.resource = Some(script.path.as_str().to_owned());
        intent.decision = Some(AuditedDecision {
            rule: Some(format!("hooks.{name}")),
            skill: Some(skill.id.clone()),
            location: Some(skill.location.clone()),
            ..AuditedDecision::new(Verdict::Allowed)
        });
        self.audit.intend(&intent).map_err(|refusal| refusal.message)?;
        let request = ScriptRequest {
            catalog: context.catalog,
            record: *record,
            path: &script.path,
            arguments: &script.arguments,
            environment: &BTreeMap::new(),
            working_directory: None,
            input,
            approved: *approved,
            progress: context.progress,
        };
        let begun = context.clock.elapsed();
        let ran = runner.run(&request, Duration::from_secs(*seconds), context.cancel);
        let outcome = match &ran {
            Ok(outcome) if outcome.exit_code == Some(0) => Outcome::Done,
            Ok(_) => Outcome::Failed(codes::HOOK_FAILED),
            Err(error) => Outcome::Failed(error.code.clone()),
        };
        let duration = context.clock.elapsed().saturating_sub(begun);
        let isolation = ran.as_ref().ok().and_then(|ran| ran.isolation.as_ref());
        let isolation = isolation.map(|isolation| isolation.level.clone());
        let ended = AuditEvent { intent, outcome, error: None, sandbox: None, isolation, duration };
        self.audit.record(&ended);
        ran.map_err(|error| error.message)
    }
}

fn is_active(state: &SessionState, record: Record<'_>) -> bool {
    state.active.iter().any(|skill| record.is_at(&skill.location))
}

/// Returns a result as a hook reads it.
fn response(result: &ToolResult) -> Value {
    let text: String = result.texts().collect::<Vec<_>>().join("\n");
    let end = text.floor_char_boundary(MAX_RESPONSE_BYTES);
    json!({ "is_error": result.is_error, "text": text[..end] })
}

fn not_loaded(record: Record<'_>, reason: &str) -> Refusal {
    let skill = record.id().to_owned();
    let reason = clipped(reason, MAX_REASON_CHARS * 2);
    let message = format!("skill {} was not loaded: {reason}; tell the user", quoted(&skill));
    Refusal::new(codes::HOOK_FAILED, message).with_error(SkillError::Activation { skill, reason })
}
