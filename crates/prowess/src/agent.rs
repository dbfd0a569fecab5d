//! Agents of the host.

use prowess_format::agent::AgentManifest;

/// An agent of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agent {
    /// The manifest, with the skills that the agent uses.
    pub manifest: AgentManifest,
    /// The text of the prompt template: role and workflow. Empty if there is none.
    pub template: String,
}
