//! The parts put together: a registry, conversations and a toolbox.

use std::sync::Arc;

use prowess_core::{
    Audience, AuditSink, Catalog, CatalogProvider, Clock, Ranked, Ranker, Session, SessionId,
    TokenCounter,
};
use prowess_registry::{Refresher, Registry, Reload, Subscription};
use prowess_session::{SessionHandle, Sessions};
use prowess_tools::Toolbox;

use crate::{Error, Policies, RuntimeBuilder, Turn};

/// Everything that an agent needs for its skills. `Send` and `Sync`: one runtime serves any number of
/// conversations on any number of threads.
pub struct Runtime {
    pub(crate) policies: Policies,
    pub(crate) registry: Arc<Registry>,
    pub(crate) refresher: Refresher,
    pub(crate) sessions: Sessions,
    pub(crate) toolbox: Toolbox,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) counter: Arc<dyn TokenCounter>,
    pub(crate) ranker: Arc<dyn Ranker>,
    pub(crate) audit: Arc<dyn AuditSink>,
}

impl Runtime {
    /// Begins a runtime.
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::default()
    }

    /// The policies that it follows.
    pub fn policies(&self) -> &Policies {
        &self.policies
    }

    /// The newest catalog. A turn pins one; ask here only between turns.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.registry.catalog()
    }

    /// The newest catalog as `audience` has it: with the skills that are for it alone, and without those
    /// that are not. It is kept for the next who asks until a reload changes something.
    pub fn view(&self, audience: &Audience) -> Arc<Catalog> {
        self.registry.view(audience)
    }

    /// The skills of a catalog that suit a query, the best first, at most `limit`.
    pub fn search<'c>(
        &self,
        catalog: &'c Arc<Catalog>,
        query: &str,
        limit: usize,
    ) -> Vec<Ranked<'c>> {
        self.ranker.rank(catalog, query, limit)
    }

    /// Who ranks skills for [`Self::search`].
    pub fn ranker(&self) -> &Arc<dyn Ranker> {
        &self.ranker
    }

    /// Scans every source again. Turns that have begun keep their catalog.
    pub fn reload(&self) -> Reload {
        self.refresher.reload()
    }

    /// As [`Self::reload`], unless the last reload is younger than the policy's cool-down; `None` if it
    /// is.
    pub fn refresh(&self) -> Option<Reload> {
        self.refresher.refresh()
    }

    /// Forgets the text of a skill that is kept for the next who loads it, as
    /// [`Registry::forget_body`] does; whether there is such a skill.
    pub fn forget_body(&self, typed: &str) -> bool {
        self.registry.forget_body(typed)
    }

    /// Forgets every text that is kept.
    pub fn forget_bodies(&self) {
        self.registry.forget_bodies();
    }

    /// Hears of each change of the catalog from now on.
    pub fn subscribe(&self) -> Subscription {
        self.registry.subscribe()
    }

    /// As [`Self::subscribe`], and `wake` is called each time there is something to fetch. It runs on
    /// the thread that reloads, so it only takes note: it wakes a task and returns.
    pub fn subscribe_with(&self, wake: impl Fn() + Send + Sync + 'static) -> Subscription {
        self.registry.subscribe_with(wake)
    }

    /// Begins a conversation.
    ///
    /// # Errors
    ///
    /// The session store fails.
    pub fn open_session(&self) -> Result<SessionHandle, Error> {
        Ok(self.sessions.open()?)
    }

    /// Goes on with a conversation.
    ///
    /// # Errors
    ///
    /// It is over, or the session store fails.
    pub fn resume_session(&self, id: &SessionId) -> Result<SessionHandle, Error> {
        Ok(self.sessions.resume(id)?)
    }

    /// Ends a conversation; false if there was none.
    ///
    /// # Errors
    ///
    /// The session store fails.
    pub fn close_session(&self, id: &SessionId) -> Result<bool, Error> {
        Ok(self.sessions.close(id).map_err(prowess_core::SessionError::from)?)
    }

    /// Begins one model call of a conversation: pins the catalog and what is loaded. Where the policy of
    /// refreshing is `ttl` and the catalog is old, the turn reloads first.
    ///
    /// # Errors
    ///
    /// The conversation is over, or the session store fails.
    pub fn turn<'r>(&'r self, session: &'r dyn Session) -> Result<Turn<'r>, Error> {
        self.turn_on(session, || self.catalog())
    }

    /// As [`Self::turn`], for an audience of the host's choice: the catalog is the one of
    /// [`Self::view`].
    ///
    /// # Errors
    ///
    /// As [`Self::turn`].
    pub fn turn_for<'r>(
        &'r self,
        session: &'r dyn Session,
        audience: &Audience,
    ) -> Result<Turn<'r>, Error> {
        self.turn_on(session, || self.view(audience))
    }

    fn turn_on<'r>(
        &'r self,
        session: &'r dyn Session,
        catalog: impl FnOnce() -> Arc<Catalog>,
    ) -> Result<Turn<'r>, Error> {
        let state = session.state()?;
        self.refresher.turn_begins();
        Turn::begin(self, session, catalog(), state)
    }
}
