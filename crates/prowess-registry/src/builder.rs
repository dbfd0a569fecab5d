//! Builds a registry from layers and sources.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use prowess_core::{
    AGENT_LAYER, AskedFolder, Audience, AuditSink, Clock, Diagnostic, Facts, FolderTrust,
    HostCommands, Layer, NoFolderTrust, Ranker, RecordSet, Severity, SkillSource, Trust,
};

use prowess_format::NameMismatch;

use crate::agent_skills::AgentSource;
use crate::auditor::Auditor;
use crate::body_cache::BodyCache;
use crate::policy::{RegistryPolicy, UnknownLayer};
use crate::registry::RegistryContext;
use crate::resolve_input::ResolveSettings;
use crate::resolver::Resolver;
use crate::scanned::Registered;
use crate::visibility::VisibilityPolicy;
use crate::{Registry, RegistryError, codes};

/// Collects the layers and sources of a [`Registry`].
#[derive(Default)]
pub struct RegistryBuilder {
    layers: Vec<Layer>,
    sources: Vec<NewSource>,
    policy: RegistryPolicy,
    outside: Option<(&'static [&'static str], RegistryPolicy)>,
    visibility: VisibilityPolicy,
    aliases: BTreeMap<Box<str>, Box<str>>,
    facts: Option<Arc<dyn Facts>>,
    audience: Audience,
    findings: Vec<Diagnostic>,
    auditor: Option<Auditor>,
    ranker: Option<Arc<dyn Ranker>>,
    trust: Option<Arc<dyn FolderTrust>>,
    commands: HostCommands,
    cached_bodies: Option<(Duration, Arc<dyn Clock>)>,
}

/// A source whose layer is not resolved yet.
struct NewSource {
    layer: Box<str>,
    source: Arc<dyn SkillSource>,
    asked: Option<AskedFolder>,
    /// The source itself, if agents write its skills.
    agents: Option<Arc<AgentSource>>,
    /// The host's name for its only package.
    name: Option<Box<str>>,
    /// The records of an earlier run of the program.
    records: Arc<RecordSet>,
}

impl NewSource {
    fn new(layer: &str, source: Arc<dyn SkillSource>) -> Self {
        let records = Arc::default();
        Self { layer: layer.into(), source, asked: None, agents: None, name: None, records }
    }
}

impl Registry {
    /// Creates a builder for a registry without layers.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }
}

impl RegistryBuilder {
    /// Adds a layer above those that were added before.
    #[must_use]
    pub fn layer(mut self, layer: Layer) -> Self {
        self.layers.insert(0, layer);
        self
    }

    /// Adds a source to a layer, after those that the layer has. In [`AGENT_LAYER`], skills that
    /// wait for a review or exceed the quotas are hidden, and only reviewed files are read.
    #[must_use]
    pub fn source(self, layer: &str, source: Arc<dyn SkillSource>) -> Self {
        self.add(NewSource::new(layer, source))
    }

    /// Adds a source of one package, which gets the host's name instead of its declared one.
    #[must_use]
    pub fn single_skill_source(
        self,
        layer: &str,
        name: impl Into<Box<str>>,
        source: Arc<dyn SkillSource>,
    ) -> Self {
        let name = Some(name.into());
        self.add(NewSource { name, ..NewSource::new(layer, source) })
    }

    /// Adds a source whose skills are offered only if the user trusts this folder. Otherwise its
    /// skills are hidden and shadow none. [`Self::trust`] sets the provider of the user's trust.
    #[must_use]
    pub fn source_of_folder(
        self,
        layer: &str,
        source: Arc<dyn SkillSource>,
        asked: AskedFolder,
    ) -> Self {
        self.add(NewSource { asked: Some(asked), ..NewSource::new(layer, source) })
    }

    /// Sets the user's trust in folders, which each reload checks. By default no folder is trusted.
    #[must_use]
    pub fn trust(mut self, trust: Arc<dyn FolderTrust>) -> Self {
        self.trust = Some(trust);
        self
    }

    /// Sets the words for what a person does in the host. By default, they name no command.
    #[must_use]
    pub fn commands(mut self, commands: HostCommands) -> Self {
        self.commands = commands;
        self
    }

    /// Restores the records of an earlier run of the program for each added source. The first scan
    /// reads only files that have changed since then.
    #[must_use]
    pub fn restore(
        mut self,
        mut earlier: impl FnMut(&dyn SkillSource) -> Option<Arc<RecordSet>>,
    ) -> Self {
        for new in &mut self.sources {
            new.records = earlier(&*new.source).unwrap_or_default();
        }
        self
    }

    fn add(mut self, source: NewSource) -> Self {
        self.sources.push(source);
        self
    }

    /// Sets the listener for skills that replace another one. By default, there is none.
    #[must_use]
    pub fn audit(mut self, sink: Arc<dyn AuditSink>, clock: Arc<dyn Clock>) -> Self {
        self.auditor = Some(Auditor { sink, clock });
        self
    }

    /// Caches the body of each loaded skill for `age`, by this clock. It is evicted earlier if a
    /// reload finds another version, and by [`Registry::evict_body`]. By default, a body is read
    /// at each load.
    #[must_use]
    pub fn cache_bodies(mut self, age: Duration, clock: Arc<dyn Clock>) -> Self {
        self.cached_bodies = (!age.is_zero()).then_some((age, clock));
        self
    }

    /// Sets a ranker that prepares for each catalog before readers get it. By default the first
    /// query after a reload waits for its ranker.
    #[must_use]
    pub fn ranker(mut self, ranker: Arc<dyn Ranker>) -> Self {
        self.ranker = Some(ranker);
        self
    }

    /// Adds a finding about the configuration, which every catalog contains.
    #[must_use]
    pub fn finding(mut self, finding: Diagnostic) -> Self {
        self.findings.push(finding);
        self
    }

    /// Sets the policy for records and collisions.
    #[must_use]
    pub fn policy(mut self, policy: RegistryPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets another policy for records of all layers but these, such as those of a project whose
    /// file has changed the policy. By default, there is one for all.
    #[must_use]
    pub fn policy_outside(
        mut self,
        layers: &'static [&'static str],
        policy: RegistryPolicy,
    ) -> Self {
        self.outside = Some((layers, policy));
        self
    }

    /// Sets which skills are offered to which audience, and how. By default all are, with their
    /// descriptions.
    #[must_use]
    pub fn visibility(mut self, visibility: VisibilityPolicy) -> Self {
        self.visibility = visibility;
        self
    }

    /// Sets the facts about the machine. By default there are none, and every skill is ready.
    #[must_use]
    pub fn facts(mut self, facts: Arc<dyn Facts>) -> Self {
        self.facts = Some(facts);
        self
    }

    /// Sets the audience of the catalog that readers get. By default, the default audience.
    #[must_use]
    pub fn audience(mut self, audience: Audience) -> Self {
        self.audience = audience;
        self
    }

    /// Adds an alias for an id, which may be a qualified one. A skill that has the alias as its id
    /// takes precedence, unless it is untrusted.
    #[must_use]
    pub fn alias(mut self, alias: impl Into<Box<str>>, id: impl Into<Box<str>>) -> Self {
        self.aliases.insert(alias.into(), id.into());
        self
    }

    /// Builds a registry whose catalog is empty until [`Registry::reload`].
    ///
    /// # Errors
    ///
    /// Returns an error if two layers have the same name, or a source is in an unknown layer and
    /// the policy does not create it.
    pub fn build(mut self) -> Result<Registry, RegistryError> {
        let names: Vec<_> = self.layers.iter().map(|layer| &layer.name).collect();
        if let Some(twice) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
            return Err(RegistryError::DuplicateLayer(names[twice].clone()));
        }
        let layers = self.weighed_layers()?;
        let rank = |source: &NewSource| layers.iter().position(|layer| layer.name == source.layer);
        let rank =
            |source: &NewSource| rank(source).expect("each source has a layer at this point");
        // A stable sort keeps the order of the calls within a layer.
        self.sources.sort_by_key(rank);
        let roots = self.sources.iter().map(|source| source.source.root());
        self.findings.extend(shared_roots(&roots.collect::<Vec<_>>()));
        let names = self.sources.iter_mut().map(|source| source.name.take()).collect();
        self.wrap_sources_of_agents();
        let rules = ResolveSettings {
            layers: layers.clone(),
            policy: self.policy,
            outside: self.outside,
            visibility: self.visibility,
            aliases: self.aliases.into_iter().collect(),
            names,
            facts: self.facts,
            audience: self.audience,
        };
        let caching = self.sources.iter_mut().filter_map(|new| {
            let (age, clock) = self.cached_bodies.clone()?;
            let of_layer = rules.policy_of(&layers[rank(new)]).rules();
            let cache = Arc::new(BodyCache::new(Arc::clone(&new.source), clock, age, of_layer));
            new.source = Arc::clone(&cache) as _;
            Some(cache)
        });
        let bodies = caching.collect();
        let sources = self.sources.into_iter().enumerate().map(|(at, new)| {
            let (rank, mut policy) = (rank(&new), rules.policy_of(&layers[rank(&new)]));
            // The host names the skill, so that its directory may have any name.
            if rules.names[at].is_some() {
                policy.name_mismatch = NameMismatch::Allow;
            }
            let NewSource { source, asked, records, agents, .. } = new;
            Registered { records, agents, policy, ..Registered::new(rank, source, asked) }
        });
        let sources = sources.collect();
        let resolver = Resolver::new(rules);
        let Self { findings, auditor, ranker, commands, .. } = self;
        let trust = self.trust.unwrap_or_else(|| Arc::new(NoFolderTrust));
        Ok(Registry::new(
            resolver,
            sources,
            RegistryContext { findings, auditor, ranker, trust, commands, bodies },
        ))
    }

    /// Replaces each source whose skills agents write.
    fn wrap_sources_of_agents(&mut self) {
        for new in self.sources.iter_mut().filter(|new| *new.layer == *AGENT_LAYER) {
            let source = Arc::clone(&new.source);
            let agents = Arc::new(AgentSource::new(source, &self.visibility.skills));
            new.source = Arc::clone(&agents) as _;
            new.agents = Some(agents);
        }
    }

    /// Returns the layers with their weights, the heaviest first, and the unknown ones of sources
    /// if the policy adds them.
    fn weighed_layers(&mut self) -> Result<Vec<Layer>, RegistryError> {
        let mut layers = std::mem::take(&mut self.layers);
        let count = layers.len();
        for (rank, layer) in layers.iter_mut().enumerate() {
            let by_order = u16::try_from(count - rank).unwrap_or(u16::MAX);
            layer.weight.get_or_insert(by_order);
        }
        layers.sort_by_key(|layer| Reverse(layer.weight));
        for source in &self.sources {
            if layers.iter().any(|layer| layer.name == source.layer) {
                continue;
            }
            let known: Vec<_> = layers.iter().map(|layer| format!("`{}`", layer.name)).collect();
            let known = known.join(", ");
            let layer = source.layer.clone();
            match self.policy.unknown_layer {
                UnknownLayer::Refuse => return Err(RegistryError::UnknownLayer { layer, known }),
                UnknownLayer::Lowest => {
                    self.findings.push(unknown_layer(&layer, &known, source.source.root()));
                    layers.push(Layer::new(layer, Trust::Untrusted).weighing(0));
                }
            }
        }
        Ok(layers)
    }
}

/// Returns a finding for each root that an earlier source has too.
fn shared_roots(roots: &[&str]) -> Vec<Diagnostic> {
    let trimmed: Vec<_> = roots.iter().map(|root| root.trim_end_matches('/')).collect();
    let is_shared = |&at: &usize| trimmed[..at].contains(&trimmed[at]);
    let shared = (1..roots.len()).filter(is_shared).map(|at| {
        let message = format!(
            "`{}` is the root of two sources, so each of its skills is found twice",
            roots[at]
        );
        let help = "name it once, in the layer that it belongs to";
        Diagnostic::new(codes::ROOT_SHARED, Severity::Warning, message, help).in_file(roots[at])
    });
    shared.collect()
}

fn unknown_layer(layer: &str, known: &str, root: &str) -> Diagnostic {
    let message =
        format!("there is no layer `{layer}`, so its skills come last and are not trusted");
    let help = format!("name one of the layers {known}, or add it to them");
    Diagnostic::new(codes::LAYER_UNKNOWN, Severity::Warning, message, help).in_file(root)
}
