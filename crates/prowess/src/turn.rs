//! One model call of a conversation.

use std::borrow::Cow;
use std::sync::Arc;

use prowess_core::{
    ActiveSkill, AuditedPlace, BodyDelivery, Caller, Cancel, Catalog, Content, Ranked,
    RenewalEvent, Session, SessionState, ToolCall, ToolContext, ToolDefinition,
};
use prowess_prompt::{Prompt, PromptInput, changed_skills, compose};
use prowess_session::OnChange;
use prowess_tools::{Dispatched, newer_versions};

use crate::{Error, Runtime};

/// One model call. Whatever is reloaded or loaded meanwhile, its prompt stays as it is: what a call
/// loads is in the next turn.
pub struct Turn<'r> {
    runtime: &'r Runtime,
    session: &'r dyn Session,
    catalog: Arc<Catalog>,
    state: SessionState,
    /// The loaded skills of whose changes the model is told.
    changed: Vec<String>,
}

impl<'r> Turn<'r> {
    /// Pins what the turn has. The loaded skills that have changed are first given anew or told of, as the
    /// policy says.
    pub(crate) fn begin(
        runtime: &'r Runtime,
        session: &'r dyn Session,
        catalog: Arc<Catalog>,
        state: SessionState,
    ) -> Result<Self, Error> {
        let mut turn = Self { runtime, session, catalog, state, changed: Vec::new() };
        let newer = match runtime.policies.session.on_change {
            OnChange::Keep => return Ok(turn),
            OnChange::RefreshNextTurn if !turn.gives_in_results() => turn.renew()?,
            OnChange::RefreshNextTurn | OnChange::Notify => turn.newer(),
        };
        turn.changed = newer.into_iter().map(|skill| skill.id).collect();
        Ok(turn)
    }

    fn newer(&self) -> Vec<ActiveSkill> {
        newer_versions(&self.catalog, &self.state.active, self.runtime.clock.now())
    }

    /// Whether bodies come in results of tools, which nobody takes back.
    fn gives_in_results(&self) -> bool {
        self.runtime.policies.prompt.body_delivery == BodyDelivery::ToolResult
    }

    /// Gives the loaded skills that have changed anew; those that the session did not take.
    fn renew(&mut self) -> Result<Vec<ActiveSkill>, Error> {
        let mut newer = self.newer();
        if newer.is_empty() {
            return Ok(newer);
        }
        self.session.renew(&newer)?;
        let before = std::mem::replace(&mut self.state, self.session.state()?);
        newer.retain(|newer| {
            let is_taken =
                self.state.find(&newer.id).is_some_and(|active| active.digest == newer.digest);
            if let (true, Some(before)) = (is_taken, before.find(&newer.id)) {
                self.runtime.audit.renewed(&self.renewal(newer, before));
            }
            !is_taken && self.state.find(&newer.id).is_some()
        });
        Ok(newer)
    }

    fn renewal(&self, newer: &ActiveSkill, before: &ActiveSkill) -> RenewalEvent {
        let place = AuditedPlace { location: newer.location.clone(), layer: newer.layer.clone() };
        RenewalEvent {
            at: newer.loaded_at,
            session: self.session.id().clone(),
            id: newer.id.clone(),
            place,
            before: before.digest,
            after: newer.digest,
        }
    }

    /// The catalog that the turn has pinned.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// The loaded skills of whose changes the model is told, by their ids; none unless the policy of the
    /// conversation wants it. The turn's prompt tells, or, where bodies come in results of tools, each result.
    pub fn changed(&self) -> &[String] {
        &self.changed
    }

    /// What the conversation had loaded when the turn began.
    pub fn state(&self) -> &SessionState {
        &self.state
    }

    /// The text for the model's instructions, with its token ledger. What was loaded and is withdrawn since,
    /// as where the user has taken back the trust in its folder, speaks no more.
    pub fn prompt(&self) -> Prompt {
        let is_there = |active: &ActiveSkill| !self.catalog.is_withdrawn(&active.location);
        let active = &self.state.active;
        let active = match active.iter().all(is_there) {
            true => Cow::Borrowed(active.as_slice()),
            false => active.iter().filter(|active| is_there(active)).cloned().collect(),
        };
        compose(&PromptInput {
            catalog: &self.catalog,
            active: &active,
            changed: if self.gives_in_results() { &[] } else { &self.changed },
            policy: &self.runtime.policies.prompt,
            counter: self.runtime.counter.as_ref(),
        })
    }

    /// The skills of the turn's catalog that suit a query, the best first, at most `limit`.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Ranked<'_>> {
        self.runtime.search(&self.catalog, query, limit)
    }

    /// The tools that the model is shown; none where there is no skill.
    pub fn tools(&self) -> Vec<ToolDefinition> {
        self.runtime.toolbox.definitions(&self.catalog)
    }

    /// Runs a call of the model. It always has an answer.
    pub fn call(&self, call: &ToolCall) -> Dispatched {
        self.call_until(call, &Cancel::default())
    }

    /// As [`Self::call`], ending soon after `cancel`.
    pub fn call_until(&self, call: &ToolCall, cancel: &Cancel) -> Dispatched {
        self.dispatch(call, Caller::Model, cancel)
    }

    /// Runs a call that the user makes by a command of the host's, such as `/pdf`. It takes the way of
    /// every call. A user may load what is not offered to a model, and not what is for a model alone.
    pub fn call_as_user(&self, call: &ToolCall) -> Dispatched {
        self.dispatch(call, Caller::User, &Cancel::default())
    }

    fn dispatch(&self, call: &ToolCall, caller: Caller, cancel: &Cancel) -> Dispatched {
        let context = ToolContext {
            catalog: &self.catalog,
            session: self.session,
            caller,
            clock: self.runtime.clock.as_ref(),
            cancel,
        };
        let mut dispatched = self.runtime.toolbox.dispatch(&context, call);
        if self.gives_in_results() && caller == Caller::Model {
            self.tell_of_changes(&mut dispatched);
        }
        dispatched
    }

    /// Says in a result which loaded skills have changed, where the instructions can say nothing any more.
    fn tell_of_changes(&self, dispatched: &mut Dispatched) {
        // What the call itself has loaded again or unloaded is no more what it was.
        if self.changed.is_empty() {
            return;
        }
        let Ok(now) = self.session.state() else { return };
        let is_still = |id: &&String| {
            let digest = |state: &SessionState| state.find(id).map(|skill| skill.digest);
            digest(&now).is_some() && digest(&now) == digest(&self.state)
        };
        let changed: Vec<_> = self.changed.iter().filter(is_still).cloned().collect();
        if !changed.is_empty() {
            let load_tool = &self.runtime.policies.prompt.load_tool;
            let text = changed_skills(&changed, load_tool);
            dispatched.result.content.push(Content::Text { text });
        }
    }
}
