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

/// The reason why a skill that an agent uses cannot be bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("agent `{agent}` uses the skill `{skill}`, {reason}")]
pub struct BindError {
    /// The id of the agent.
    pub agent: String,
    /// The id of the skill, as the manifest has it.
    pub skill: String,
    /// The reason.
    pub reason: String,
}
