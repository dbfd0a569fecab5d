//! The hooks around the activation of a skill: `pre` and `post`.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, Boundary, CallOrigin, Caller, Cancel, Catalog, Clock, Code, Digest, LoadMode,
    LoadPlace, Progress, Receipt, Record, Session, SessionError, SessionId, SessionState,
    SkillError, ToolContext, Unload,
};
use prowess_text::{clipped, quoted};
use tracing::warn;

use super::answer::MAX_REASON_CHARS;
use super::declared::Declared;
use super::run::Run;
use super::{SkillHooks, is_active, state_before};
use crate::codes;
use crate::gate::Refusal;
use crate::guarded::guarded;
use crate::lookup::package::still_there;

impl SkillHooks {
    /// Makes skills active by `activate` in this place, after their hooks `pre`, and without hooks
    /// where no session has them. `skills` has their content. If a
    /// hook or `activate` fails, the hooks `post` of those whose `pre` ran run, the last one first.
    ///
    /// # Errors
    ///
    /// A hook fails, cannot run or is not valid. Then `activate` is not called.
    pub fn around_activation<T, E>(
        &self,
        context: &ToolContext<'_>,
        place: &LoadPlace,
        skills: &[(Record<'_>, &ActiveSkill)],
        activate: impl FnOnce() -> Result<T, E>,
    ) -> Result<Result<T, E>, Refusal> {
        if self.is_off() || place.is_stateless {
            return Ok(activate());
        }
        let state = state_before(context, place)?;
        let fork = place.fork.as_ref().map(Closed);
        let session = fork.as_ref().map_or(context.session, |fork| fork as &dyn Session);
        let context = &ToolContext { session, ..*context };
        let subject = self.subject(&state, skills.iter().copied());
        let mut hooked = Vec::new();
        for &(record, skill) in skills.iter().filter(|(record, _)| !is_active(&state, *record)) {
            let failed = |reason: String| not_loaded(record, &reason);
            let declared = Declared::of(skill).map_err(failed)?;
            if !declared.is_empty() {
                // The approval of the call is of the package of its subject alone.
                let approved = context.approved.filter(|_| subject == Some(record.index()));
                self.check_trust(record, approved).map_err(failed)?;
                hooked.push((record, skill, declared.pre, approved));
            }
        }
        let ToolContext { catalog, origin, clock, .. } = *context;
        let ended = EndedRun { catalog, session: context.session.id(), origin, clock };
        let mut ran = Vec::new();
        for (record, skill, pre, approved) in hooked {
            self.memory.approve(context.session.id(), skill, approved);
            let Some(script) = &pre else { continue };
            let (name, seconds) = ("pre", self.seconds);
            let run = Run { record, skill, name, script, input: vec![], seconds, approved };
            if let Err(reason) = self.succeed(context, &run) {
                self.after_end(&ended, &ran);
                return Err(not_loaded(record, &reason));
            }
            ran.insert(0, skill);
        }
        Ok(activate().inspect_err(|_| self.after_end(&ended, &ran)))
    }

    /// Runs the hooks `post` of skills that are no longer loaded, in this order. The skills are
    /// unloaded already, so a failing hook is a trace. One that cannot run is refused in the audit.
    pub fn after_end(&self, ended: &EndedRun<'_>, skills: &[&ActiveSkill]) {
        if self.is_off() {
            return;
        }
        let EndedRun { catalog, session, origin, clock } = *ended;
        let context = &ToolContext {
            catalog,
            session: &Closed(session),
            caller: Caller::User,
            origin,
            clock,
            cancel: &Cancel::default(),
            approved: None,
            progress: Progress::default(),
            boundary: &Boundary::new(""),
            result_bytes: None,
            keeps_results: false,
        };
        for &skill in skills {
            let approved = self.memory.forget(session, skill);
            // A task ends while its thread panics, too.
            let ran = guarded(|| self.run_post(context, skill, approved));
            let broken = || Err((codes::HOOK_FAILED, "it broke down".to_owned()));
            if let Err((code, error)) = ran.unwrap_or_else(broken) {
                warn!(target: "prowess", skill = skill.id, code = code.as_str(), error, "hook_failed");
            }
        }
    }

    fn run_post(
        &self,
        context: &ToolContext<'_>,
        skill: &ActiveSkill,
        approved: Option<Digest>,
    ) -> Result<(), (Code, String)> {
        let failed = |reason| (codes::HOOK_FAILED, reason);
        let declared = Declared::of(skill).map_err(failed)?;
        let Some(script) = &declared.post else { return Ok(()) };
        let name = "post";
        let record = still_there(context.catalog, skill).map_err(|it| (it.code, it.message));
        let trusted = |record| self.check_trust(record, approved).map(|()| record).map_err(failed);
        let record = record.and_then(trusted).inspect_err(|(code, _)| {
            self.audit.record(&self.refused(context, skill, name, script, code));
        })?;
        let seconds = self.seconds;
        let run = Run { record, skill, name, script, input: vec![], seconds, approved };
        self.succeed(context, &run).map_err(failed)
    }
}

/// Where skills have ended.
#[derive(Clone, Copy)]
pub struct EndedRun<'a> {
    /// The newest catalog.
    pub catalog: &'a Arc<Catalog>,
    /// The session, which may be closed.
    pub session: &'a SessionId,
    /// The agent, task, tenant and model for the audit.
    pub origin: &'a Arc<CallOrigin>,
    /// The host's clock.
    pub clock: &'a dyn Clock,
}

/// A session whose skills a hook cannot see or change: it has ended, or does not exist yet.
struct Closed<'a>(&'a SessionId);

impl Closed<'_> {
    fn error<T>(&self) -> Result<T, SessionError> {
        Err(SessionError::NotFound(self.0.clone()))
    }
}

impl Session for Closed<'_> {
    fn id(&self) -> &SessionId {
        self.0
    }

    fn state(&self) -> Result<SessionState, SessionError> {
        self.error()
    }

    fn load(&self, _: &[Arc<ActiveSkill>], _: LoadMode) -> Result<Receipt, SessionError> {
        self.error()
    }

    fn unload(&self, _: &Unload) -> Result<Receipt, SessionError> {
        self.error()
    }
}

fn not_loaded(record: Record<'_>, reason: &str) -> Refusal {
    let skill = record.id().to_owned();
    let reason = clipped(reason, MAX_REASON_CHARS * 2);
    let message = format!("skill {} was not loaded: {reason}; tell the user", quoted(&skill));
    Refusal::new(codes::HOOK_FAILED, message).with_error(SkillError::Activation { skill, reason })
}
