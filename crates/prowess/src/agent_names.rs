//! Checks the names in an agent's manifest against those of a runtime and its host.

use prowess_core::{Audience, Diagnostic};
use prowess_format::agent::{KnownNames, unknown_names};

use crate::{Agent, Runtime};

/// The names of a host's own tools and services.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostNames<'n> {
    /// The tools that the host runs itself.
    pub tools: &'n [&'n str],
    /// What the host can start before an agent: services, and other agents.
    pub services: &'n [&'n str],
}

impl Runtime {
    /// Returns a warning for each tool, skill and dependency in an agent's manifest that neither
    /// this runtime nor its host has. A tool may be named as a rule names it, or as a model does.
    ///
    /// Skills are those of the newest catalog for the agent, hidden ones included: a manifest may
    /// bind them.
    pub fn check_agent(&self, agent: &Agent, host: &HostNames<'_>) -> Vec<Diagnostic> {
        let id = Some(agent.manifest.id.clone());
        let catalog = self.view(&Audience { agent: id, ..self.policies().audience.clone() });
        let skills = catalog.skills().chain(catalog.excluded());
        let skills: Vec<_> = skills.map(|record| record.id()).collect();
        let own = self.tool_names();
        let tools: Vec<_> =
            own.iter().map(String::as_str).chain(host.tools.iter().copied()).collect();
        let known = KnownNames { tools: &tools, skills: &skills, services: host.services };
        unknown_names(&agent.manifest, &known)
    }
}
