//! The skill tools: surfaces over one set of operations.

mod activate_skill;
mod get_skill;
mod read_skill;
mod shell;
mod skill;
mod skill_tool;
mod skills;

use std::sync::Arc;

use prowess_core::{
    DeliveryPolicy, ProposalStore, Ranker, ScriptRunner, TokenCounter, Tool, ToolProvider, Trust,
    VirtualShell,
};

use crate::audited::CallAudit;
use crate::hooks::SkillHooks;
use crate::lookup::listed_ids::ListedIds;
use crate::names;
use crate::operations::Operations;
use crate::policy::ToolPolicy;
use crate::surface::Surface;
use crate::toolbox::naming::ToolNaming;

pub use run::{no_runner, unrunnable_script};
use skill_tool::{bind, unlisted};
use skills::{describe, find, load, read, run};

/// Provides the tools for skills of the policy's surfaces, such as `skills.load`.
///
/// Under every surface, a host can call `skills.load`, `skills.unload` and `skills.read`: without
/// [`Surface::Skills`] and [`Surface::FourTools`] they are not offered to a model. `skills.list`
/// and `skills.search` are offered with each surface that has no tool that finds skills. Without
/// any surface there is no tool.
///
/// No argument names a session: the context of each call has it.
#[derive(Clone)]
pub struct SkillTools(Operations);

impl SkillTools {
    /// The canonical names of the tools of all surfaces.
    pub const NAMES: [&str; 15] = names::ALL;

    /// The canonical names of the tools that find skills which a model does not see.
    pub const FINDERS: [&str; 3] = ["skills.list", "skills.search", "skills.describe"];

    /// The canonical names of the tools that return a file of a package.
    pub const READERS: [&str; 2] = ["skills.read", "read_skill_resource"];

    /// The canonical name of the tool that runs scripts.
    pub const RUN: &str = names::RUN;

    /// The canonical name of the tool that runs shell commands. Besides this one and
    /// [`Self::RUN`], the tools only manage skills.
    pub const EXECUTE: &str = names::EXECUTE;

    /// The canonical name of the tool that proposes updates of skills.
    pub const PROPOSE: &str = names::PROPOSE;

    /// Returns whether a tool of this canonical name manages skills, and runs nothing of them but
    /// their hooks.
    pub fn manages_skills(name: &str) -> bool {
        names::manages_skills(name)
    }

    /// Creates the tools. `delivery` is the policy that prompts follow too.
    ///
    /// Searches filter by words, tokens are estimated, and no script can be run.
    pub fn new(policy: ToolPolicy, delivery: DeliveryPolicy) -> Self {
        Self(Operations::new(policy, delivery))
    }

    /// Sets the ranker of searches.
    #[must_use]
    pub fn ranker(mut self, ranker: Arc<dyn Ranker>) -> Self {
        self.0.ranker = ranker;
        self
    }

    /// Sets the counter of tokens in results.
    #[must_use]
    pub fn token_counter(mut self, counter: Arc<dyn TokenCounter>) -> Self {
        self.0.counter = counter;
        self
    }

    /// Sets which names the schemas allow where they list ids. By default, the listed ones.
    #[must_use]
    pub fn listed_ids(mut self, listed: ListedIds) -> Self {
        self.0.listed_ids = listed;
        self
    }

    /// Sets how results name a tool of the next call. By default, with the canonical names.
    #[must_use]
    pub fn naming(mut self, naming: ToolNaming) -> Self {
        self.0.read_tool = naming.spell(names::READ);
        self.0.run_tool = naming.spell(names::RUN);
        self
    }

    /// Sets the runner of scripts. Without one, `skills.run` is not offered and refuses calls.
    #[must_use]
    pub fn script_runner(mut self, runner: Arc<dyn ScriptRunner>) -> Self {
        self.0.runner = Some(runner);
        self
    }

    /// Sets the least trust of a source whose hooks run without the approval of a person. By
    /// default, [`Trust::Trusted`].
    #[must_use]
    pub fn hook_trust(mut self, trust: Trust) -> Self {
        self.0.hook_trust = trust;
        self
    }

    /// Sets the audit of hooks, which is a clone of the toolbox's. By default, hooks have none.
    #[must_use]
    pub fn hook_audit(mut self, audit: CallAudit) -> Self {
        self.0.hook_audit = audit;
        self
    }

    /// Returns the hooks of skills with the policy and the runner of these tools, for a
    /// [`Toolbox`](crate::Toolbox) that runs them around calls.
    pub fn hooks(&self) -> SkillHooks {
        self.0.hooks()
    }

    /// Sets the shell in which skills are mounted. Without one, `sandbox_execute` is not offered
    /// and refuses calls.
    #[must_use]
    pub fn shell(mut self, shell: Arc<dyn VirtualShell>) -> Self {
        self.0.shell = Some(shell);
        self
    }

    /// Sets the store of proposals. With one, every surface offers `propose_skill_update`. Without
    /// one, it is not offered and refuses calls.
    #[must_use]
    pub fn proposals(mut self, proposals: Arc<dyn ProposalStore>) -> Self {
        self.0.proposals = Some(proposals);
        self
    }
}

impl ToolProvider for SkillTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let operations = Arc::new(self.0.clone());
        let surfaces = &operations.policy.surfaces;
        let mut tools = Vec::new();
        for (index, surface) in surfaces.iter().enumerate() {
            let is_repeated = surfaces[..index].contains(surface);
            let is_included = match surface {
                Surface::Files => surfaces.iter().any(|surface| surface.loads_and_reads()),
                Surface::FourTools => surfaces.contains(&Surface::Skills),
                _ => false,
            };
            if !is_repeated && !is_included {
                tools.extend(tools_of(*surface, &operations.of_surface(*surface)));
            }
        }
        let proposes = operations.proposals.is_some() && !surfaces.is_empty();
        if proposes && !surfaces.contains(&Surface::ReadSkill) {
            tools.push(bind(read_skill::propose::Propose, &operations));
        }
        let has_skills = surfaces.contains(&Surface::Skills);
        if !has_skills && operations.policy.find_surface() == Some(Surface::Skills) {
            tools.push(bind(find::List, &operations));
            tools.push(bind(find::Search, &operations));
        }
        if !surfaces.is_empty() && !surfaces.iter().any(|surface| surface.loads_and_reads()) {
            tools.push(unlisted(load::Load, &operations));
            tools.push(unlisted(load::Unload, &operations));
            if !surfaces.contains(&Surface::Files) {
                tools.push(unlisted(read::Read, &operations));
            }
        }
        tools
    }
}

fn tools_of(surface: Surface, operations: &Arc<Operations>) -> Vec<Arc<dyn Tool>> {
    match surface {
        Surface::Skills => vec![
            bind(load::Load, operations),
            bind(load::Unload, operations),
            bind(read::Read, operations),
            bind(find::List, operations),
            bind(find::Search, operations),
            bind(describe::Describe, operations),
            bind(run::Run, operations),
        ],
        Surface::FourTools => vec![
            bind(load::Load, operations),
            bind(load::Unload, operations),
            bind(read::Read, operations),
            bind(run::Run, operations),
        ],
        Surface::Files => vec![bind(read::Read, operations)],
        Surface::Skill => vec![bind(skill::Skill, operations)],
        Surface::GetSkill => vec![bind(get_skill::GetSkill, operations)],
        Surface::Shell => vec![bind(shell::Execute, operations)],
        Surface::ReadSkill => vec![
            bind(read_skill::ListSkills, operations),
            bind(read_skill::ReadSkill, operations),
            bind(read_skill::ReadSkillResource, operations),
            bind(read_skill::propose::Propose, operations),
        ],
        Surface::ActivateSkill => vec![bind(activate_skill::ActivateSkill, operations)],
    }
}
