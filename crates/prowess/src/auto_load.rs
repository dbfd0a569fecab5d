//! Loads skills that match the user's message, without a call of the model.

use std::sync::Arc;

use prowess_core::{BodyDelivery, LoadMode, LoadRequest, Record, SessionError, Trust};
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
        let records = matching.map(|found| found.record).filter(is_wanted);
        let read = |record| Some((record, self.read_skill(&catalog, record).ok()?));
        let skills = records.filter_map(read).filter(|(record, skill)| {
            self.run_pre_hooks(session, &catalog, &[(*record, skill)]).is_ok()
        });
        let skills: Vec<_> = skills.map(|(_, skill)| Arc::new(skill)).collect();
        if skills.is_empty() {
            return Ok(());
        }
        // A client of a server reads no instructions but those at its start.
        let is_foreign = self.policies().tools.host == ToolHost::Foreign;
        let delivery =
            if is_foreign { BodyDelivery::ToolResult } else { BodyDelivery::Instructions };
        let loaded = session.activate(&LoadRequest {
            skills: &skills,
            mode: LoadMode::Add,
            delivery,
            generation: catalog.generation(),
            force: false,
        });
        match loaded {
            Ok(_) | Err(SessionError::TooManySkills { .. } | SessionError::NotAllowed(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
