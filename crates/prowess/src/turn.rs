//! One model call of a session.

mod calls;
mod changed_skills;
mod decisions;
mod definitions;
mod levels;
mod permit;
mod prompt;
mod requests;
mod user_commands;

pub use calls::CallOptions;
pub use permit::Permit;
pub use requests::RequestParts;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use prowess_core::{
    BodyDelivery, Boundary, Catalog, DeliveryPolicy, Ranked, SessionState, TokenCounter,
};
use prowess_prompt::CatalogBaseline;
use prowess_session::SessionHandle;
use prowess_tools::skill_directories;
use tracing::Span;

use crate::faces::Face;
use crate::parts::Parts;
use crate::{Agent, Error, Policies, trace};
pub(crate) use permit::CallPlace;

/// One model call of a session: its prompt, its tools and the calls that the model makes.
///
/// The catalog and the loaded skills stay as they were when the turn started. A skill that a call
/// loads is in the prompt of the next turn. A turn owns what it needs, so it can move to another
/// thread.
pub struct Turn {
    place: Arc<CallPlace>,
    state: SessionState,
    /// The ids of the loaded skills whose change is reported to the model.
    changed: Vec<String>,
    /// The ids of the skills that stay first in a catalog that exceeds its budget.
    preferred: Vec<String>,
    /// The surfaces that the model sees.
    face: Arc<Face>,
    /// Whether it can call the tools of those alone.
    is_bound: bool,
    /// The agent whose instructions have the bodies of its skills.
    agent: Option<Arc<Agent>>,
    /// The catalog that the conversation repeats, from the first prompt of the turn on.
    baseline: OnceLock<Option<Arc<CatalogBaseline>>>,
    /// The parent of the spans of the turn's calls.
    span: Span,
}

impl Turn {
    /// Pins the catalog and the state, and handles the loaded skills that have changed as the
    /// policy says.
    pub(crate) fn start(
        parts: Arc<Parts>,
        session: SessionHandle,
        catalog: Arc<Catalog>,
        state: SessionState,
        span: Span,
    ) -> Result<Self, Error> {
        trace::record_catalog(&span, &catalog);
        let boundary = parts.boundaries.of(session.id());
        let mut turn = Self {
            face: Arc::clone(&parts.faces.whole),
            is_bound: false,
            place: Arc::new(CallPlace { parts, session, catalog, boundary }),
            state,
            changed: Vec::new(),
            preferred: Vec::new(),
            agent: None,
            baseline: OnceLock::new(),
            span,
        };
        turn.handle_changes()?;
        Ok(turn)
    }

    fn body_delivery(&self) -> BodyDelivery {
        self.delivery().bodies
    }

    pub(crate) fn delivery(&self) -> &DeliveryPolicy {
        &self.place.parts.policies.delivery
    }

    pub(crate) fn session(&self) -> &SessionHandle {
        &self.place.session
    }

    pub(crate) fn boundary(&self) -> &Boundary {
        &self.place.boundary
    }

    pub(crate) fn counter(&self) -> &dyn TokenCounter {
        self.place.parts.counter.as_ref()
    }

    /// Returns the name of the tool that loads skills, as the model calls it.
    pub(crate) fn load_tool(&self) -> &str {
        &self.face.composer.policy().load_tool
    }

    /// Returns the catalog that the turn has pinned.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.place.catalog
    }

    /// Returns the policies of the runtime.
    pub fn policies(&self) -> &Policies {
        &self.place.parts.policies
    }

    /// Returns the state of the session when the turn started, with its loaded skills.
    pub fn state(&self) -> &SessionState {
        &self.state
    }

    /// Ranks the skills of the turn's catalog for a query. Returns at most `limit` of them, the
    /// best first.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Ranked<'_>> {
        self.place.parts.ranker.rank(&self.place.catalog, query, limit)
    }

    /// Returns the directories of the skills that are loaded now. A host permits its own tools to
    /// read them, so that a file of a loaded skill needs no permission. The example `host_tools` of
    /// `examples/extension-points` does so.
    ///
    /// # Errors
    ///
    /// The session has ended, or its store fails.
    pub fn skill_directories(&self) -> Result<Vec<PathBuf>, Error> {
        let state = self.place.session.state()?;
        Ok(skill_directories(&self.place.catalog, &state).into_iter().map(PathBuf::from).collect())
    }
}
