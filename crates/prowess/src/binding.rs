//! Binds the skills that an agent uses to its session.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, Audience, Caller, Cancel, Catalog, LoadPlace, Lookup, ReadLimit, Record,
    ResourcePath, SessionError, SkillError,
};
use prowess_session::{SessionHandle, ledger};
use prowess_tools::{HookPolicy, Refusal, RequiresMode};

use crate::turn::CallPlace;
use crate::{Agent, BindError, Error, Runtime};

impl Runtime {
    /// Opens a session for an agent, with the skills that it uses.
    ///
    /// # Errors
    ///
    /// As [`Self::open_session`] and [`Self::bind_agent`].
    pub fn open_session_for(&self, agent: &Agent) -> Result<SessionHandle, Error> {
        let session = self.open_session()?;
        match self.bind_agent(&session, agent) {
            Ok(()) => Ok(session),
            Err(error) => {
                self.close(&session)?;
                Err(error)
            }
        }
    }

    /// Binds the skills that an agent uses to an open session, such as a fork of the session of the
    /// agent that calls it. They are active until the session ends, and their bodies are in the
    /// instructions whatever the delivery of other bodies is: see
    /// [`Turn::for_agent`](crate::Turn::for_agent).
    ///
    /// An agent without skills leaves the session as it is.
    ///
    /// # Errors
    ///
    /// There is no such skill, its file is broken, its hook `pre` fails, the session may not have
    /// it, or the session store fails. Then no skill is bound.
    pub fn bind_agent(&self, session: &SessionHandle, agent: &Agent) -> Result<(), Error> {
        if agent.manifest.uses_skills.is_empty() {
            return Ok(());
        }
        let id = Some(agent.manifest.id.clone());
        let catalog = self.view(&Audience { agent: id, ..self.policies().audience.clone() });
        let found = self.skills_of(agent, &catalog)?;
        let hooked: Vec<_> = found.iter().map(|(record, skill)| (*record, &**skill)).collect();
        let skills: Vec<_> = found.iter().map(|(_, skill)| Arc::clone(skill)).collect();
        let (generation, policy) = (catalog.generation(), &self.policies().session);
        // A load that the session refuses runs no hook.
        ledger::bind(&session.state()?, &skills, generation, policy)?;
        let bind = || session.bind(&skills, generation);
        let bound = self
            .with_hooks(session, &catalog, &LoadPlace::default(), &hooked, bind)
            .map_err(|refusal| {
                let agent = agent.manifest.id.clone();
                let reason = format!("which is not bound: {}", refusal.message);
                let skill = match refusal.error.as_deref() {
                    Some(SkillError::Activation { skill, .. }) => skill.clone(),
                    _ => skills[0].id.clone(),
                };
                BindError { agent, skill, reason }
            });
        bound??;
        Ok(())
    }

    /// Reads the skills that an agent uses, each once, and if the policy says so those that they
    /// require in front of them.
    fn skills_of<'c>(
        &self,
        agent: &Agent,
        catalog: &'c Catalog,
    ) -> Result<Vec<(Record<'c>, Arc<ActiveSkill>)>, BindError> {
        let mut records: Vec<Record<'_>> = Vec::new();
        for skill in &agent.manifest.uses_skills {
            let failed = |reason: String| BindError {
                agent: agent.manifest.id.clone(),
                skill: skill.clone(),
                reason,
            };
            for record in self.with_required(catalog, skill).map_err(failed)? {
                if records.iter().all(|known| known.index() != record.index()) {
                    records.push(record);
                }
            }
        }
        let read = |record: Record<'c>| {
            let failed = |reason| BindError {
                agent: agent.manifest.id.clone(),
                skill: record.id().to_owned(),
                reason,
            };
            Ok((record, Arc::new(self.read_skill(catalog, record).map_err(failed)?)))
        };
        records.into_iter().map(read).collect()
    }

    fn with_required<'c>(
        &self,
        catalog: &'c Catalog,
        skill: &str,
    ) -> Result<Vec<Record<'c>>, String> {
        // The operator wrote the manifest, so a skill that only users may load can be bound.
        let found = match catalog.find(skill, Caller::Model) {
            Lookup::Unavailable(..) => catalog.find(skill, Caller::User),
            found => found,
        };
        let record = match found {
            Lookup::Found(record) => record,
            Lookup::Unavailable(_, reason) => {
                return Err(format!("which is not available: {reason}"));
            }
            Lookup::Ambiguous(one, other) => {
                return Err(format!("which may be `{}` or `{}`", one.id(), other.id()));
            }
            Lookup::Unknown => return Err("which does not exist".to_owned()),
        };
        if self.policies().tools.requires != RequiresMode::AutoLoad {
            return Ok(vec![record]);
        }
        let ordered = catalog.load_order(record, Caller::User);
        ordered.map_err(|unmet| format!("whose requirements are not met: {unmet}"))
    }

    /// Makes skills active without a call of a tool, by `activate`, and runs their hooks around it.
    /// No person can be asked about them, so only those of trusted sources run.
    pub(crate) fn with_hooks<T>(
        &self,
        session: &SessionHandle,
        catalog: &Arc<Catalog>,
        place: &LoadPlace,
        skills: &[(Record<'_>, &ActiveSkill)],
        activate: impl FnOnce() -> Result<T, SessionError>,
    ) -> Result<Result<T, SessionError>, Refusal> {
        let (parts, boundary) = (self.parts(), self.boundary(session.id()));
        let (session, catalog) = (session.clone(), Arc::clone(catalog));
        let (call, cancel) = (CallPlace { parts, session, catalog, boundary }, Cancel::default());
        let context = call.context(Caller::User, &cancel);
        if self.policies().tools.hooks == HookPolicy::Run {
            call.parts.gate.check_hooks(&context, skills)?;
        }
        call.parts.hooks.around_activation(&context, place, skills, activate)
    }

    /// Reads the `SKILL.md` of a record. The reason of a failure follows the name of the skill.
    pub(crate) fn read_skill(
        &self,
        catalog: &Catalog,
        record: Record<'_>,
    ) -> Result<ActiveSkill, String> {
        let path = ResourcePath::new(record.file()).map_err(|error| format!("whose {error}"))?;
        let bytes = catalog
            .read(record, &path, ReadLimit::default())
            .map_err(|error| format!("which cannot be read: {}", error.message))?;
        ActiveSkill::of(record, &bytes, self.now())
            .map_err(|error| format!("which cannot be loaded: {error}"))
    }
}
