//! Loaded skills whose files have changed, or that were removed or withdrawn.

use std::sync::Arc;

use prowess_core::{ActiveSkill, Record};
use prowess_prompt::changed_skills;
use prowess_session::{OnChange, operations};
use prowess_tools::{Dispatched, changed_active_skills};

use super::Turn;
use crate::Error;

impl Turn {
    /// Handles the loaded skills that have changed as the policy says.
    pub(super) fn handle_changes(&mut self) -> Result<(), Error> {
        let on_change = self.place.parts.policies.session.on_change;
        match on_change.for_delivery(self.body_delivery()) {
            OnChange::Keep => {}
            OnChange::RefreshNextTurn => self.refresh()?,
            OnChange::Revoke => self.revoke()?,
            OnChange::Notify => {
                self.changed = self.newer().iter().map(|skill| skill.id.clone()).collect();
            }
        }
        Ok(())
    }

    /// Returns the ids of the loaded skills whose changes are reported to the model; none unless
    /// the session's policy requires it. The report is in the turn's prompt or, if bodies are in
    /// results of tools, in each result.
    pub fn changed(&self) -> &[String] {
        &self.changed
    }

    fn newer(&self) -> Vec<Arc<ActiveSkill>> {
        changed_active_skills(&self.place.catalog, &self.state.active, self.place.parts.clock.now())
    }

    /// Unloads the loaded skills that have changed, were removed or were withdrawn.
    fn revoke(&mut self) -> Result<(), Error> {
        let newer = self.newer();
        let is_revoked = |skill: &ActiveSkill| {
            let is_changed = newer.iter().any(|newer| newer.id == skill.id);
            is_changed || self.is_removed(skill) || self.place.catalog.is_withdrawn(&skill.location)
        };
        if self.state.active.iter().any(|skill| is_revoked(skill)) {
            self.place.session.revoke(is_revoked)?;
            self.state = self.place.session.state()?;
        }
        Ok(())
    }

    /// Returns whether the catalog has no package at the location of a loaded skill.
    fn is_removed(&self, skill: &ActiveSkill) -> bool {
        let is_there = |record: Record<'_>| record.is_at(&skill.location);
        let catalog = &self.place.catalog;
        let is_visible = catalog.get(&skill.id).is_some_and(is_there);
        let mut others = catalog.skills().chain(catalog.excluded()).chain(catalog.rejected());
        !is_visible && !others.any(is_there)
    }

    /// Replaces the loaded skills that have changed.
    fn refresh(&mut self) -> Result<(), Error> {
        let newer = self.newer();
        if newer.is_empty() {
            return Ok(());
        }
        self.state = self.place.session.refresh(&newer)?.state;
        Ok(())
    }

    /// Returns the changed skills that the prompt names: none if bodies are in tool results, which
    /// name them then.
    pub(super) fn changed_in_prompt(&self) -> &[String] {
        if self.body_delivery().has_instructions() { &self.changed } else { &[] }
    }

    /// Appends to a result which loaded skills have changed, except those that the call itself has
    /// loaded again or unloaded.
    pub(super) fn append_changed_skills(&self, dispatched: &mut Dispatched) {
        if self.changed.is_empty() {
            return;
        }
        let Ok(now) = self.place.session.state() else { return };
        let changed = operations::unchanged_since(&self.state, &now, &self.changed);
        if !changed.is_empty() {
            dispatched.result.add_note(&changed_skills(&changed, self.load_tool()));
        }
    }
}
