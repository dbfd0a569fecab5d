//! Loads skills that match the user's message, without a call of the model.

use std::sync::Arc;

use prowess_core::{
    BodyDelivery, LedgerEntry, LoadMode, LoadRequest, Record, RunPreference, Session as _,
    SessionError, Trust,
};
use prowess_session::SessionHandle;
#[cfg(feature = "filesystem")]
use prowess_source_fs::ProjectTrust;
use prowess_tools::ToolHost;

#[cfg(feature = "filesystem")]
use crate::policies::OF_PROJECT;
use crate::{Error, Runtime, Turn};

impl Runtime {
    /// Starts one model call, as [`Self::turn`] does, and before it loads the skills that match the
    /// user's message if the policy `auto_load` says so. Their bodies are in the instructions;
    /// those for a client of a server are for its next result.
    ///
    /// Only skills of trusted layers are loaded, and those of a project whose folder the user
    /// trusts. One that cannot be read, whose hook `pre` fails, that wants a context of its own, or
    /// that the session has no room for, is left to the model. The model's own first load of a
    /// skill that is loaded so is no mistake.
    ///
    /// # Errors
    ///
    /// As [`Self::turn`].
    pub fn turn_about(&self, session: &SessionHandle, message: &str) -> Result<Turn, Error> {
        if let Some(least) = self.policies().auto_load.min_score {
            self.load_matching(session, message, f32::from(least) / 100.0)?;
        }
        self.turn(session)
    }

    fn load_matching(
        &self,
        session: &SessionHandle,
        message: &str,
        least: f32,
    ) -> Result<(), Error> {
        let catalog = self.catalog();
        let state = session.state()?;
        let is_wanted =
            |record: &Record<'_>| self.is_trusted(*record) && state.find(record.id()).is_none();
        let found = self.search(&catalog, message, self.policies().auto_load.skills);
        let matching = found.iter().filter(|found| found.score > 0.0 && found.score >= least);
        // None takes the room of a skill that is loaded.
        let room = self.policies().session.max_active.saturating_sub(state.active.len());
        let records = matching.map(|found| found.record).filter(is_wanted);
        let read = |record| {
            let skill = self.read_skill(&catalog, record).ok()?;
            (!RunPreference::of(&skill.properties).fork).then_some((record, skill))
        };
        // A client of a server reads no instructions but those at its start.
        let is_foreign = self.policies().tools.host == ToolHost::Foreign;
        let delivery =
            if is_foreign { BodyDelivery::ToolResult } else { BodyDelivery::Instructions };
        for (record, skill) in records.filter_map(read).take(room) {
            let skills = &[Arc::new(skill)];
            let (mode, generation) = (LoadMode::Add, LedgerEntry::NOT_ASKED_FOR);
            let request = LoadRequest { skills, mode, delivery, generation, force: false };
            let hooked = [(record, &*skills[0])];
            let preference = RunPreference::default();
            let loaded = session.check(&request, &preference).and_then(|()| {
                let (load, place) =
                    (|| session.activate(&request).map(drop), session.place(&preference)?);
                // A skill whose hook refuses is left to the model.
                self.with_hooks(session, &catalog, &place, &hooked, load).unwrap_or(Ok(()))
            });
            match loaded {
                Ok(()) | Err(SessionError::TooManySkills { .. } | SessionError::NotAllowed(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Returns whether a skill is in a trusted layer, or in a project: unless the operator says
    /// otherwise, that offers skills only of folders that the user trusts.
    fn is_trusted(&self, record: Record<'_>) -> bool {
        let layer = record.layer();
        #[cfg(feature = "filesystem")]
        if layer.trust == Trust::AskFirst && OF_PROJECT.contains(&&*layer.name) {
            let policies = self.policies();
            let operator = policies.operator.as_deref().unwrap_or(policies);
            return operator.discovery.project_trust == ProjectTrust::Require;
        }
        layer.trust == Trust::Trusted
    }
}
