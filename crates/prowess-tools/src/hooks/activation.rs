//! The hooks around the activation of a skill: `pre` and `post`.

use prowess_core::{ActiveSkill, Code, Digest, Record, SessionState, SkillError, ToolContext};
use prowess_text::{clipped, quoted};
use tracing::warn;

use super::answer::MAX_REASON_CHARS;
use super::declared::Declared;
use super::run::Run;
use super::{SkillHooks, is_active};
use crate::codes;
use crate::gate::Refusal;
use crate::lookup::package::still_there;

impl SkillHooks {
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
        let state = context.session.state()?;
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
}

fn not_loaded(record: Record<'_>, reason: &str) -> Refusal {
    let skill = record.id().to_owned();
    let reason = clipped(reason, MAX_REASON_CHARS * 2);
    let message = format!("skill {} was not loaded: {reason}; tell the user", quoted(&skill));
    Refusal::new(codes::HOOK_FAILED, message).with_error(SkillError::Activation { skill, reason })
}
