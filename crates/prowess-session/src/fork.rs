//! Child sessions, which may do less than the session that they were forked from: its active skills
//! limit them as well.

use std::collections::BTreeSet;
use std::sync::Arc;

use prowess_core::{
    ActiveSkill, LoadOutcome, LoadRequest, RunPreference, SessionError, SessionId, SessionScope,
    SessionState,
};

use crate::{OpenError, SessionHandle, identity, ledger};

/// A request to fork a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForkRequest {
    /// The id of the child; by default a random one.
    pub id: Option<SessionId>,
    /// The ids of the skills that the child may load; by default those of its parent. It never may
    /// load a skill that its parent may not load.
    pub allowed: Option<BTreeSet<String>>,
    /// The ids of the parent's active skills that are active in the child from the start. Ignores
    /// others.
    pub inherit: Vec<String>,
    /// How the host should run the child.
    pub preference: RunPreference,
}

impl ForkRequest {
    /// Returns the request for a skill that asks for a session of its own: the child may load this
    /// skill only, and has it if its parent has.
    pub fn for_skill(skill: &ActiveSkill) -> Self {
        Self {
            id: None,
            allowed: Some(BTreeSet::from([skill.id.clone()])),
            inherit: vec![skill.id.clone()],
            preference: RunPreference::of(&skill.properties),
        }
    }
}

impl SessionHandle {
    /// Returns a handle of a session that was forked from this one, such as by a load whose result
    /// names it in [`ToolResult::fork`](prowess_core::ToolResult::fork). It has the origin of this
    /// handle.
    pub fn forked(&self, id: SessionId) -> SessionHandle {
        SessionHandle::new(Arc::clone(self.shared()), id).with_origin((**self.origin()).clone())
    }

    /// Opens a child that may load these skills alone, and makes them active in it.
    pub(crate) fn fork_with(
        &self,
        request: &LoadRequest<'_>,
        preference: &RunPreference,
        id: &SessionId,
    ) -> Result<LoadOutcome, SessionError> {
        let allowed = Some(request.skills.iter().map(|skill| skill.id.clone()).collect());
        let (id, preference) = (Some(id.clone()), preference.clone());
        let child = self.fork(&ForkRequest { id, allowed, preference, inherit: Vec::new() })?;
        let loaded = child.activate(request);
        if loaded.is_err() {
            child.close()?;
        }
        loaded
    }

    /// Opens a child of this session. The parent does not change, and later changes of one do not
    /// affect the other. The skills that are active now stay limits of the child:
    /// [`SessionState::limiting`]. The example `task_and_fork` of `examples/extension-points` has
    /// one.
    ///
    /// # Errors
    ///
    /// This session is not open, the id of the child is taken, or the store fails.
    pub fn fork(&self, request: &ForkRequest) -> Result<SessionHandle, OpenError> {
        let parent = self.state()?;
        let id = match &request.id {
            Some(id) => id.clone(),
            None => identity::session()?,
        };
        let limit = |skill: &Arc<ActiveSkill>| {
            Arc::new(ActiveSkill { body: Arc::from(""), ..(**skill).clone() })
        };
        let scope = SessionScope {
            parent: Some(parent.id.clone()),
            allowed: parent.scope.narrowed(request.allowed.as_ref()),
            limits: parent.limiting().map(limit).collect(),
            discipline: parent.scope.discipline,
            preference: request.preference.clone(),
            ..SessionScope::default()
        };
        let is_inherited =
            |skill: &ActiveSkill| request.inherit.contains(&skill.id) && scope.allows(&skill.id);
        let inherited = ledger::inherited(&parent, is_inherited);
        let now = self.shared().clock.now();
        let child = SessionState {
            active: inherited.active,
            ledger: inherited.ledger,
            scope: Arc::new(scope),
            ..SessionState::new(id.clone(), now)
        };
        self.shared().create(child, self.origin())?;
        Ok(self.forked(id))
    }
}
