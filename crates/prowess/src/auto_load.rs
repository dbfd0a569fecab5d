//! Loads skills that match the user's message, without a call of the model.

use std::sync::Arc;

use prowess_core::{
    BodyDelivery, LoadMode, LoadRequest, Record, RunPreference, Session as _, SessionError, Trust,
};
use prowess_session::SessionHandle;
use prowess_tools::ToolHost;

use crate::{Error, Runtime, Turn};

impl Runtime {
    /// Starts one model call, as [`Self::turn`] does, and before it loads the skills that match the
    /// user's message if the policy `auto_load` says so. Their bodies are in the instructions;
    /// those for a client of a server are for its next result.
    ///
    /// Only skills of trusted layers are loaded. One that cannot be read, whose hook `pre` fails,
    /// or that the session has no room for, is left to the model.
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
        let is_wanted = |record: &Record<'_>| {
            record.layer().trust == Trust::Trusted && state.find(record.id()).is_none()
        };
        let found = self.search(&catalog, message, self.policies().auto_load.skills);
        let matching = found.iter().filter(|found| found.score > 0.0 && found.score >= least);
        // A skill that is loaded later must not take the room of one that has just been loaded.
        let most = self.policies().session.max_active;
        let records = matching.map(|found| found.record).filter(is_wanted).take(most);
        let read = |record| Some((record, self.read_skill(&catalog, record).ok()?));
        // A client of a server reads no instructions but those at its start.
        let is_foreign = self.policies().tools.host == ToolHost::Foreign;
        let delivery =
            if is_foreign { BodyDelivery::ToolResult } else { BodyDelivery::Instructions };
        for (record, skill) in records.filter_map(read) {
            let skills = &[Arc::new(skill)];
            let (mode, generation) = (LoadMode::Add, catalog.generation());
            let request = LoadRequest { skills, mode, delivery, generation, force: false };
            let hooked = [(record, &*skills[0])];
            let loaded = session.check(&request, &RunPreference::default()).and_then(|()| {
                let load = || session.activate(&request).map(drop);
                // A skill whose hook refuses is left to the model.
                self.with_hooks(session, &catalog, &hooked, load).unwrap_or(Ok(()))
            });
            match loaded {
                Ok(()) | Err(SessionError::TooManySkills { .. } | SessionError::NotAllowed(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
