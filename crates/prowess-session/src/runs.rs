//! The runs of skills: from the activation of each to its deactivation, for the audit.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, AuditSink, AuditedOrigin, CallOrigin, Clock, DeactivationCause, RefreshEvent,
    ResumedSkill, RuntimeEvent, SessionId, SessionResumption, SkillActivation, SkillDeactivation,
    Timestamp,
};

use crate::refreshed::ReplacedSkill;

/// Reports the start and the end of runs in one session.
pub(crate) struct Runs<'a> {
    pub(crate) session: &'a SessionId,
    pub(crate) origin: &'a Arc<CallOrigin>,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) audit: &'a dyn AuditSink,
}

impl Runs<'_> {
    /// Reports the skills that only one of two lists has: first those that are no longer loaded.
    pub(crate) fn report(
        &self,
        before: &[Arc<ActiveSkill>],
        after: &[Arc<ActiveSkill>],
        cause: DeactivationCause,
    ) {
        let at = self.clock.now();
        for skill in before.iter().filter(|skill| find(after, &skill.id).is_none()) {
            self.audit.report(&self.deactivation(skill, at, cause));
            if !is_by_call(cause) && has_post_hook(skill) {
                self.trace_hook_not_run(skill, cause);
            }
        }
        for skill in after.iter().filter(|skill| find(before, &skill.id).is_none()) {
            self.audit.report(&self.activation(skill, at));
        }
    }

    /// Emits that a hook did not run: only a call has the consent, the deadline and the caller that
    /// a script runs with.
    fn trace_hook_not_run(&self, skill: &ActiveSkill, cause: DeactivationCause) {
        tracing::info!(
            name: "hook_not_run",
            target: "prowess",
            session = &*self.session.log_name(),
            skill = skill.id,
            hook = "post",
            ?cause,
            "hook_not_run"
        );
    }

    pub(crate) fn report_resumed(&self, active: &[Arc<ActiveSkill>]) {
        if active.is_empty() {
            return;
        }
        let skills = active.iter().map(|skill| ResumedSkill {
            skill: skill.id.clone(),
            correlation: self.origin.run(self.session, skill),
            activated: skill.activated_at,
        });
        self.audit.report(&RuntimeEvent::SessionResumed(SessionResumption {
            at: self.clock.now(),
            session: self.session.clone(),
            skills: skills.collect(),
        }));
    }

    /// Reports the skills that have another content now. `newer` has the versions that replaced
    /// them without a load.
    pub(crate) fn report_replaced(
        &self,
        replaced: &[ReplacedSkill],
        after: &[Arc<ActiveSkill>],
        newer: &[Arc<ActiveSkill>],
    ) {
        for replaced in replaced {
            let Some(skill) = find(after, &replaced.id) else { continue };
            let declared = find(newer, &replaced.id).map(|newer| &newer.allowed_tools);
            self.audit.report(&RuntimeEvent::SkillRefreshed(RefreshEvent {
                at: skill.loaded_at,
                session: self.session.clone(),
                origin: Arc::clone(self.origin),
                correlation: self.origin.run(self.session, skill),
                id: skill.id.clone(),
                place: AuditedOrigin::from(skill),
                before: replaced.before,
                after: replaced.after,
                allowed_tools: skill.allowed_tools.clone(),
                declared_tools: declared.filter(|it| **it != skill.allowed_tools).cloned(),
            }));
        }
    }

    fn activation(&self, skill: &ActiveSkill, at: Timestamp) -> RuntimeEvent {
        RuntimeEvent::SkillActivated(SkillActivation {
            at,
            session: self.session.clone(),
            origin: Arc::clone(self.origin),
            correlation: self.origin.run(self.session, skill),
            skill: skill.id.clone(),
            version: skill.version.clone(),
            place: AuditedOrigin::from(skill),
            digest: skill.digest,
            allowed_tools: skill.allowed_tools.clone(),
        })
    }

    fn deactivation(
        &self,
        skill: &ActiveSkill,
        at: Timestamp,
        cause: DeactivationCause,
    ) -> RuntimeEvent {
        RuntimeEvent::SkillDeactivated(SkillDeactivation {
            at,
            session: self.session.clone(),
            origin: Arc::clone(self.origin),
            correlation: self.origin.run(self.session, skill),
            skill: skill.id.clone(),
            duration: at.since(skill.activated_at),
            cause,
        })
    }
}

/// Returns `after` with the start of its run for each skill that `before` has too.
pub(crate) fn continued(
    before: &[Arc<ActiveSkill>],
    mut after: Vec<Arc<ActiveSkill>>,
) -> Vec<Arc<ActiveSkill>> {
    for skill in &mut after {
        let earlier = find(before, &skill.id).map(|earlier| earlier.activated_at);
        if let Some(activated_at) = earlier.filter(|&earlier| earlier != skill.activated_at) {
            Arc::make_mut(skill).activated_at = activated_at;
        }
    }
    after
}

fn find<'s>(skills: &'s [Arc<ActiveSkill>], id: &str) -> Option<&'s ActiveSkill> {
    skills.iter().map(Arc::as_ref).find(|skill| skill.id == id)
}

/// Returns whether a call of a tool ended the run, which then ran the skill's hook.
fn is_by_call(cause: DeactivationCause) -> bool {
    matches!(cause, DeactivationCause::Unloaded | DeactivationCause::Replaced)
}

/// Returns whether the skill has a script that runs after it was unloaded.
fn has_post_hook(skill: &ActiveSkill) -> bool {
    let hooks = skill.properties.get("hooks");
    hooks.and_then(|hooks| hooks.get("post")).is_some_and(serde_json::Value::is_string)
}
