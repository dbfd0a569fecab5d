//! The sessions of a runtime.

use std::collections::BTreeSet;
use std::sync::Arc;

use prowess_core::{
    ActiveSkill, Caller, Catalog, Discipline, SessionError, SessionId, SessionSummary,
};
use prowess_session::{ImportRequest, Imported, SessionHandle};

use super::Runtime;
use crate::Error;

impl Runtime {
    /// Opens a session under a new random id.
    ///
    /// # Errors
    ///
    /// The session store fails.
    pub fn open_session(&self) -> Result<SessionHandle, Error> {
        Ok(self.0.sessions.open()?)
    }

    /// Opens a session under an id that the host chooses, such as the id of a chat in its database.
    ///
    /// # Errors
    ///
    /// A session with this id exists, or the session store fails.
    pub fn open_session_with(&self, id: SessionId) -> Result<SessionHandle, Error> {
        Ok(self.0.sessions.open_with(id)?)
    }

    /// Returns a handle of an open session.
    ///
    /// # Errors
    ///
    /// No session with this id is open, or the session store fails.
    pub fn resume_session(&self, id: &SessionId) -> Result<SessionHandle, Error> {
        Ok(self.0.sessions.resume(id)?)
    }

    /// Closes a session and deletes its state. Returns false if no such session was open.
    ///
    /// # Errors
    ///
    /// The session store fails.
    pub fn close_session(&self, id: &SessionId) -> Result<bool, Error> {
        self.close(&self.0.sessions.handle(id))
    }

    /// Closes the session of a handle, as [`Self::close_session`] does. The audit of the end of its
    /// skills, and of their hooks, names the origin of the handle as [`Self::turn`] does.
    ///
    /// # Errors
    ///
    /// The session store fails.
    pub fn close(&self, session: &SessionHandle) -> Result<bool, Error> {
        self.0.conversations.remove(session.id());
        let session = self.named(session, &self.policies().audience);
        Ok(session.close().map_err(SessionError::from)?)
    }

    /// Opens a session under a new random id, which may load the skills with these ids only.
    /// Nothing makes the limit wider again.
    ///
    /// # Errors
    ///
    /// As for [`Self::open_session`].
    pub fn open_session_allowing(&self, allowed: BTreeSet<String>) -> Result<SessionHandle, Error> {
        Ok(self.0.sessions.open_allowing(allowed)?)
    }

    /// Opens a session in which skills become active in this way, whatever the policy says, so that
    /// one runtime serves hosts of several disciplines: under this id, or else a new random one.
    ///
    /// # Errors
    ///
    /// As for [`Self::open_session`].
    pub fn open_session_with_discipline(
        &self,
        discipline: Discipline,
        id: Option<SessionId>,
    ) -> Result<SessionHandle, Error> {
        Ok(self.0.sessions.open_with_discipline(discipline, id)?)
    }

    /// Opens a session as [`SessionHandle::export`] has written it, maybe on another host. Of its
    /// skills, those are loaded that this runtime has with the same id and digest.
    ///
    /// The text is not trusted: it brings no body and no wider limit than `request`.
    ///
    /// # Errors
    ///
    /// The text is not an exported session, it has more skills than the policy allows, or the
    /// session cannot be opened.
    pub fn import_session(&self, json: &str, request: ImportRequest) -> Result<Imported, Error> {
        let catalog = self.catalog();
        let resolve = |exported: &prowess_session::ExportedSkill| {
            self.skill(&catalog, &exported.id).map(Arc::new)
        };
        Ok(self.0.sessions.import(json, request, resolve)?)
    }

    /// Returns one page of the stored sessions in the order of their ids: at most `limit`, those
    /// after `after`.
    ///
    /// # Errors
    ///
    /// The session store fails.
    pub fn list_sessions(
        &self,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, Error> {
        Ok(self.0.sessions.list(after, limit).map_err(SessionError::from)?)
    }

    /// Deletes the expired sessions and returns their number. It only frees space: an expired
    /// session is never used again.
    ///
    /// # Errors
    ///
    /// The session store fails.
    pub fn expire_sessions(&self) -> Result<usize, Error> {
        Ok(self.0.sessions.expire().map_err(SessionError::from)?)
    }

    /// Reads the skill with this id. A session does not record whether a model or a user loaded it.
    fn skill(&self, catalog: &Catalog, id: &str) -> Option<ActiveSkill> {
        let find = |caller| catalog.find(id, caller).found();
        let record = find(Caller::Model).or_else(|| find(Caller::User))?;
        self.read_skill(catalog, record).ok()
    }
}
