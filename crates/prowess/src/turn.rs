//! One model call of a conversation.

use std::borrow::Cow;
use std::sync::Arc;

use prowess_core::{
    ActiveSkill, AuditedPlace, BodyDelivery, Caller, Cancel, Catalog, Ranked, RenewalEvent,
    Session, SessionState, ToolCall, ToolContext, ToolDefinition,
};
use prowess_prompt::{Prompt, PromptInput, compose};
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
    /// Pins what the turn has, after it is seen to that the loaded skills are what the policy wants of those
    /// that have changed.
    pub(crate) fn begin(
        runtime: &'r Runtime,
        session: &'r dyn Session,
        catalog: Arc<Catalog>,
    ) -> Result<Self, Error> {
        let state = session.state()?;
        let mut turn = Self { runtime, session, catalog, state, changed: Vec::new() };
        let newer = match runtime.policies.session.on_change {
            OnChange::Keep => return Ok(turn),
            _ => newer_versions(&turn.catalog, &turn.state.active, runtime.clock.now()),
        };
        let is_given_anew = runtime.policies.session.on_change == OnChange::RefreshNextTurn
            && runtime.policies.prompt.body_delivery == BodyDelivery::Instructions;
        if is_given_anew && !newer.is_empty() {
            turn.renew(&newer)?;
        } else {
            turn.changed = newer.into_iter().map(|skill| skill.id).collect();
        }
        Ok(turn)
    }

    fn renew(&mut self, newer: &[ActiveSkill]) -> Result<(), Error> {
        self.session.renew(newer)?;
        let before = std::mem::replace(&mut self.state, self.session.state()?);
        for newer in newer {
            let Some(before) = before.find(&newer.id) else { continue };
            self.runtime.audit.renewed(&RenewalEvent {
                at: newer.loaded_at,
                session: self.session.id().clone(),
                id: newer.id.clone(),
                place: AuditedPlace {
                    location: newer.location.clone(),
                    layer: newer.layer.clone(),
                },
                before: before.digest,
                after: newer.digest,
            });
        }
        Ok(())
    }
    /// The catalog that the turn has pinned.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// The loaded skills of whose changes the turn's prompt tells the model, by their ids; none unless the
    /// policy of the conversation wants it.
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
            changed: &self.changed,
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
        self.runtime.toolbox.dispatch(&context, call)
    }
}
