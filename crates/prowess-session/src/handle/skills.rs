//! The loaded skills of a session, and their bodies in the conversation.

use std::collections::BTreeSet;
use std::sync::Arc;

use prowess_core::{
    ActiveSkill, BodyDelivery, DeactivationCause, LoadMode, LoadOutcome, LoadRequest, Receipt,
    SessionError, SessionScope, SessionState, Unload,
};

use super::SessionHandle;
use super::stored::Change;
use crate::ledger::{self, KeptDeliveries, Loaded};
use crate::operations;
use crate::refreshed::Refreshed;

impl SessionHandle {
    /// Loads skills, whose bodies are in the instructions. The change is atomic, also with other
    /// threads and processes.
    ///
    /// # Errors
    ///
    /// As for [`Self::activate`].
    pub fn load(
        &self,
        skills: &[Arc<ActiveSkill>],
        mode: LoadMode,
    ) -> Result<Receipt, SessionError> {
        Ok(self.activate(&ledger::in_instructions(skills, mode))?.receipt)
    }

    /// Loads skills, and returns the bodies that the context of the model does not have. The change
    /// is atomic, also with other threads and processes.
    ///
    /// # Errors
    ///
    /// More skills would be loaded than the policy allows, the policy or the scope of the session
    /// refuses one, or as for [`Self::state`].
    pub fn activate(&self, request: &LoadRequest<'_>) -> Result<LoadOutcome, SessionError> {
        let policy = &self.shared.policy;
        let change = self.change(|before| {
            let Loaded { state, outcome } = ledger::load(before, request, policy)?;
            Ok((state, outcome))
        })?;
        self.report(&change, DeactivationCause::Replaced);
        Ok(change.outcome)
    }

    /// Binds skills to the session, such as those that its agent uses: they are active until they
    /// are revoked or the session ends, and their bodies are in the instructions. `generation` is
    /// that of the catalog that they are from.
    ///
    /// # Errors
    ///
    /// As for [`Self::activate`].
    pub fn bind(
        &self,
        skills: &[Arc<ActiveSkill>],
        generation: u64,
    ) -> Result<SessionState, SessionError> {
        let policy = &self.shared.policy;
        let change =
            self.change(|before| Ok((ledger::bind(before, skills, generation, policy)?, ())))?;
        self.report(&change, DeactivationCause::Replaced);
        Ok(change.after)
    }

    /// Unloads skills, except those that are bound to the session. A skill that is not loaded is
    /// ignored.
    ///
    /// # Errors
    ///
    /// The session is a stack and a skill lies below one that stays, or as for [`Self::state`].
    pub fn unload(&self, which: &Unload) -> Result<Receipt, SessionError> {
        let change = self.change(|before| {
            let discipline = self.shared.policy.within(&before.scope).discipline;
            let active = operations::unload(&before.active, which, discipline)?;
            Ok((ledger::with_active(before, ledger::with_bound(before, active)), ()))
        })?;
        self.report(&change, DeactivationCause::Unloaded);
        Ok(Receipt::from(&change.after))
    }

    /// Unloads every skill at the end of a task, also in a stack, except those that are bound to
    /// the session. Returns their number.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn end_task(&self) -> Result<usize, SessionError> {
        let change = self.change(|before| {
            let bound = ledger::with_bound(before, Vec::new());
            Ok((ledger::with_active(before, bound), ()))
        })?;
        self.report(&change, DeactivationCause::TaskCompleted);
        Ok(change.before.active.len() - change.after.active.len())
    }

    /// Unloads the skills that `is_revoked` accepts, whatever their position, such as those whose
    /// digest or trust has changed. Returns them.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn revoke(
        &self,
        is_revoked: impl Fn(&ActiveSkill) -> bool,
    ) -> Result<Vec<Arc<ActiveSkill>>, SessionError> {
        let change = self.change(|before| {
            let (revoked, kept) =
                before.active.iter().cloned().partition(|skill| is_revoked(skill));
            Ok((ledger::with_active(before, kept), revoked))
        })?;
        self.report(&change, DeactivationCause::Revoked);
        Ok(change.outcome)
    }

    /// Limits the session to the skills in `allowed` that it may load already, and unloads the
    /// others. Nothing makes the limit wider again.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn restrict(&self, allowed: &BTreeSet<String>) -> Result<Receipt, SessionError> {
        let change = self.change(|before| {
            let allowed = before.scope.narrowed(Some(allowed));
            let scope = SessionScope { allowed, ..(*before.scope).clone() };
            let is_kept = |skill: &&Arc<ActiveSkill>| scope.allows(&skill.id);
            let active = before.active.iter().filter(is_kept).cloned().collect();
            let state = ledger::with_active(before, active);
            Ok((SessionState { scope: Arc::new(scope), ..state }, ()))
        })?;
        self.report(&change, DeactivationCause::Revoked);
        Ok(Receipt::from(&change.after))
    }

    /// Records that the host has compacted the conversation and which deliveries it kept. Returns
    /// the state; [`ledger::injection`] selects what to deliver again.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn compacted(&self, kept: &KeptDeliveries) -> Result<SessionState, SessionError> {
        Ok(self.change(|before| Ok((ledger::compacted(before, kept), ())))?.after)
    }

    /// Records that the host has delivered the bodies of these skills again.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn injected(
        &self,
        ids: &[String],
        delivery: BodyDelivery,
    ) -> Result<SessionState, SessionError> {
        Ok(self.change(|before| Ok((ledger::injected(before, ids, delivery), ())))?.after)
    }

    /// Replaces loaded skills by newer versions with the same id and location, and reports each to
    /// the audit. Ignores a version of a skill that is not loaded. The `allowed-tools` of a skill
    /// stay those that it was loaded with, until it is loaded again.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn refresh(&self, newer: &[Arc<ActiveSkill>]) -> Result<Refreshed, SessionError> {
        let Change { before, after, .. } = self.change(|before| {
            let active = operations::refresh(&before.active, newer);
            Ok((ledger::with_active(before, active), ()))
        })?;
        let replaced = operations::replaced(&before.active, &after.active);
        self.runs().report_replaced(&replaced, &after.active, newer);
        Ok(Refreshed { state: after, replaced })
    }

    fn report<T>(&self, change: &Change<T>, cause: DeactivationCause) {
        let Change { before, after, .. } = change;
        self.runs().report(&before.active, &after.active, cause);
        let replaced = operations::replaced(&before.active, &after.active);
        self.runs().report_replaced(&replaced, &after.active, &[]);
    }
}
