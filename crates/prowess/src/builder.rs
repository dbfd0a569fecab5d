//! What a runtime is made of.

#[cfg(feature = "filesystem")]
use std::path::PathBuf;
use std::sync::Arc;

#[cfg(feature = "filesystem")]
use prowess_core::FolderTrust;
use prowess_core::{
    AuditSink, CatalogProvider, Clock, Diagnostic, EstimatedTokens, Facts, Layer, NoAudit, Ranker,
    SessionStore, SkillSource, TokenCounter, ToolProvider, Trust,
};
use prowess_prompt::{Composer, PromptPolicy};
use prowess_registry::{Refresher, Registry, RegistryBuilder};
use prowess_session::{Boundaries, MemoryStore, Sessions};
#[cfg(feature = "filesystem")]
use prowess_source_fs::{Nested, Surroundings};
#[cfg(feature = "state")]
use prowess_state::RecordCache;
use prowess_tools::{SkillTools, ToolNaming, Toolbox};

use crate::built_in::BuiltIn;
use crate::parts::Parts;
use crate::ranking::default_ranker;
#[cfg(feature = "state")]
use crate::record_cache::RecordCacheSession;
use crate::runtime::Runtime;
#[cfg(feature = "filesystem")]
use crate::sources::NamedDirectory;
use crate::sources::{AddedSource, Origin, unusable_root};
use crate::{Error, Policies, SystemClock, SystemFacts};

/// The layers of a runtime that names none, the lowest first: what the program brings, what is the
/// user's own, what came with the project.
pub const STANDARD_LAYERS: [(&str, Trust); 3] =
    [("embedded", Trust::Trusted), ("user", Trust::Trusted), ("project", Trust::AskFirst)];

/// Collects what a [`Runtime`] is made of.
///
/// By default: the [`STANDARD_LAYERS`], no source, the tools of skills, sessions in memory, the
/// system's clock, estimated tokens, search by words and no audit.
pub struct RuntimeBuilder {
    pub(crate) policies: Policies,
    pub(crate) layers: Vec<Layer>,
    pub(crate) sources: Vec<AddedSource>,
    pub(crate) built_in: BuiltIn,
    pub(crate) findings: Vec<Diagnostic>,
    #[cfg(feature = "state")]
    pub(crate) cache: Option<RecordCache>,
    #[cfg(feature = "filesystem")]
    pub(crate) machine: Option<(Surroundings, Arc<dyn FolderTrust>)>,
    providers: Vec<Arc<dyn ToolProvider>>,
    store: Arc<dyn SessionStore>,
    pub(crate) clock: Arc<dyn Clock>,
    counter: Arc<dyn TokenCounter>,
    audit: Arc<dyn AuditSink>,
    ranker: Arc<dyn Ranker>,
    facts: Option<Arc<dyn Facts>>,
}

/// What a missing directory is.
#[cfg(feature = "filesystem")]
#[derive(Clone, Copy, PartialEq, Eq)]
enum IfMissing {
    /// An error of [`RuntimeBuilder::build`].
    Fail,
    /// A directory without skills.
    Ignore,
}

impl Default for RuntimeBuilder {
    fn default() -> Self {
        Self {
            policies: Policies::default(),
            layers: STANDARD_LAYERS.map(|(name, trust)| Layer::new(name, trust)).into(),
            sources: Vec::new(),
            built_in: BuiltIn::default(),
            findings: Vec::new(),
            #[cfg(feature = "state")]
            cache: None,
            #[cfg(feature = "filesystem")]
            machine: None,
            providers: Vec::new(),
            store: Arc::new(MemoryStore::new()),
            clock: Arc::new(SystemClock::default()),
            counter: Arc::new(EstimatedTokens),
            audit: Arc::new(NoAudit),
            ranker: default_ranker(),
            facts: None,
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
    /// Chooses the policies.
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

    /// Adds a skills directory: each of its children is a package, or leads to packages. A package
    /// ends the walk, which is what makes it fast.
    #[cfg(feature = "filesystem")]
    #[must_use]
    pub fn skills_directory(self, layer: &str, directory: impl Into<PathBuf>) -> Self {
        self.directory(layer, directory.into(), Nested::Stop, IfMissing::Fail)
    }

    /// Adds a skills directory that need not exist: until it does, it has no skills.
    #[cfg(feature = "filesystem")]
    #[must_use]
    pub fn optional_skills_directory(self, layer: &str, directory: impl Into<PathBuf>) -> Self {
        self.directory(layer, directory.into(), Nested::Stop, IfMissing::Ignore)
    }

    /// Adds a directory tree of any shape, such as a checkout: packages inside packages count too.
    #[cfg(feature = "filesystem")]
    #[must_use]
    pub fn tree(self, layer: &str, directory: impl Into<PathBuf>) -> Self {
        self.directory(layer, directory.into(), Nested::Descend, IfMissing::Fail)
    }

    /// Adds the directories of skills that the policy of discovery finds on a machine, after those that
    /// are named. Of a project whose folder the user does not trust, the skills are known and not
    /// offered, unless the policy says otherwise.
    #[cfg(feature = "filesystem")]
    #[must_use]
    pub fn discover(mut self, machine: Surroundings, trust: Arc<dyn FolderTrust>) -> Self {
        self.machine = Some((machine, trust));
        self
    }

    /// Keeps what the first scan finds for the next start, which reads only what has changed since.
    #[cfg(feature = "state")]
    #[must_use]
    pub fn record_cache(mut self, cache: RecordCache) -> Self {
        self.cache = Some(cache);
        self
    }

    /// Adds what the host found of its own files, to be told with the catalog's findings.
    #[must_use]
    pub fn finding(mut self, finding: Diagnostic) -> Self {
        self.findings.push(finding);
        self
    }

    /// Adds a source of any kind.
    #[must_use]
    pub fn source(self, layer: &str, source: Arc<dyn SkillSource>) -> Self {
        self.add(AddedSource::new(layer, Origin::Source(source)))
    }

    /// Adds a source of one package and names its skill `skill_name`, whatever name the skill declares.
    #[must_use]
    pub fn single_skill_source(
        self,
        layer: &str,
        skill_name: &str,
        source: Arc<dyn SkillSource>,
    ) -> Self {
        let skill_name = Some(skill_name.into());
        self.add(AddedSource { skill_name, ..AddedSource::new(layer, Origin::Source(source)) })
    }

    /// Adds the skills that prowess brings along, in the layer `embedded`.
    #[must_use]
    pub fn default_skills(self) -> Self {
        self.add(AddedSource::new("embedded", Origin::DefaultSkills))
    }

    /// Takes the sources of directories and of the skills that prowess brings along from plugins, in the
    /// place of those that are linked, if the policy of `loader` says where they lie. By default they are
    /// linked. Everything else stays the same, but for what the boundary has no word for: a root is listed
    /// anew by each scan, and two links to one directory are compared by what is in it. The plugins see the
    /// runtime's clock.
    #[cfg(feature = "plugins")]
    #[must_use]
    pub fn dynamic(mut self, loader: prowess_plugin_host::PluginLoader) -> Self {
        self.built_in = BuiltIn::of(loader);
        self
    }

    /// Adds the sources and tools of a plugin. Its skills go into the layer that the policy gives it or,
    /// without one, into the layer `plugin` where there is one, else into the lowest.
    #[cfg(feature = "plugins")]
    #[must_use]
    pub fn plugin(mut self, plugin: &prowess_plugin_host::Plugin) -> Self {
        for source in &plugin.sources {
            let layer = plugin.layer.as_deref().map(Into::into);
            let origin = Origin::Source(Arc::clone(source));
            self.sources.push(AddedSource { layer, skill_name: None, origin });
        }
        self.providers.extend(plugin.tools.iter().cloned());
        self
    }

    /// Adds tools beside those of skills.
    #[must_use]
    pub fn tools(mut self, provider: Arc<dyn ToolProvider>) -> Self {
        self.providers.push(provider);
        self
    }

    /// Chooses where conversations are kept.
    #[must_use]
    pub fn session_store(mut self, store: Arc<dyn SessionStore>) -> Self {
        self.store = store;
        self
    }

    /// Chooses the clock.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Chooses who counts tokens.
    #[must_use]
    pub fn token_counter(mut self, counter: Arc<dyn TokenCounter>) -> Self {
        self.counter = counter;
        self
    }

    /// Chooses who hears of each tool call, and of each skill that is used in the stead of another.
    #[must_use]
    pub fn audit(mut self, audit: Arc<dyn AuditSink>) -> Self {
        self.audit = audit;
        self
    }

    /// Chooses who ranks skills for a query.
    #[must_use]
    pub fn ranker(mut self, ranker: Arc<dyn Ranker>) -> Self {
        self.ranker = ranker;
        self
    }

    /// Chooses who knows what the machine has, for skills that need something of it. By default,
    /// [`SystemFacts`](crate::SystemFacts).
    #[must_use]
    pub fn facts(mut self, facts: Arc<dyn Facts>) -> Self {
        self.facts = Some(facts);
        self
    }

    /// Puts the runtime together and takes the first scan.
    ///
    /// # Errors
    ///
    /// A layer is named twice or not at all, or two tools have one name. A built-in source shall be a
    /// plugin and cannot be loaded. A named directory is missing, unless it is optional, or cannot be read,
    /// or the source of a single skill has no `SKILL.md`. Any other source that cannot be scanned is a
    /// diagnostic of the catalog.
    pub fn build(mut self) -> Result<Runtime, Error> {
        if !self.policies.layers.is_empty() {
            self.layers = self.layers_of_policies();
        }
        let toolbox = self.toolbox()?;
        let (registry, required) = self.registry()?;
        let registry = Arc::new(self.first_scan(registry)?);
        if let Some(finding) = unusable_root(&registry.catalog(), &required) {
            return Err(Error::Root(Box::new(finding.clone())));
        }
        let Self { policies, store, clock, counter, ranker, audit, .. } = self;
        let load_tool = toolbox.naming().spell(&policies.prompt.load_tool);
        let prompt = PromptPolicy { load_tool, ..policies.prompt.clone() };
        let composer = Composer::new(prompt, policies.delivery, counter);
        let sessions = Sessions::new(store, Arc::clone(&clock), policies.session.clone());
        let boundaries =
            Boundaries::random().map_err(|error| Error::Randomness(error.to_string()))?;
        let refresher =
            Refresher::start(Arc::clone(&registry), policies.refresh, Arc::clone(&clock));
        let refresher = refresher.map_err(Error::Refresh)?;
        Ok(Runtime::new(Parts {
            policies,
            composer,
            registry,
            refresher,
            sessions,
            boundaries,
            toolbox,
            clock,
            ranker,
            audit,
        }))
    }

    #[cfg(feature = "filesystem")]
    fn directory(self, layer: &str, root: PathBuf, nested: Nested, if_missing: IfMissing) -> Self {
        let may_be_missing = if_missing == IfMissing::Ignore;
        let directory = NamedDirectory { root, nested, may_be_missing };
        self.add(AddedSource::new(layer, Origin::Directory(directory)))
    }

    fn add(mut self, source: AddedSource) -> Self {
        self.sources.push(source);
        self
    }

    /// Builds the registry and scans every source, with what the record cache holds of them.
    fn first_scan(&self, registry: RegistryBuilder) -> Result<Registry, Error> {
        #[cfg(feature = "state")]
        if let Some(cache) = &self.cache
            && self.policies.record_cache == crate::CachePolicy::Keep
        {
            return RecordCacheSession::new(cache, self.policies.registry).scan(registry);
        }
        let registry = registry.build()?;
        registry.reload();
        Ok(registry)
    }

    fn toolbox(&self) -> Result<Toolbox, Error> {
        let skill_tools = SkillTools::new(self.policies.tools.clone(), self.policies.delivery);
        let mut toolbox = Toolbox::builder(ToolNaming::new(self.policies.name_style))
            .provider(&skill_tools)
            .audit(Arc::clone(&self.audit));
        for provider in &self.providers {
            toolbox = toolbox.provider(provider.as_ref());
        }
        Ok(toolbox.build()?)
    }

    /// The layers of the policies, and below them, without weight, those of the builder that the policies
    /// do not name: a program has roots of its own, whatever its operator calls the rest.
    fn layers_of_policies(&self) -> Vec<Layer> {
        let named = &self.policies.layers;
        let is_named = |layer: &&Layer| named.iter().any(|other| other.name == layer.name);
        let others = self.layers.iter().filter(|layer| !is_named(layer));
        let others = others.map(|layer| layer.clone().weighing(0));
        // A file names the highest first, as one reads; the builder, as one stacks.
        others.chain(named.iter().rev().cloned()).collect()
    }

    /// What the catalog is settled by, whatever its sources are.
    pub(crate) fn rules(&self) -> RegistryBuilder {
        let Policies { registry, visibility, audience, aliases, .. } = &self.policies;
        let of_machine = || Arc::new(SystemFacts::new(visibility.config.iter().cloned()));
        let facts = self.facts.clone().unwrap_or_else(|| of_machine());
        let builder = Registry::builder().policy(*registry).facts(facts);
        let builder = builder.audit(Arc::clone(&self.audit), Arc::clone(&self.clock));
        let builder = builder.ranker(Arc::clone(&self.ranker));
        let body_age = self.policies.refresh.body_age();
        let builder = builder.cache_bodies(body_age, Arc::clone(&self.clock));
        let builder = builder.visibility(visibility.clone()).audience(audience.clone());
        let with = |builder: RegistryBuilder, (alias, id): (&String, &String)| {
            builder.alias(alias.as_str(), id.as_str())
        };
        aliases.iter().fold(builder, with)
    }
}
