//! The runs of skills: from the activation of each to its deactivation, for the audit.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, AuditSink, AuditedOrigin, CallOrigin, Clock, DeactivationCause, RefreshEvent,
    ResumedSkill, RuntimeEvent, SessionId, SessionResumption, SkillActivation, SkillDeactivation,
    Timestamp,
};

use crate::refreshed::ReplacedSkill;

/// Skills of one session that are no longer loaded.
#[derive(Clone, Debug)]
pub struct EndedSkills<'a> {
    /// The session, which may be closed.
    pub session: &'a SessionId,
    /// The agent, task, tenant and model of the change.
    pub origin: &'a Arc<CallOrigin>,
    /// The skills, the most recently loaded first.
    pub skills: Vec<&'a ActiveSkill>,
}

/// Receives skills that are no longer loaded, each end of a skill once, on the thread that ended
/// it.
pub type OnEnd = Arc<dyn Fn(&EndedSkills<'_>) + Send + Sync>;

/// Reports the start and the end of runs in one session.
pub(crate) struct Runs<'a> {
    pub(crate) session: &'a SessionId,
    pub(crate) origin: &'a Arc<CallOrigin>,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) audit: &'a dyn AuditSink,
    pub(crate) on_end: Option<&'a OnEnd>,
}

impl Runs<'_> {
    /// Reports the skills that only one of two lists has: first those that are no longer loaded,
    /// in the order of a stack.
    pub(crate) fn report(
        &self,
        before: &[Arc<ActiveSkill>],
        after: &[Arc<ActiveSkill>],
        cause: DeactivationCause,
    ) {
        let at = self.clock.now();
        for skill in before.iter().rev().filter(|skill| find(after, &skill.id).is_none()) {
            self.audit.report(&self.deactivation(skill, at, cause));
        }
        for skill in after.iter().filter(|skill| find(before, &skill.id).is_none()) {
            self.audit.report(&self.activation(skill, at));
        }
        let Some(on_end) = self.on_end else { return };
        // Another package of the same id is another skill.
        let is_gone = |skill: &&Arc<ActiveSkill>| {
            after.iter().all(|active| active.location != skill.location)
        };
        let skills: Vec<_> = before.iter().rev().filter(is_gone).map(Arc::as_ref).collect();
        if !skills.is_empty() {
            on_end(&EndedSkills { session: self.session, origin: self.origin, skills });
        }
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
