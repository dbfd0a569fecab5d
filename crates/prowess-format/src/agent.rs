//! The manifest of an agent, in YAML: the skills that are bound to it, and what else its host needs
//! to run it.
//!
//! ```
//! let text = "\
//! id: builder
//! agent:
//!   integration_mode: tool
//!   uses_skills: [extension-development]
//!   limits: { max_turns: 20 }
//! depends_on: [skill_registry]
//! enabled: true
//! ";
//! let parsed = prowess_format::agent::parse(text.as_bytes());
//! let manifest = parsed.manifest.expect("the manifest has no error");
//! assert_eq!(manifest.uses_skills, ["extension-development"]);
//! assert_eq!(manifest.max_turns, Some(20));
//! let written = prowess_format::write::agent_manifest(text)?;
//! assert!(written.ends_with("enabled: true\n"), "other fields are kept");
//! # Ok::<_, prowess_format::write::WriteError>(())
//! ```
//!
//! As in a `SKILL.md`, anchors, tags and duplicate keys are errors, and each finding has its line
//! and column.

pub mod codes;
mod names;
mod read;

use crate::{Diagnostic, Mapping};

pub use names::{KnownNames, unknown_names};
pub(crate) use read::pairs;
pub use read::parse;

/// The result of parsing a manifest.
#[derive(Clone, Debug)]
pub struct ParsedManifest {
    /// The manifest; `None` if a finding has severity `error`.
    pub manifest: Option<AgentManifest>,
    /// Findings in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// The manifest of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentManifest {
    /// The id of the agent.
    pub id: String,
    /// The name for people.
    pub name: Option<String>,
    /// `agent.integration_mode`: how other agents use this one.
    pub integration_mode: Option<IntegrationMode>,
    /// `agent.model`: the name of the model.
    pub model: Option<String>,
    /// `agent.instructions`: instructions after those of the bound skills.
    pub instructions: Option<String>,
    /// `agent.uses_tools`: the tools of the agent, by the names of its host. By default, none.
    pub uses_tools: Vec<String>,
    /// `agent.uses_skills`: the ids of the skills whose bodies are in the agent's instructions. By
    /// default, none.
    pub uses_skills: Vec<String>,
    /// `agent.limits.max_turns`: the maximum number of model calls of one task.
    pub max_turns: Option<u32>,
    /// `depends_on`: what the host starts before the agent. By default, nothing.
    pub depends_on: Vec<String>,
    /// Every field in the order of the file, the known ones and the unknown ones.
    pub fields: Mapping,
}

/// How other agents use an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IntegrationMode {
    /// As a tool, whose result they receive.
    Tool,
    /// By handing the conversation over to it.
    Handoff,
}

impl IntegrationMode {
    /// Every mode with its word.
    pub const ALL: [(&str, Self); 2] = [("tool", Self::Tool), ("handoff", Self::Handoff)];
}
