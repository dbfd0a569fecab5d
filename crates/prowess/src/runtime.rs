//! A registry, sessions and a toolbox in one value.

mod sessions;

use std::borrow::Cow;
use std::sync::Arc;

use prowess_core::{
    ApprovalStore, Audience, Boundary, CallOrigin, Catalog, CatalogProvider, Ranked, Ranker,
    Record, ResourcePath, SessionId, SourceError, Timestamp, ToolCall, ToolResult,
};
use prowess_gate::Decision;
use prowess_registry::{Reload, ReloadCause, Subscription};
use prowess_session::SessionHandle;
use prowess_tools::Dispatched;
use serde_json::Value;

use crate::parts::Parts;
use crate::{Error, Policies, Turn, trace};

/// Everything that an agent needs for its skills: one runtime serves any number of sessions on any
/// number of threads.
///
/// A clone is cheap and shares everything. A runtime, its sessions and its turns are `Send`, `Sync`
/// and `'static`, so each can move to another thread or task. The threads of a runtime, such as the
/// one that watches directories, end when the last clone and the last turn are dropped.
#[derive(Clone)]
pub struct Runtime(Arc<Parts>);

impl Runtime {
    pub(crate) fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// Returns the policies. They are those of the builder, except that stateless sessions have
    /// their bodies in tool results.
    pub fn policies(&self) -> &Policies {
        &self.0.policies
    }

    /// Returns the newest catalog. A turn has a catalog of its own, which does not change.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.0.registry.catalog()
    }

    /// Returns the newest catalog as `audience` sees it: with the skills for that audience alone,
    /// and without those for others. It is cached until a reload changes something.
    pub fn view(&self, audience: &Audience) -> Arc<Catalog> {
        self.0.registry.view(audience)
    }

    /// Returns at most `limit` skills of a catalog that match a query, the best first.
    pub fn search<'c>(
        &self,
        catalog: &'c Arc<Catalog>,
        query: &str,
        limit: usize,
    ) -> Vec<Ranked<'c>> {
        self.0.ranker.rank(catalog, query, limit)
    }

    /// Returns the ranker that [`Self::search`] uses.
    pub fn ranker(&self) -> &Arc<dyn Ranker> {
        &self.0.ranker
    }

    /// Returns the scripts among the first files of a skill, up to a number, by their paths: what
    /// the tool `skills.run` runs.
    ///
    /// # Errors
    ///
    /// As for [`Catalog::list`].
    pub fn scripts(
        &self,
        catalog: &Catalog,
        record: Record<'_>,
        most: usize,
    ) -> Result<Vec<ResourcePath>, SourceError> {
        let files = catalog.list(record, most)?.resources.into_iter().map(|file| file.path);
        let tools = &self.0.gate.skill_tools;
        Ok(files.filter(|path| tools.runs(catalog, record, path)).collect())
    }

    /// Scans every source again. Turns that have started keep their catalog.
    pub fn reload(&self) -> Reload {
        self.reload_for(ReloadCause::Manual)
    }

    /// As [`Self::reload`], with a different cause, such as a signal. The cause is in the result
    /// and in traces.
    pub fn reload_for(&self, cause: ReloadCause) -> Reload {
        self.0.refresher.reload_for(cause)
    }

    /// As [`Self::reload`], but returns `None` if the last reload is younger than the policy's
    /// cool-down.
    pub fn refresh(&self) -> Option<Reload> {
        self.0.refresher.refresh()
    }

    /// Starts to poll and to watch, after [`watch_later`](crate::RuntimeBuilder::watch_later); else
    /// nothing is left to do.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Refresh`] if the operating system cannot start a thread.
    pub fn begin_watching(&self) -> Result<(), Error> {
        self.0.refresher.begin().map_err(Error::Refresh)
    }

    /// Returns the number of failed scans of sources since the start. Such a source keeps its last
    /// good scan.
    pub fn failed_scans(&self) -> u64 {
        self.0.registry.failed_scans()
    }

    /// Evicts the cached body of a skill, so that the next load reads its file. Returns whether
    /// there is such a skill.
    pub fn evict_body(&self, reference: &str) -> bool {
        self.0.registry.evict_body(reference)
    }

    /// Evicts every cached body.
    pub fn evict_bodies(&self) {
        self.0.registry.evict_bodies();
    }

    /// Subscribes to changes of the catalog.
    pub fn subscribe(&self) -> Subscription {
        self.0.registry.subscribe()
    }

    /// As [`Self::subscribe`], and calls `wake` after each change. It runs on the thread that
    /// reloads, so it should only wake a task and return.
    pub fn subscribe_with(&self, wake: impl Fn() + Send + Sync + 'static) -> Subscription {
        self.0.registry.subscribe_with(wake)
    }

    /// Starts one model call of a session, with the catalog and the loaded skills of this moment.
    /// Under the refresh policy `ttl`, a catalog that is too old is reloaded first. The audit names
    /// the agent and the tenant of the policy's audience, unless the session's handle has others.
    ///
    /// # Errors
    ///
    /// The session is not open, or the session store fails.
    pub fn turn(&self, session: &SessionHandle) -> Result<Turn, Error> {
        let session = self.named(session, &self.policies().audience);
        self.turn_on(&session, || self.catalog())
    }

    /// Like [`Self::turn`], with the catalog that [`Self::view`] returns for `audience`. The audit
    /// names its agent and its tenant, unless the session's handle has others.
    ///
    /// # Errors
    ///
    /// As [`Self::turn`].
    pub fn turn_for(&self, session: &SessionHandle, audience: &Audience) -> Result<Turn, Error> {
        self.turn_on(&self.named(session, audience), || self.view(audience))
    }

    /// Returns a handle whose events name the agent and the tenant of an audience, and the family
    /// of models that the prompt's policy is for, where the host has named none.
    fn named(&self, session: &SessionHandle, audience: &Audience) -> SessionHandle {
        let mut origin = CallOrigin::clone(session.origin());
        origin.agent = origin.agent.or_else(|| audience.agent.clone());
        origin.tenant = origin.tenant.or_else(|| audience.tenant.clone());
        let family = || self.policies().prompt.model_family.name().map(str::to_owned);
        origin.model = origin.model.or_else(family);
        if origin == **session.origin() { session.clone() } else { session.with_origin(origin) }
    }

    /// Decides whether a call of a tool may run in a session now, as [`Turn::decide`] does.
    ///
    /// # Errors
    ///
    /// As [`Self::turn`], or the approvals cannot be read.
    pub fn decide(
        &self,
        session: &SessionHandle,
        tool: &str,
        arguments: &Value,
    ) -> Result<Decision, Error> {
        self.turn(session)?.decide(tool, arguments)
    }

    /// Runs a tool that the host runs itself, if the gate permits the call, as [`Turn::guard`]
    /// does.
    ///
    /// # Errors
    ///
    /// As [`Self::turn`]. A refused call is a result.
    pub fn guard(
        &self,
        session: &SessionHandle,
        call: &ToolCall,
        run: impl FnOnce() -> ToolResult,
    ) -> Result<Dispatched, Error> {
        Ok(self.turn(session)?.guard(call, run))
    }

    /// Returns the approvals that the gate uses. Each change is in the audit.
    pub fn approvals(&self) -> &Arc<dyn ApprovalStore> {
        &self.0.approvals
    }

    /// Returns the boundary around the bodies of a session.
    pub(crate) fn boundary(&self, session: &SessionId) -> Boundary {
        self.0.boundaries.of(session)
    }

    pub(crate) fn parts(&self) -> Arc<Parts> {
        Arc::clone(&self.0)
    }

    /// Returns the names of the tools, as rules have them and as a model calls them.
    pub(crate) fn tool_names(&self) -> Vec<String> {
        self.0.toolbox.names()
    }

    /// Returns the JSON Schema that the arguments of a tool are checked with, under the newest
    /// catalog. `None` if there is no tool of this name.
    pub fn tool_arguments(&self, tool: &str) -> Option<Cow<'_, Value>> {
        self.0.toolbox.accepts(tool, &self.catalog())
    }

    /// Returns the time of the host's clock, by which approvals are decided and expire.
    pub fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    fn turn_on(
        &self,
        session: &SessionHandle,
        catalog: impl FnOnce() -> Arc<Catalog>,
    ) -> Result<Turn, Error> {
        let span = trace::turn(session.id());
        let entered = span.enter();
        let state = session.touch()?;
        self.0.refresher.reload_if_stale();
        let turn =
            Turn::start(Arc::clone(&self.0), session.clone(), catalog(), state, span.clone());
        drop(entered);
        turn
    }
}
