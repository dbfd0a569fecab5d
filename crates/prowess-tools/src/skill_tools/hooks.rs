//! Scripts that a skill wants to be run before it is loaded and after it was unloaded.

use std::collections::BTreeMap;
use std::time::Duration;

use prowess_core::{
    ActiveSkill, Record, ResourcePath, ScriptOutcome, ScriptRequest, SessionState, SkillError,
    ToolContext, Trust,
};
use prowess_format::{Profile, Rules};
use prowess_text::{clipped, quoted};
use tracing::warn;

use super::operations::Operations;
use super::package::{read_skill_md, still_there};
use super::problem::Problem;
use crate::{HookPolicy, codes};

/// The extension that names scripts of the package in `hooks`.
const EXTENSION: &str = "omniforge";

/// The length of the standard error in a message.
const MAX_ERROR_CHARS: usize = 400;

/// A hook of a skill.
#[derive(Clone, Copy)]
enum Hook {
    /// Before the skill is loaded.
    Pre,
    /// After it was unloaded.
    Post,
}

impl Hook {
    fn key(self) -> &'static str {
        match self {
            Self::Pre => "pre",
            Self::Post => "post",
        }
    }
}

impl Operations {
    /// Runs the hooks of skills that a load makes active. A failing one stops the load.
    pub(super) fn run_pre_hooks(
        &self,
        context: &ToolContext<'_>,
        records: &[Record<'_>],
    ) -> Result<(), Problem> {
        if self.policy.hooks == HookPolicy::Ignore {
            return Ok(());
        }
        let state = context.session.state()?;
        let is_active =
            |record: &Record<'_>| state.active.iter().any(|skill| record.is_at(&skill.location));
        let new = records.iter().filter(|record| !is_active(record));
        new.into_iter().try_for_each(|&record| self.run_hook(context, record, Hook::Pre))
    }

    /// Runs the hooks of the skills that were active in `before` and are not any more. The skills
    /// are unloaded already, so a failing hook is a trace.
    pub(super) fn run_post_hooks(&self, context: &ToolContext<'_>, before: &SessionState) {
        if self.policy.hooks == HookPolicy::Ignore {
            return;
        }
        let Ok(after) = context.session.state() else { return };
        let is_gone = |skill: &ActiveSkill| {
            after.active.iter().all(|active| active.location != skill.location)
        };
        for skill in before.active.iter().rev().filter(|skill| is_gone(skill)) {
            let record = still_there(context.catalog, skill);
            let ran = record.and_then(|record| self.run_hook(context, record, Hook::Post));
            if let Err(problem) = ran {
                let code = problem.code().as_str();
                warn!(target: "prowess", skill = skill.id, code, "hook_failed");
            }
        }
    }

    /// Runs a hook, if the skill has it.
    fn run_hook(
        &self,
        context: &ToolContext<'_>,
        record: Record<'_>,
        hook: Hook,
    ) -> Result<(), Problem> {
        let Some(script) = script_of(context, record, hook)? else { return Ok(()) };
        let failed = |reason: &str| not_run(record, hook, &script, reason);
        let path = ResourcePath::new(&script).map_err(|error| failed(&error.to_string()))?;
        if record.trust() < Trust::Trusted {
            return Err(failed("hooks of sources that are not trusted do not run"));
        }
        let Some(runner) = &self.runner else { return Err(failed("no script can be run here")) };
        let request = ScriptRequest {
            catalog: context.catalog,
            record,
            path: &path,
            arguments: &[],
            environment: &BTreeMap::new(),
            working_directory: None,
            approved: None,
            progress: context.progress,
        };
        let time_limit = Duration::from_secs(self.policy.script_seconds);
        let outcome = runner.run(&request, time_limit, context.cancel);
        let outcome = outcome.map_err(|error| failed(&error.message))?;
        if outcome.exit_code == Some(0) { Ok(()) } else { Err(failed(&reason(&outcome))) }
    }
}

/// Returns the path of a hook as the frontmatter has it.
fn script_of(
    context: &ToolContext<'_>,
    record: Record<'_>,
    hook: Hook,
) -> Result<Option<String>, Problem> {
    let bytes = read_skill_md(context.catalog, record)?;
    let parsed = prowess_format::parse(&bytes, Profile::Extended);
    let Some(document) = parsed.document else { return Ok(None) };
    let fields = &document.frontmatter.fields;
    let extensions = Rules::of(Profile::Extended).extensions;
    let hooks = extensions.value(fields, EXTENSION, "hooks").and_then(|hooks| hooks.as_map());
    let script = hooks.and_then(|hooks| hooks.get(hook.key()));
    Ok(script.and_then(|field| field.value.as_text()).map(str::to_owned))
}

fn reason(outcome: &ScriptOutcome) -> String {
    let ended = match outcome.exit_code {
        _ if outcome.timed_out => "its time was over".to_owned(),
        Some(code) => format!("it ended with exit code {code}"),
        None => "a signal ended it".to_owned(),
    };
    match outcome.stderr.trim() {
        "" => ended,
        error => format!("{ended}: {}", clipped(error, MAX_ERROR_CHARS)),
    }
}

fn not_run(record: Record<'_>, hook: Hook, script: &str, reason: &str) -> Problem {
    let key = hook.key();
    let skill = record.id().to_owned();
    let reason = format!("its hook `{key}`, {}, failed: {reason}", quoted(script));
    let message = format!("skill {} was not loaded: {reason}; tell the user", quoted(&skill));
    Problem::new(codes::HOOK_FAILED, message).with_error(SkillError::Activation { skill, reason })
}
