//! What a runtime is made of.

use std::path::PathBuf;
use std::sync::Arc;

use prowess_core::{
    AuditSink, Clock, Diagnostic, EstimatedTokens, Facts, FolderTrust, Layer, NoAudit, Ranker,
    SessionStore, SkillSource, TokenCounter, ToolProvider, Trust,
};
use prowess_registry::{Refresher, Registry, RegistryBuilder};
use prowess_search::Searcher;
use prowess_session::{MemoryStore, Sessions};
use prowess_source_fs::{Nested, SkillRoots, Surroundings};
use prowess_state::RecordCache;
use prowess_tools::{SkillTools, Surface, Toolbox};

use crate::built_in::BuiltIn;
use crate::memory::Memory;
use crate::places::{Place, found_config, layer_of, layers, named_config};
use crate::runtime::Runtime;
use crate::{Error, Keeping, Policies, SystemClock, SystemFacts};

/// The layers of a runtime that names none, the lowest first: what the program brings, what is the
/// user's own, what came with the project.
pub const STANDARD_LAYERS: [(&str, Trust); 3] =
    [("embedded", Trust::Trusted), ("user", Trust::Trusted), ("project", Trust::Prompt)];

/// Collects what a [`Runtime`] is made of.
///
/// By default: the [`STANDARD_LAYERS`], no source, the tools of skills, sessions in memory, the
/// system's clock, estimated tokens, search by words and no audit.
pub struct RuntimeBuilder {
    policies: Policies,
    layers: Vec<Layer>,
    /// Each with its layer; without one it is a plugin's.
    sources: Vec<(Option<Box<str>>, Place)>,
    built_in: BuiltIn,
    findings: Vec<Diagnostic>,
    cache: Option<RecordCache>,
    machine: Option<(Surroundings, Arc<dyn FolderTrust>)>,
    providers: Vec<Arc<dyn ToolProvider>>,
    store: Arc<dyn SessionStore>,
    clock: Arc<dyn Clock>,
    counter: Arc<dyn TokenCounter>,
    audit: Arc<dyn AuditSink>,
    ranker: Arc<dyn Ranker>,
    facts: Option<Arc<dyn Facts>>,
}

impl Default for RuntimeBuilder {
    fn default() -> Self {
        Self {
            policies: Policies::default(),
            layers: STANDARD_LAYERS.map(|(name, trust)| Layer::new(name, trust)).into(),
            sources: Vec::new(),
            built_in: BuiltIn::default(),
            findings: Vec::new(),
            cache: None,
            machine: None,
            providers: Vec::new(),
            store: Arc::new(MemoryStore::new()),
            clock: Arc::new(SystemClock::default()),
            counter: Arc::new(EstimatedTokens),
            audit: Arc::new(NoAudit),
            ranker: Arc::new(Searcher::new()),
            facts: None,
        }
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
    #[must_use]
    pub fn skills_directory(mut self, layer: &str, directory: impl Into<PathBuf>) -> Self {
        self.sources.push((Some(layer.into()), Place::Directory(directory.into(), Nested::Stop)));
        self
    }

    /// Adds a directory tree of any shape, such as a checkout: packages inside packages count too.
    #[must_use]
    pub fn tree(mut self, layer: &str, directory: impl Into<PathBuf>) -> Self {
        self.sources
            .push((Some(layer.into()), Place::Directory(directory.into(), Nested::Descend)));
        self
    }

    /// Adds the directories of skills that the policy of discovery finds on a machine, after those that
    /// are named. Of a project whose folder the user does not trust, the skills are known and not
    /// offered, unless the policy says otherwise.
    #[must_use]
    pub fn discover(mut self, machine: Surroundings, trust: Arc<dyn FolderTrust>) -> Self {
        self.machine = Some((machine, trust));
        self
    }

    /// Keeps what the first scan finds for the next start, which reads only what has changed since.
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
    pub fn source(mut self, layer: &str, source: Arc<dyn SkillSource>) -> Self {
        self.sources.push((Some(layer.into()), Place::Source(source)));
        self
    }

    /// Adds a source of one package, which goes by the host's name in the place of its declared one.
    #[must_use]
    pub fn source_named(mut self, layer: &str, name: &str, source: Arc<dyn SkillSource>) -> Self {
        self.sources.push((Some(layer.into()), Place::Named(name.into(), source)));
        self
    }

    /// Adds the skills that prowess brings along, in the layer `embedded`.
    #[must_use]
    pub fn default_skills(mut self) -> Self {
        self.sources.push((Some("embedded".into()), Place::DefaultSkills));
        self
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
            self.sources.push((layer, Place::Source(Arc::clone(source))));
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
    /// plugin and cannot be loaded. A source that cannot be scanned is a diagnostic of the catalog.
    pub fn build(mut self) -> Result<Runtime, Error> {
        if !self.policies.layers.is_empty() {
            self.layers = self.layers_of_policies();
        }
        let toolbox = self.toolbox()?;
        let registry = self.registry()?;
        let cache = self.cache.as_ref().filter(|_| self.policies.record_cache == Keeping::Keep);
        let mut memory = cache.map(|cache| Memory::new(cache, &self.policies.registry));
        let registry = match &mut memory {
            Some(memory) => memory.recall(registry).build()?,
            None => registry.build()?,
        };
        let registry = Arc::new(registry);
        let scanned = registry.reload();
        if let Some(memory) = memory {
            memory.keep(&scanned.catalog);
        }
        let Self { mut policies, store, clock, counter, ranker, audit, .. } = self;
        policies.prompt.load_tool = toolbox.surface().spell(&policies.prompt.load_tool);
        let sessions = Sessions::new(store, Arc::clone(&clock), policies.session.clone());
        let refresher =
            Refresher::start(Arc::clone(&registry), policies.refresh, Arc::clone(&clock));
        let refresher = refresher.map_err(Error::Refresh)?;
        Ok(Runtime {
            policies,
            registry,
            refresher,
            sessions,
            toolbox,
            clock,
            counter,
            ranker,
            audit,
        })
    }

    fn toolbox(&self) -> Result<Toolbox, Error> {
        let skill_tools = SkillTools::new(self.policies.tools.clone());
        let mut toolbox = Toolbox::builder(Surface::new(self.policies.name_style))
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
    fn rules(&self) -> RegistryBuilder {
        let Policies { registry, visibility, audience, aliases, .. } = &self.policies;
        let of_machine = || Arc::new(SystemFacts::new(visibility.config.iter().cloned()));
        let facts = self.facts.clone().unwrap_or_else(|| of_machine());
        let builder = Registry::builder().policy(*registry).facts(facts);
        let builder = builder.audit(Arc::clone(&self.audit), Arc::clone(&self.clock));
        let builder = builder.ranker(Arc::clone(&self.ranker));
        let body_age = self.policies.refresh.body_age();
        let builder = builder.keep_bodies(body_age, Arc::clone(&self.clock));
        let builder = builder.visibility(visibility.clone()).audience(audience.clone());
        let with = |builder: RegistryBuilder, (alias, id): (&String, &String)| {
            builder.alias(alias.as_str(), id.as_str())
        };
        aliases.iter().fold(builder, with)
    }

    fn registry(&mut self) -> Result<RegistryBuilder, Error> {
        let mut registry = self.rules();
        let discovery = &self.policies.discovery;
        let found = self.machine.as_ref().map(|(machine, _)| discovery.find(machine));
        let found = found.unwrap_or_default();
        if let Some((_, trust)) = &self.machine {
            registry = registry.trust(Arc::clone(trust));
        }
        let layers = layers(&self.layers, discovery, &found);
        for layer in &layers {
            registry = registry.layer(layer.clone());
        }
        let mut directories = self.directories(&found, &layers)?.into_iter();
        let mut next = || directories.next().expect("there is a source for each directory");
        for (layer, place) in &self.sources {
            let source = match place {
                Place::Source(source) => Arc::clone(source),
                Place::DefaultSkills => self.built_in.default_skills(&self.clock)?,
                Place::Named(_, source) => Arc::clone(source),
                Place::Directory(..) => next(),
            };
            let layer = layer_of(layer.as_deref(), &layers);
            registry = match place {
                Place::Named(name, _) => registry.source_named(layer, name.clone(), source),
                _ => registry.source(layer, source),
            };
        }
        for finding in self.findings.iter().chain(&found.findings) {
            registry = registry.finding(finding.clone());
        }
        for root in &found.roots {
            registry = match &root.asked {
                Some(asked) => registry.source_of_folder(&root.layer, next(), asked.clone()),
                None => registry.source(&root.layer, next()),
            };
        }
        Ok(registry)
    }

    /// A source for each directory that is named, and after them for each that was found.
    fn directories(
        &mut self,
        found: &SkillRoots,
        layers: &[Layer],
    ) -> Result<Vec<Arc<dyn SkillSource>>, Error> {
        let discovery = &self.policies.discovery;
        let named = self.sources.iter().filter_map(|(layer, place)| match place {
            Place::Directory(root, nested) => {
                let layer = layer_of(layer.as_deref(), layers);
                Some(named_config(root, *nested, layer, layers, discovery))
            }
            Place::DefaultSkills | Place::Named(..) | Place::Source(_) => None,
        });
        let found = found.roots.iter().map(|root| found_config(root, layers, discovery));
        let configs = named.chain(found).collect();
        self.built_in.directories(configs, &self.clock)
    }
}
