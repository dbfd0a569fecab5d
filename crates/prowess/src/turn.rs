//! One model call of a session.

mod call_options;
mod levels;
mod requests;

pub use call_options::CallOptions;
pub use requests::RequestParts;

use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use prowess_core::{
    ActiveSkill, ApprovalStoreError, BodyDelivery, Boundary, Caller, Cancel, Catalog, Content,
    DeliveryPolicy, Progress, Ranked, Record, SessionState, TokenCounter, ToolCall, ToolContext,
    ToolDefinition, ToolInfo, ToolResult,
};
use prowess_gate::Decision;
use prowess_prompt::{
    CatalogBaseline, CatalogPlace, ComposerInput, Overflow, Prompt, changed_skills,
    tool_description,
};
use prowess_session::{OnChange, SessionHandle, operations};
use prowess_tools::{
    DiscoveryTools, Dispatched, ExplicitActivation, SkillTools, changed_active_skills, completions,
    explicit_activation, skill_directories,
};
use serde_json::Value;
use tracing::Span;

use crate::gate::{GatedCall, RuntimeGate};
use crate::parts::Parts;
use crate::{Agent, Error, trace};

/// The maximum number of skills that a message prefers, which is more than a budget has room for.
const MOST_PREFERRED: usize = 512;

/// One model call of a session: its prompt, its tools and the calls that the model makes.
///
/// The catalog and the loaded skills stay as they were when the turn started. A skill that a call
/// loads is in the prompt of the next turn. A turn owns what it needs, so it can move to another
/// thread.
pub struct Turn {
    parts: Arc<Parts>,
    session: SessionHandle,
    catalog: Arc<Catalog>,
    state: SessionState,
    boundary: Boundary,
    /// The ids of the loaded skills whose change is reported to the model.
    changed: Vec<String>,
    /// The ids of the skills that stay first in a catalog that exceeds its budget.
    preferred: Vec<String>,
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
        let on_change = parts.policies.session.on_change;
        let boundary = parts.boundaries.of(session.id());
        let mut turn = Self {
            parts,
            session,
            catalog,
            state,
            boundary,
            changed: Vec::new(),
            preferred: Vec::new(),
            agent: None,
            baseline: OnceLock::new(),
            span,
        };
        match on_change.for_delivery(turn.body_delivery()) {
            OnChange::Keep => {}
            OnChange::RefreshNextTurn => turn.refresh()?,
            OnChange::Revoke => turn.revoke()?,
            OnChange::Notify => {
                turn.changed = turn.newer().iter().map(|skill| skill.id.clone()).collect();
            }
        }
        Ok(turn)
    }

    fn newer(&self) -> Vec<Arc<ActiveSkill>> {
        changed_active_skills(&self.catalog, &self.state.active, self.parts.clock.now())
    }

    fn body_delivery(&self) -> BodyDelivery {
        self.delivery().bodies
    }

    pub(crate) fn delivery(&self) -> &DeliveryPolicy {
        &self.parts.policies.delivery
    }

    pub(crate) fn session(&self) -> &SessionHandle {
        &self.session
    }

    pub(crate) fn boundary(&self) -> &Boundary {
        &self.boundary
    }

    pub(crate) fn counter(&self) -> &dyn TokenCounter {
        self.parts.counter.as_ref()
    }

    /// Returns the name of the tool that loads skills, as the model calls it.
    pub(crate) fn load_tool(&self) -> &str {
        &self.parts.composer.policy().load_tool
    }

    /// Unloads the loaded skills that have changed, were removed or were withdrawn.
    fn revoke(&mut self) -> Result<(), Error> {
        let newer = self.newer();
        let is_revoked = |skill: &ActiveSkill| {
            let is_changed = newer.iter().any(|newer| newer.id == skill.id);
            is_changed || self.is_removed(skill) || self.catalog.is_withdrawn(&skill.location)
        };
        if self.state.active.iter().any(|skill| is_revoked(skill)) {
            self.session.revoke(is_revoked)?;
            self.state = self.session.state()?;
        }
        Ok(())
    }

    /// Returns whether the catalog has no package at the location of a loaded skill.
    fn is_removed(&self, skill: &ActiveSkill) -> bool {
        let is_there = |record: Record<'_>| record.is_at(&skill.location);
        let catalog = &self.catalog;
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
        self.state = self.session.refresh(&newer)?.state;
        Ok(())
    }

    /// Returns the catalog that the turn has pinned.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Returns the ids of the loaded skills whose changes are reported to the model; none unless
    /// the session's policy requires it. The report is in the turn's prompt or, if bodies are in
    /// results of tools, in each result.
    pub fn changed(&self) -> &[String] {
        &self.changed
    }

    /// Returns the state of the session when the turn started, with its loaded skills.
    pub fn state(&self) -> &SessionState {
        &self.state
    }

    /// Passes the user's last message. Under the overflow policy `relevance`, the skills that a
    /// search for it finds stay in a catalog that exceeds its budget; otherwise it has no effect.
    /// Call it before [`Self::prompt`].
    #[must_use]
    pub fn with_message(mut self, message: &str) -> Self {
        if self.parts.policies.prompt.on_overflow == Overflow::Relevance {
            let found = self.search(message, MOST_PREFERRED);
            self.preferred = found.iter().map(|found| found.record.id().to_owned()).collect();
        }
        self
    }

    /// Passes how often each skill was used, in any unit. Under the overflow policy `usage`, the
    /// most used ones stay in a catalog that exceeds its budget; otherwise it has no effect. Call
    /// it before [`Self::prompt`].
    #[must_use]
    pub fn with_usage<'u>(mut self, counts: impl IntoIterator<Item = (&'u str, u64)>) -> Self {
        if self.parts.policies.prompt.on_overflow == Overflow::Usage {
            let mut counts: Vec<_> = counts.into_iter().filter(|(_, count)| *count > 0).collect();
            counts.sort_unstable_by_key(|&(id, count)| (Reverse(count), id));
            self.preferred = counts.into_iter().map(|(id, _)| id.to_owned()).collect();
        }
        self
    }

    /// Iterates over the loaded skills whose bodies are in the instructions, without those that
    /// were withdrawn.
    fn in_instructions(&self) -> impl Iterator<Item = &Arc<ActiveSkill>> {
        let skills = self.state.in_instructions(self.body_delivery());
        skills.filter(|skill| !self.catalog.is_withdrawn(&skill.location))
    }

    fn is_used_by_agent(&self, id: &str) -> bool {
        self.agent.is_some() && self.state.scope.bound.contains(id)
    }

    /// Returns the text for the model's instructions, with its token ledger. Turns without loaded
    /// skills share one prompt for as long as the catalog stays.
    ///
    /// By default, the calls of a session repeat the catalog of the first one, and a notice at the
    /// end lists the changes since, so that a provider's prompt cache keeps the catalog.
    ///
    /// Skips skills that were withdrawn after they were loaded, such as those of a folder that is
    /// no longer trusted.
    pub fn prompt(&self) -> Arc<Prompt> {
        let active = self.in_instructions().filter(|skill| !self.is_used_by_agent(&skill.id));
        self.compose(&active.cloned().collect::<Vec<_>>(), self.changed_in_prompt())
    }

    fn compose(&self, active: &[Arc<ActiveSkill>], changed: &[String]) -> Arc<Prompt> {
        let input = ComposerInput { active, changed, ..self.catalog_input(self.baseline()) };
        self.parts.composer.compose(&input)
    }

    /// Returns the catalog that the conversation repeats; `None` if it does not repeat one.
    fn baseline(&self) -> Option<&Arc<CatalogBaseline>> {
        self.baseline.get_or_init(|| self.find_baseline()).as_ref()
    }

    /// Returns the baseline of the conversation, which is that of this turn's catalog if there is
    /// none that may be repeated.
    fn find_baseline(&self) -> Option<Arc<CatalogBaseline>> {
        let Parts { composer, conversations, .. } = &*self.parts;
        let known = conversations.baseline(self.session.id());
        let baseline = composer.baseline(&self.catalog_input(known.as_ref()))?;
        if known.is_none_or(|known| !Arc::ptr_eq(&known, &baseline)) {
            conversations.set_baseline(self.session.id(), &baseline);
        }
        Some(baseline)
    }

    /// Returns the input of a prompt without what is loaded.
    fn catalog_input<'a>(
        &'a self,
        baseline: Option<&'a Arc<CatalogBaseline>>,
    ) -> ComposerInput<'a> {
        ComposerInput {
            catalog: &self.catalog,
            active: &[],
            changed: &[],
            preferred: &self.preferred,
            baseline,
            boundary: &self.boundary,
        }
    }

    /// Ranks the skills of the turn's catalog for a query. Returns at most `limit` of them, the
    /// best first.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Ranked<'_>> {
        self.parts.ranker.rank(&self.catalog, query, limit)
    }

    /// Returns the tools for the model; none if there is no skill. Those that find skills are among
    /// them if the prompt does not show the whole catalog.
    ///
    /// As long as the calls of a session repeat the text of the catalog, they repeat the
    /// definitions as well, ids in schemas included, because providers put tools in front of the
    /// text in their prompt caches. Tools that are offered since are behind the others.
    pub fn tools(&self) -> Vec<ToolDefinition> {
        let newest = self.newest_tools();
        let Some(baseline) = self.baseline() else { return newest };
        self.parts.conversations.tools(self.session.id(), baseline, newest)
    }

    /// Returns the tools as the turn's catalog defines them, for a client that lists them by a call
    /// of its own, as over MCP.
    pub fn newest_tools(&self) -> Vec<ToolDefinition> {
        let policies = &self.parts.policies;
        let is_optional = policies.tools.discovery == DiscoveryTools::Overflow;
        let is_described = policies.prompt.catalog_place == CatalogPlace::ToolDescription;
        if !is_optional && !is_described {
            return self.parts.toolbox.definitions(&self.catalog);
        }
        let prompt = self.compose(&[], &[]);
        let is_cut = is_optional && prompt.is_cut;
        let finders: &[&str] = if is_cut { &SkillTools::FINDERS } else { &[] };
        let mut tools = self.parts.toolbox.definitions_with(&self.catalog, finders);
        if is_described {
            self.describe(&mut tools, prompt.listing.as_deref().unwrap_or_default());
        }
        tools
    }

    /// Writes the catalog into the description of the tool that loads a skill, or returns its
    /// instructions.
    fn describe(&self, tools: &mut [ToolDefinition], listing: &str) {
        let Parts { policies, toolbox, .. } = &*self.parts;
        let Some(name) = policies.tools.load_tool() else { return };
        let spelled = toolbox.naming().spell(name);
        if let Some(tool) = tools.iter_mut().find(|tool| tool.name == spelled) {
            let format = policies.prompt.catalog_format;
            tool.description = tool_description(name, &tool.description, listing, format);
        }
    }

    /// Returns the type and the time limit of the tool that a model calls by this name. A host ends
    /// a call at its limit with [`Self::call_until`].
    pub fn tool_info(&self, tool: &str) -> Option<ToolInfo> {
        self.parts.toolbox.info(tool)
    }

    /// Runs a call of the model. There is always a result.
    pub fn call(&self, call: &ToolCall) -> Dispatched {
        self.call_until(call, &Cancel::default())
    }

    /// Like [`Self::call`], and ends soon after `cancel`.
    pub fn call_until(&self, call: &ToolCall, cancel: &Cancel) -> Dispatched {
        self.call_with(call, CallOptions { cancel: Some(cancel), ..CallOptions::default() })
    }

    /// Runs a call like [`Self::call`] with options: its caller, a way to cancel it, and a receiver
    /// of its reports while it runs, such as the lines that a script prints.
    pub fn call_with(&self, call: &ToolCall, options: CallOptions<'_>) -> Dispatched {
        let never = Cancel::default();
        let _entered = self.span.enter();
        let context = ToolContext {
            progress: options.progress,
            ..self.context(options.caller, options.cancel.unwrap_or(&never))
        };
        let mut dispatched = self.parts.toolbox.dispatch(&context, call);
        self.record_use(call, &dispatched);
        if self.body_delivery() == BodyDelivery::ToolResult && options.caller == Caller::Model {
            self.append_changed_skills(&mut dispatched);
        }
        dispatched
    }

    /// Runs a call that the user makes by a command of the host, such as `/pdf`, with the same
    /// checks as any other. A user may load skills that are not offered to a model, but none that
    /// only a model may load.
    pub fn call_as_user(&self, call: &ToolCall) -> Dispatched {
        self.call_with(call, CallOptions { caller: Caller::User, ..CallOptions::default() })
    }

    /// Parses a user's message that begins with `/skill-name` or `$skill-name`. Returns the call
    /// that loads the skill, for [`Self::call_as_user`], and the rest of the message.
    ///
    /// Returns `None` for any other message, and if no surface has a tool that loads.
    pub fn explicit_activation<'m>(&self, message: &'m str) -> Option<(ToolCall, &'m str)> {
        let ExplicitActivation { reference, rest } = explicit_activation(&self.catalog, message)?;
        Some((self.load_call(reference)?, rest))
    }

    /// Returns the call that loads a skill in addition to the active ones, if a surface has a tool
    /// that loads.
    pub fn load_call(&self, reference: &str) -> Option<ToolCall> {
        let call = self.parts.policies.tools.load_call(reference)?;
        let name = self.parts.toolbox.naming().spell(&call.name);
        Some(ToolCall { name, ..call })
    }

    /// Returns the skills that a user may load and whose ids begin with `prefix`, for completions.
    pub fn completions(&self, prefix: &str, limit: usize) -> Vec<Record<'_>> {
        completions(&self.catalog, prefix, limit)
    }

    /// Returns the directories of the skills that are loaded now. A host permits its own tools to
    /// read them, so that a file of a loaded skill needs no permission.
    ///
    /// # Errors
    ///
    /// The session has ended, or its store fails.
    pub fn skill_directories(&self) -> Result<Vec<PathBuf>, Error> {
        let state = self.session.state()?;
        Ok(skill_directories(&self.catalog, &state).into_iter().map(PathBuf::from).collect())
    }

    /// Decides whether a call of a tool may run, and says why. Nothing is run, spent or asked.
    ///
    /// `tool` is the name of a tool of the runtime, as the model sees it, or of one that the host
    /// runs itself.
    ///
    /// # Errors
    ///
    /// The session is not open, or the approvals cannot be read.
    pub fn decide(&self, tool: &str, arguments: &Value) -> Result<Decision, Error> {
        self.gated(tool, arguments, RuntimeGate::decide)
    }

    /// Decides as [`Self::decide`] does, and names the line and column of each rule also for a call
    /// that may run. This reads the files of the loaded skills.
    ///
    /// # Errors
    ///
    /// As [`Self::decide`].
    pub fn explain(&self, tool: &str, arguments: &Value) -> Result<Decision, Error> {
        self.gated(tool, arguments, RuntimeGate::explain)
    }

    fn gated(
        &self,
        tool: &str,
        arguments: &Value,
        decide: fn(&RuntimeGate, &GatedCall<'_>) -> Result<Decision, ApprovalStoreError>,
    ) -> Result<Decision, Error> {
        let canonical = self.parts.toolbox.canonical_name(tool).unwrap_or(tool);
        let aliases = self.parts.toolbox.other_names(tool);
        let never = Cancel::default();
        let context = self.context(Caller::Model, &never);
        let call = GatedCall {
            subject: self.parts.toolbox.subject(&context, tool, arguments),
            tool: canonical,
            aliases: &aliases.iter().map(String::as_str).collect::<Vec<_>>(),
            arguments,
            catalog: &self.catalog,
            state: &self.session.state()?,
            origin: self.session.origin(),
        };
        decide(&self.parts.gate, &call).map_err(Error::Approvals)
    }

    /// Runs a tool that the host runs itself, if the gate permits the call. Limits, gate and audit
    /// are those of the runtime's own tools.
    ///
    /// `run` is not called if the call is refused. If a person has to approve the call first,
    /// [`Dispatched::approval`] has the id of the pending approval, and the same call runs once it
    /// is granted.
    pub fn guard(&self, call: &ToolCall, run: impl FnOnce() -> ToolResult) -> Dispatched {
        let cancel = Cancel::default();
        let _entered = self.span.enter();
        self.parts.toolbox.guard(&self.context(Caller::Model, &cancel), call, run)
    }

    /// Runs the hooks `Stop` of the loaded skills, which a host calls when the model has finished
    /// its work. Returns why the model should continue, for its next message, if a hook says so.
    ///
    /// A host limits how often a model continues: a hook may always say so.
    pub fn stop(&self) -> Option<String> {
        let cancel = Cancel::default();
        let _entered = self.span.enter();
        self.parts.hooks.stop(&self.context(Caller::Model, &cancel))
    }

    fn context<'a>(&'a self, caller: Caller, cancel: &'a Cancel) -> ToolContext<'a> {
        ToolContext {
            catalog: &self.catalog,
            session: &self.session,
            caller,
            origin: self.session.origin(),
            clock: self.parts.clock.as_ref(),
            cancel,
            approved: None,
            progress: Progress::default(),
            boundary: &self.boundary,
        }
    }

    /// Returns the changed skills that the prompt names: none if bodies are in tool results, which
    /// name them then.
    fn changed_in_prompt(&self) -> &[String] {
        if self.body_delivery().has_instructions() { &self.changed } else { &[] }
    }

    /// Appends to a result which loaded skills have changed, except those that the call itself has
    /// loaded again or unloaded.
    fn append_changed_skills(&self, dispatched: &mut Dispatched) {
        if self.changed.is_empty() {
            return;
        }
        let Ok(now) = self.session.state() else { return };
        let changed = operations::unchanged_since(&self.state, &now, &self.changed);
        if !changed.is_empty() {
            let text = changed_skills(&changed, self.load_tool());
            dispatched.result.content.push(Content::Text { text });
        }
    }
}
