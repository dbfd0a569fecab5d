//! The skills of a session between delimiters.

use std::sync::Arc;

use prowess_core::{ActiveSkill, Boundary, SessionId};
use prowess_prompt::{SkillFilter, SkillsPromptInput, skills_prompt};

use crate::{Error, Runtime};

impl Runtime {
    /// Returns the skills that pass a filter, in plain text between delimiters: those of the newest
    /// catalog and, with a session, its loaded ones with their bodies. See
    /// [`skills_prompt`](prowess_prompt::skills_prompt).
    ///
    /// # Errors
    ///
    /// No session with this id is open, or the session store fails.
    pub fn skills_prompt(
        &self,
        session: Option<&SessionId>,
        filter: &SkillFilter,
    ) -> Result<String, Error> {
        let catalog = self.catalog();
        let mut active: Option<Vec<Arc<ActiveSkill>>> = None;
        // Without a session there is no body, and so nothing that a boundary keeps apart.
        let mut boundary = Boundary::new("");
        if let Some(id) = session {
            let mut state = self.resume_session(id)?.state()?;
            state.active.retain(|skill| !catalog.is_withdrawn(&skill.location));
            active = Some(state.active);
            boundary = self.boundary(id);
        }
        Ok(skills_prompt(&SkillsPromptInput {
            catalog: &catalog,
            active: active.as_deref(),
            filter,
            show_location: self.policies().delivery.show_location,
            boundary: &boundary,
        }))
    }
}
