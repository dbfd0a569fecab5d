//! One run of a hook.

use std::collections::BTreeMap;
use std::time::Duration;

use prowess_core::{
    ActiveSkill, AuditEvent, AuditedDecision, AuditedSkill, CallIntent, Code, Digest, HookCommand,
    Outcome, Record, ScriptOutcome, ScriptRequest, ToolContext, Verdict,
};
use prowess_text::quoted;

use super::SkillHooks;
use super::answer::ended;
use crate::audited::clipped;
use crate::codes;

/// The name of the runs of hooks in the audit.
const AUDITED_TOOL: &str = "skills.hook";

/// One hook of a skill that is to run.
pub(super) struct Run<'r> {
    pub(super) record: Record<'r>,
    pub(super) skill: &'r ActiveSkill,
    /// The name of the hook in the frontmatter.
    pub(super) name: &'static str,
    pub(super) script: &'r HookCommand,
    pub(super) input: Vec<u8>,
    pub(super) seconds: u64,
    pub(super) approved: Option<Digest>,
}

impl SkillHooks {
    /// Runs a hook that has to succeed.
    pub(super) fn succeed(&self, context: &ToolContext<'_>, run: &Run<'_>) -> Result<(), String> {
        let failed = |reason: String| {
            let script = quoted(run.script.path.as_str());
            format!("its hook `{}`, {script}, failed: {reason}", run.name)
        };
        let outcome = self.run(context, run).map_err(failed)?;
        if outcome.exit_code == Some(0) { Ok(()) } else { Err(failed(ended(&outcome))) }
    }

    /// Runs a hook, with its intent and its outcome in the audit.
    pub(super) fn run(
        &self,
        context: &ToolContext<'_>,
        run: &Run<'_>,
    ) -> Result<ScriptOutcome, String> {
        let Run { record, skill, name, script, input, seconds, approved } = run;
        let Some(runner) = &self.runner else { return Err("no script can be run here".to_owned()) };
        let intent = self.intent(context, skill, name, script, Verdict::Allowed);
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
        let error = match &ran {
            Ok(ran) => (outcome != Outcome::Done).then(|| clipped(&ended(ran))),
            Err(error) => Some(clipped(&error.message)),
        };
        let event = AuditEvent { intent, outcome, error, sandbox: None, isolation, duration };
        self.audit.record(&event);
        ran.map_err(|error| error.message)
    }

    /// Returns the audit of a hook that may not run.
    pub(super) fn refused(
        &self,
        context: &ToolContext<'_>,
        skill: &ActiveSkill,
        name: &str,
        script: &HookCommand,
        code: &Code,
    ) -> AuditEvent {
        AuditEvent {
            intent: self.intent(context, skill, name, script, Verdict::Denied),
            outcome: Outcome::Refused(code.clone()),
            error: None,
            sandbox: None,
            isolation: None,
            duration: Duration::ZERO,
        }
    }

    fn intent(
        &self,
        context: &ToolContext<'_>,
        skill: &ActiveSkill,
        name: &str,
        script: &HookCommand,
        verdict: Verdict,
    ) -> CallIntent {
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
            ..AuditedDecision::new(verdict)
        });
        intent
    }
}
