//! Builds a runtime from the parts that a [`RuntimeBuilder`] has collected.

use std::collections::BTreeSet;
use std::sync::Arc;

use prowess_core::{CatalogProvider, Clock, Layer, ScriptRunner, ToolProvider};
use prowess_gate::{GatePolicy, Ungranted};
use prowess_prompt::{CatalogEvery, CatalogPlace, PromptPolicy};
use prowess_registry::{Refresher, Registry, RegistryBuilder};
use prowess_session::{AuditedApprovals, Boundaries, CallApprovals, EndedSkills, OnEnd, Sessions};
use prowess_tools::{
    CallAudit, DiscoveryTools, EndedRun, ListedIds, SkillHooks, SkillTools, ToolHost, ToolPolicy,
    Toolbox,
};

use serde_json::json;

use crate::conversations::Conversations;
use crate::faces::{FaceInput, Faces};
use crate::feature_need;
use crate::gate::{ConsentPolicy, RuntimeGate};
use crate::parts::Parts;
use crate::policies::OF_PROJECT;
#[cfg(feature = "state")]
use crate::record_cache::RecordCacheSession;
use crate::runtime::Runtime;
use crate::sources::unusable_root;
use crate::{AddedTools, Error, Policies, RuntimeBuilder, SystemFacts};

impl RuntimeBuilder {
    /// Builds the runtime and scans every source.
    ///
    /// # Errors
    ///
    /// - A layer is named twice or not at all, or two tools have one name.
    /// - The policies need a feature that this build lacks.
    /// - The policies want a built-in source as a plugin, and it cannot be loaded.
    /// - A named directory is missing and not optional, or cannot be read.
    /// - The source of a single skill has no `SKILL.md`.
    ///
    /// A failure of any other source is a diagnostic of the catalog.
    pub fn build(mut self) -> Result<Runtime, Error> {
        self.prepare()?;
        let gate = Arc::new(self.gate());
        let approvals = Arc::new(self.audited_approvals());
        let (toolbox, hooks) = self.toolbox(&gate)?;
        let (registry, required) = self.registry()?;
        let registry = self.first_scan(registry)?;
        if let Some(finding) = unusable_root(&registry.catalog(), &required) {
            return Err(Error::Root(Box::new(finding.clone())));
        }
        let Self { policies, store, clock, counter, ranker, audit, .. } = self;
        let start = &registry.catalog();
        let faces = Faces::new(FaceInput {
            policies: &policies,
            toolbox: &toolbox,
            counter: &counter,
            start,
        });
        let session_policy = policies.session.clone();
        let sessions = Sessions::audited(store, Arc::clone(&clock), session_policy, audit);
        let sessions = sessions.on_end(post_hooks(&hooks, &registry, &clock));
        let boundaries =
            Boundaries::random().map_err(|error| Error::Randomness(error.to_string()))?;
        let refresher = Refresher::new(Arc::clone(&registry), policies.refresh, Arc::clone(&clock));
        if !self.watches_later {
            refresher.begin().map_err(Error::Refresh)?;
        }
        Ok(Runtime::new(Parts {
            policies,
            faces,
            conversations: Conversations::default(),
            registry,
            refresher,
            sessions,
            boundaries,
            toolbox,
            hooks,
            gate,
            approvals,
            clock,
            ranker,
            counter,
        }))
    }

    /// Checks what [`Self::build`] refuses before it scans a source: whether the policies, the
    /// layers, the sources and the tools fit together.
    ///
    /// # Errors
    ///
    /// As [`Self::build`], apart from what is wrong with a directory.
    pub fn check(mut self) -> Result<(), Error> {
        self.prepare()?;
        let gate = Arc::new(self.gate());
        self.toolbox(&gate)?;
        let (registry, _) = self.registry()?;
        registry.build()?;
        Ok(())
    }

    fn prepare(&mut self) -> Result<(), Error> {
        self.policies = std::mem::take(&mut self.policies).adapted();
        feature_need::check(&self.policies, self.virtual_shell.is_some())?;
        self.check_clients()?;
        if !self.policies.layers.is_empty() {
            self.layers = self.layers_of_policies();
        }
        self.trace_audit();
        self.add_shell();
        self.add_proposals();
        Ok(())
    }

    fn check_clients(&self) -> Result<(), Error> {
        let Policies { clients, tools, .. } = &self.policies;
        for (client, policy) in clients {
            if let Some(surface) = policy.surfaces.iter().find(|it| !tools.surfaces.contains(it)) {
                return Err(Error::ClientSurface {
                    client: client.clone(),
                    surface: json!(surface).to_string(),
                });
            }
        }
        Ok(())
    }

    /// Emits the events of the audit as traces too.
    #[cfg(feature = "audit")]
    fn trace_audit(&mut self) {
        let sinks = vec![Arc::new(prowess_audit::TracedAudit) as _, Arc::clone(&self.audit)];
        self.audit = Arc::new(prowess_audit::Fanout(sinks));
    }

    #[cfg(not(feature = "audit"))]
    fn trace_audit(&mut self) {}

    /// Builds the registry and scans every source, with the help of the record cache if there is
    /// one.
    fn first_scan(&self, registry: RegistryBuilder) -> Result<Arc<Registry>, Error> {
        let scan = |registry: &Arc<Registry>| match &self.waits_until {
            Some(until) => registry.start_until(until),
            None => registry.reload(),
        };
        #[cfg(feature = "state")]
        if let Some(cache) = &self.cache {
            return RecordCacheSession::new(cache, &self.policies).scan(registry, scan);
        }
        let registry = Arc::new(registry.build()?);
        scan(&registry);
        Ok(registry)
    }

    /// Returns the policy of the tools, with the scripts that the interpreters here run.
    fn tool_policy(&self) -> ToolPolicy {
        #[cfg_attr(not(feature = "scripts"), expect(unused_mut))]
        let mut policy = self.policies.tools.clone();
        #[cfg(feature = "scripts")]
        policy.script_extensions.extend(self.policies.scripts.interpreters.0.keys().cloned());
        policy
    }

    fn skill_tools(&self) -> SkillTools {
        let mut policy = self.tool_policy();
        let is_seen = self.policies.prompt.catalog_place != CatalogPlace::ToolOnly;
        if !is_seen && policy.discovery == DiscoveryTools::Overflow {
            policy.discovery = DiscoveryTools::Always;
        }
        let tools = SkillTools::new(policy, self.policies.delivery)
            .ranker(Arc::clone(&self.ranker))
            .token_counter(Arc::clone(&self.counter))
            .listed_ids(self.listed_ids())
            .naming(self.policies.naming());
        let tools = match self.runner_of_scripts() {
            Some(runner) => tools.script_runner(self.redacted(runner)),
            None => tools,
        };
        let tools = match &self.virtual_shell {
            Some(shell) => tools.shell(Arc::clone(shell)),
            None => tools,
        };
        match &self.proposals {
            Some(proposals) => tools.proposals(Arc::clone(proposals)),
            None => tools,
        }
    }

    /// Sets the directory of proposals of the policy, if the host has set no store of its own.
    #[cfg(feature = "proposals")]
    fn add_proposals(&mut self) {
        if self.proposals.is_none()
            && let Some(files) = crate::file_proposals(&self.policies, &self.audit)
        {
            self.proposals = Some(Arc::new(files));
        }
    }

    #[cfg(not(feature = "proposals"))]
    fn add_proposals(&mut self) {}

    /// Sets the shell of the policy, if a surface needs one and the host has set none.
    #[cfg(feature = "virtual-shell")]
    fn add_shell(&mut self) {
        if self.policies.tools.surfaces.contains(&prowess_tools::Surface::Shell) {
            let policy = &self.policies.shell;
            let shell = || Arc::new(prowess_shell::InMemoryShell::new(policy.clone())) as _;
            self.virtual_shell.get_or_insert_with(shell);
        }
    }

    #[cfg(not(feature = "virtual-shell"))]
    fn add_shell(&mut self) {}

    /// Returns which names the schemas of the tools allow: where a notice announces skills after
    /// the definitions were written, a model can load those too. Clients of a server often keep
    /// the definitions that they read first, and check arguments by them.
    fn listed_ids(&self) -> ListedIds {
        if self.policies.tools.host == ToolHost::Foreign {
            return ListedIds::AndLater;
        }
        let PromptPolicy { catalog_every, catalog_place, .. } = &self.policies.prompt;
        let is_text =
            matches!(catalog_place, CatalogPlace::SystemPrompt | CatalogPlace::ContextBlock);
        if is_text && *catalog_every == CatalogEvery::Change {
            ListedIds::AndLater
        } else {
            ListedIds::Only
        }
    }

    /// Removes the secrets of the host from what scripts print.
    #[cfg(feature = "audit")]
    fn redacted(&self, runner: Arc<dyn ScriptRunner>) -> Arc<dyn ScriptRunner> {
        Arc::new(prowess_audit::RedactedScripts::new(runner, self.redactor.clone()))
    }

    #[cfg(not(feature = "audit"))]
    fn redacted(&self, runner: Arc<dyn ScriptRunner>) -> Arc<dyn ScriptRunner> {
        runner
    }

    /// Returns the runner that the host set, or the one in the sandbox.
    fn runner_of_scripts(&self) -> Option<Arc<dyn ScriptRunner>> {
        #[cfg(feature = "scripts")]
        if let Some((stage, directory)) = &self.sandboxed_scripts {
            let isolation = Arc::new(prowess_sandbox::Native::new(stage.clone()));
            let policy = self.policies.scripts.clone();
            let stage = stage.clone();
            let runner = prowess_script::SandboxedScripts::new(isolation, stage, directory, policy);
            return Some(match self.registered_secrets() {
                Some(read) => Arc::new(runner.secrets(read)),
                None => Arc::new(runner),
            });
        }
        self.script_runner.clone()
    }

    /// Returns how secrets of scripts are read: each is registered before a script gets it.
    #[cfg(all(feature = "scripts", feature = "audit"))]
    fn registered_secrets(&self) -> Option<prowess_script::ReadSecret> {
        let read = self.script_secrets.clone()?;
        let redactor = self.redactor.clone();
        Some(Arc::new(move |source| {
            let value = read(source)?;
            redactor.register(value.trim_end());
            Ok(value)
        }))
    }

    #[cfg(all(feature = "scripts", not(feature = "audit")))]
    fn registered_secrets(&self) -> Option<prowess_script::ReadSecret> {
        self.script_secrets.clone()
    }

    fn gate(&self) -> RuntimeGate {
        let Policies { gate, added_tools, tool_arguments, approvals, .. } = &self.policies;
        let names = |provider: &dyn ToolProvider| {
            provider.tools().iter().map(|tool| tool.name().into_owned()).collect()
        };
        let mut operations: BTreeSet<String> = names(&self.skill_tools());
        // A script and a command do not manage skills.
        let run = [SkillTools::RUN, SkillTools::EXECUTE].map(|name| operations.take(name));
        let mut tools: BTreeSet<String> =
            self.providers.iter().flat_map(|provider| names(provider.as_ref())).collect();
        tools.extend(run.into_iter().flatten());
        let ungranted = match added_tools {
            AddedTools::Run => Ungranted::Allow,
            AddedTools::Gate => gate.ungranted,
        };
        RuntimeGate {
            policy: gate.clone(),
            added: GatePolicy { ungranted, ..gate.clone() },
            arguments: tool_arguments.clone(),
            consent: ConsentPolicy {
                #[cfg(feature = "scripts")]
                scripts: self.policies.scripts.clone(),
            },
            skill_tools: self.tool_policy(),
            show: self.policies.delivery.show_location,
            #[cfg(feature = "virtual-shell")]
            mount: (self.policies.tools.has_tool(SkillTools::EXECUTE))
                .then(|| self.policies.shell.mount.as_str().to_owned()),
            #[cfg(not(feature = "virtual-shell"))]
            mount: None,
            run_tool: (self.runner_of_scripts().is_some())
                .then(|| self.policies.naming().spell(SkillTools::RUN)),
            operations,
            tools,
            approvals: CallApprovals::new(self.audited_approvals(), *approvals),
            clock: Arc::clone(&self.clock),
        }
    }

    fn audited_approvals(&self) -> AuditedApprovals {
        let policy = self.policies.audit.policy;
        AuditedApprovals::new(Arc::clone(&self.approvals), Arc::clone(&self.audit), policy)
    }

    /// Builds the toolbox, and the hooks of skills that it runs.
    fn toolbox(&self, gate: &Arc<RuntimeGate>) -> Result<(Toolbox, SkillHooks), Error> {
        let audit = CallAudit::new(Arc::clone(&self.audit), self.policies.audit.policy);
        let skill_tools = self.skill_tools().hook_audit(audit.clone());
        #[cfg(feature = "scripts")]
        let skill_tools = skill_tools.hook_trust(self.policies.scripts.trust);
        let hooks = skill_tools.hooks();
        let mut toolbox = Toolbox::builder(self.policies.naming())
            .provider(&skill_tools)
            .gate(Arc::clone(gate) as _)
            .audit(audit)
            .hooks(hooks.clone());
        for provider in &self.providers {
            toolbox = toolbox.provider(provider.as_ref());
        }
        if let Some(limiter) = &self.limiter {
            toolbox = toolbox.rate_limiter(Arc::clone(limiter));
        }
        if let Some(costs) = &self.costs {
            toolbox = toolbox.cost_tracker(Arc::clone(costs), Arc::clone(&self.counter));
        }
        Ok((toolbox.build()?, hooks))
    }

    /// Returns the layers of the policies above the builder's other layers, which get no weight:
    /// roots of the program keep their layers when an operator names different ones.
    fn layers_of_policies(&self) -> Vec<Layer> {
        let named = &self.policies.layers;
        let mut layers = self.layers.clone();
        layers.retain(|layer| named.iter().all(|other| other.name != layer.name));
        layers.iter_mut().for_each(|layer| layer.weight = Some(0));
        // A file names the highest layer first, the builder the lowest.
        layers.extend(named.iter().rev().cloned());
        layers
    }

    /// Returns a registry with the policies and services of the runtime, but without sources.
    pub(crate) fn empty_registry(&self) -> RegistryBuilder {
        let Policies { registry, visibility, audience, aliases, .. } = &self.policies;
        let facts = match &self.facts {
            Some(facts) => Arc::clone(facts),
            None => Arc::new(SystemFacts::new(visibility.config.iter().cloned())),
        };
        let builder = Registry::builder().policy(*registry).facts(facts);
        let builder = builder.policy_outside(OF_PROJECT, self.policies.of_layer("").registry);
        let builder = builder.audit(Arc::clone(&self.audit), Arc::clone(&self.clock));
        let builder = builder.ranker(Arc::clone(&self.ranker));
        let builder = builder.commands(self.policies.commands.clone());
        let body_age = self.policies.refresh.body_age();
        let builder = builder.cache_bodies(body_age, Arc::clone(&self.clock));
        let builder = builder.visibility(visibility.clone()).audience(audience.clone());
        aliases
            .iter()
            .fold(builder, |builder, (alias, id)| builder.alias(alias.as_str(), id.as_str()))
    }
}

/// Returns what runs the hooks `post` of skills that have ended.
fn post_hooks(hooks: &SkillHooks, registry: &Arc<Registry>, clock: &Arc<dyn Clock>) -> OnEnd {
    let (hooks, registry, clock) = (hooks.clone(), Arc::clone(registry), Arc::clone(clock));
    Arc::new(move |ended| {
        let EndedSkills { session, origin, skills } = ended;
        let (catalog, clock) = (&registry.catalog(), clock.as_ref());
        hooks.after_end(&EndedRun { catalog, session, origin, clock }, skills);
    })
}
