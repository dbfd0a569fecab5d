//! The builder of a runtime: its policies, layers, sources and services.

mod scripts;
mod sources;

#[cfg(feature = "scripts")]
use std::path::PathBuf;
use std::sync::Arc;

#[cfg(feature = "filesystem")]
use prowess_core::FolderTrust;
use prowess_core::{
    ApprovalStore, AuditSink, Cancel, Clock, CostTracker, Diagnostic, EstimatedTokens, Facts,
    Layer, NoAudit, ProposalStore, Ranker, RateLimiter, ScriptRunner, SessionStore, TokenCounter,
    ToolProvider, Trust, VirtualShell,
};
use prowess_session::{MemoryApprovals, MemoryStore};
#[cfg(feature = "filesystem")]
use prowess_source_fs::Surroundings;
#[cfg(feature = "state")]
use prowess_state::RecordCache;

use crate::added_source::AddedSource;
use crate::built_in::BuiltIn;
use crate::runtime::Runtime;
use crate::{Policies, SystemClock};

/// The layers of a runtime that names none, the lowest first: `embedded` and `user`, which are
/// trusted, and `project`, of the trust `ask_first`.
pub const STANDARD_LAYERS: [(&str, Trust); 3] =
    [("embedded", Trust::Trusted), ("user", Trust::Trusted), ("project", Trust::AskFirst)];

/// Builds a [`Runtime`].
///
/// Defaults: the [`STANDARD_LAYERS`], no sources, the skill tools, sessions in memory, the system's
/// clock, estimated tokens, search by words and no audit.
pub struct RuntimeBuilder {
    pub(crate) policies: Policies,
    pub(crate) layers: Vec<Layer>,
    pub(crate) sources: Vec<AddedSource>,
    pub(crate) built_in: BuiltIn,
    #[cfg(feature = "filesystem")]
    pub(crate) keeps_files: bool,
    pub(crate) findings: Vec<Diagnostic>,
    #[cfg(feature = "plugins")]
    pub(crate) feature_help: fn(&str) -> String,
    #[cfg(feature = "state")]
    pub(crate) cache: Option<RecordCache>,
    #[cfg(feature = "filesystem")]
    pub(crate) machine: Option<(Surroundings, Arc<dyn FolderTrust>)>,
    pub(crate) providers: Vec<Arc<dyn ToolProvider>>,
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) counter: Arc<dyn TokenCounter>,
    pub(crate) audit: Arc<dyn AuditSink>,
    pub(crate) limiter: Option<Arc<dyn RateLimiter>>,
    pub(crate) costs: Option<Arc<dyn CostTracker>>,
    pub(crate) approvals: Arc<dyn ApprovalStore>,
    pub(crate) ranker: Arc<dyn Ranker>,
    pub(crate) script_runner: Option<Arc<dyn ScriptRunner>>,
    pub(crate) virtual_shell: Option<Arc<dyn VirtualShell>>,
    pub(crate) proposals: Option<Arc<dyn ProposalStore>>,
    #[cfg(feature = "audit")]
    pub(crate) redactor: prowess_audit::Redactor,
    #[cfg(feature = "scripts")]
    pub(crate) sandboxed_scripts: Option<(prowess_sandbox::Program, PathBuf)>,
    #[cfg(feature = "scripts")]
    pub(crate) script_secrets: Option<prowess_script::ReadSecret>,
    pub(crate) facts: Option<Arc<dyn Facts>>,
    pub(crate) watches_later: bool,
    pub(crate) waits_until: Option<Cancel>,
}

impl Default for RuntimeBuilder {
    fn default() -> Self {
        Self {
            policies: Policies::default(),
            layers: STANDARD_LAYERS.map(|(name, trust)| Layer::new(name, trust)).into(),
            sources: Vec::new(),
            built_in: BuiltIn::default(),
            #[cfg(feature = "filesystem")]
            keeps_files: false,
            findings: Vec::new(),
            #[cfg(feature = "plugins")]
            feature_help: |feature| format!("build with the feature `{feature}` of `prowess`"),
            #[cfg(feature = "state")]
            cache: None,
            #[cfg(feature = "filesystem")]
            machine: None,
            providers: Vec::new(),
            store: Arc::new(MemoryStore::new()),
            clock: Arc::new(SystemClock::default()),
            counter: Arc::new(EstimatedTokens),
            audit: Arc::new(NoAudit),
            limiter: None,
            costs: None,
            approvals: Arc::new(MemoryApprovals::new()),
            ranker: default_ranker(),
            script_runner: None,
            virtual_shell: None,
            proposals: None,
            #[cfg(feature = "audit")]
            redactor: prowess_audit::Redactor::default(),
            #[cfg(feature = "scripts")]
            sandboxed_scripts: None,
            #[cfg(feature = "scripts")]
            script_secrets: None,
            facts: None,
            watches_later: false,
            waits_until: None,
        }
    }
}

impl Runtime {
    /// Returns a builder with the defaults.
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::default()
    }
}

impl RuntimeBuilder {
    /// Sets the policies. By default, those of the preset `standard`.
    #[must_use]
    pub fn policies(mut self, policies: Policies) -> Self {
        self.policies = policies;
        self
    }

    /// Replaces the layers by these, the lowest first. Layers of the policies come above them.
    #[must_use]
    pub fn layers(mut self, layers: impl IntoIterator<Item = Layer>) -> Self {
        self.layers = layers.into_iter().collect();
        self
    }

    /// Adds a layer below the others.
    #[must_use]
    pub fn lowest_layer(mut self, layer: Layer) -> Self {
        self.layers.insert(0, layer);
        self
    }

    /// Adds a layer below the one with this name, or below the others if there is none.
    #[must_use]
    pub fn layer_below(mut self, name: &str, layer: Layer) -> Self {
        let at = self.layers.iter().position(|known| *known.name == *name);
        self.layers.insert(at.unwrap_or_default(), layer);
        self
    }

    /// Adds a finding of the host, such as one about its configuration, to those of the catalog.
    #[must_use]
    pub fn finding(mut self, finding: Diagnostic) -> Self {
        self.findings.push(finding);
        self
    }

    /// Sets the next step of findings of plugins that are added later, if they need a feature of
    /// this crate that this build lacks. By default, it is to build with that feature.
    #[cfg(feature = "plugins")]
    #[must_use]
    pub fn feature_help(mut self, help: fn(&str) -> String) -> Self {
        self.feature_help = help;
        self
    }

    /// Adds tools beside the skill tools.
    #[must_use]
    pub fn tools(mut self, provider: Arc<dyn ToolProvider>) -> Self {
        self.providers.push(provider);
        self
    }

    /// Sets the store of sessions. By default, [`MemoryStore`].
    #[must_use]
    pub fn session_store(mut self, store: Arc<dyn SessionStore>) -> Self {
        self.store = store;
        self
    }

    /// Sets the clock. By default, [`SystemClock`].
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Polls and watches only once [`Runtime::begin_watching`] is called, so that they take no time
    /// before the first answer. By default, they begin with the runtime.
    #[must_use]
    pub fn watch_later(mut self) -> Self {
        self.watches_later = true;
        self
    }

    /// Builds the runtime without the sources that have not answered when `until` is cancelled, so
    /// that none delays the first answer; a source of this machine that goes on, such as a large
    /// directory, may take five seconds more. Each of them has a finding, and is added as soon as
    /// it answers. By default, the runtime waits for all.
    #[must_use]
    pub fn wait_until(mut self, until: Cancel) -> Self {
        self.waits_until = Some(until);
        self
    }

    /// Sets the token counter. By default, [`EstimatedTokens`].
    #[must_use]
    pub fn token_counter(mut self, counter: Arc<dyn TokenCounter>) -> Self {
        self.counter = counter;
        self
    }

    /// Sets the receiver of audit events, such as tool calls. By default, [`NoAudit`]. The module
    /// `audit` has a log on disk, one in memory, and `Fanout` for several receivers.
    ///
    /// With the feature `audit`, the events are traced as well, whatever receives them.
    #[must_use]
    pub fn audit(mut self, audit: Arc<dyn AuditSink>) -> Self {
        self.audit = audit;
        self
    }

    /// Sets the limiter, which may refuse a call before the gate. By default there is none.
    #[must_use]
    pub fn rate_limiter(mut self, limiter: Arc<dyn RateLimiter>) -> Self {
        self.limiter = Some(limiter);
        self
    }

    /// Sets the tracker that receives the tokens of each call, counted by the token counter. By
    /// default there is none.
    #[must_use]
    pub fn cost_tracker(mut self, costs: Arc<dyn CostTracker>) -> Self {
        self.costs = Some(costs);
        self
    }

    /// Sets the store of approvals. By default, [`MemoryApprovals`].
    #[must_use]
    pub fn approvals(mut self, approvals: Arc<dyn ApprovalStore>) -> Self {
        self.approvals = approvals;
        self
    }

    /// Sets the ranker that searches skills. By default it ranks by words.
    #[must_use]
    pub fn ranker(mut self, ranker: Arc<dyn Ranker>) -> Self {
        self.ranker = ranker;
        self
    }

    /// Sets the shell in which skills are mounted, for the surface
    /// [`Shell`](prowess_tools::Surface::Shell). By default it is an
    #[cfg_attr(feature = "virtual-shell", doc = "[`InMemoryShell`](prowess_shell::InMemoryShell)")]
    #[cfg_attr(not(feature = "virtual-shell"), doc = "`InMemoryShell`")]
    /// with the policy `shell`, if the feature `virtual-shell` is enabled, otherwise there is none.
    #[must_use]
    pub fn virtual_shell(mut self, shell: Arc<dyn VirtualShell>) -> Self {
        self.virtual_shell = Some(shell);
        self
    }

    /// Sets the store of proposals, for the tool `propose_skill_update` of every surface. By
    /// default they are files in the directory of the policy `proposals`, if it has one and the
    /// feature `proposals` is enabled, otherwise there are none.
    #[must_use]
    pub fn proposals(mut self, proposals: Arc<dyn ProposalStore>) -> Self {
        self.proposals = Some(proposals);
        self
    }

    /// Sets the redactor whose registered secrets are removed from the output of scripts: that of
    /// the host's log and of its [`Secrets`](prowess_audit::Secrets). By default it has none.
    #[cfg(feature = "audit")]
    #[must_use]
    pub fn redactor(mut self, redactor: prowess_audit::Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Sets the facts about the machine that decide whether the requirements of a skill are met. By
    /// default, [`SystemFacts`](crate::SystemFacts).
    #[must_use]
    pub fn facts(mut self, facts: Arc<dyn Facts>) -> Self {
        self.facts = Some(facts);
        self
    }
}

/// Returns a ranker that searches by words.
#[cfg(feature = "search")]
fn default_ranker() -> Arc<dyn Ranker> {
    Arc::new(prowess_search::Searcher::new())
}

/// Returns a filter by words: without the feature `search`, the host brings a better ranker.
#[cfg(not(feature = "search"))]
fn default_ranker() -> Arc<dyn Ranker> {
    Arc::new(prowess_tools::WordFilter)
}
