//! All policies of a runtime in one value.

use std::collections::BTreeMap;

use prowess_core::{Audience, AuditPolicy, BodyDelivery, DeliveryPolicy, HostCommands, Layer};
use prowess_gate::{GatePolicy, ToolArguments};
use prowess_prompt::PromptPolicy;
use prowess_registry::{RefreshPolicy, RegistryPolicy, VisibilityPolicy};
use prowess_session::{ApprovalPolicy, Discipline, SessionPolicy};
#[cfg(feature = "filesystem")]
use prowess_source_fs::Discovery;
use prowess_tools::{NameStyle, ReadGate, Surface, ToolHost, ToolNaming, ToolPolicy};
use serde::{Deserialize, Serialize};

use crate::SourceSettings;

/// The policies of a runtime. Each field has a default, so a file may set only those that differ.
///
/// The defaults follow agentskills.io and its client guide. A file may contain:
///
/// ```yaml
#[doc = include_str!("../prowess.example.yaml")]
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policies {
    /// The directories that are searched for skills, and whether a project's skills need a trusted
    /// folder.
    #[cfg(feature = "filesystem")]
    pub discovery: Discovery,
    /// The sources besides those of the machine, such as MCP servers. By default, none.
    pub sources: SourceSettings,
    /// The policy for building records and resolving ids.
    pub registry: RegistryPolicy,
    /// The policy that decides when to reload the catalog.
    pub refresh: RefreshPolicy,
    /// The layers, the highest first. By default, none. Layers of the builder that are not listed
    /// here are below, without weight.
    pub layers: Vec<Layer>,
    /// Aliases of skills and the ids that they stand for. By default, none.
    pub aliases: BTreeMap<String, String>,
    /// The visibility policy: which skills are offered, to which agents, and how.
    pub visibility: VisibilityPolicy,
    /// The audience of turns that do not set one. By default, none in particular.
    pub audience: Audience,
    /// The session policy: the maximum number of loaded skills, and the effect of loading again.
    pub session: SessionPolicy,
    /// The policies of MCP clients by the names that they give themselves, in any case; `any` is
    /// for each other one. By default, none.
    pub clients: BTreeMap<String, ClientPolicy>,
    /// The delivery of bodies and the form of locations, in the prompt and in the tools.
    pub delivery: DeliveryPolicy,
    /// The policy of skills that are loaded because they match the user's message.
    pub auto_load: AutoLoad,
    /// The prompt policy: the format and the budget of the catalog.
    pub prompt: PromptPolicy,
    /// The tool policy.
    pub tools: ToolPolicy,
    /// The policy of scripts, for a host that runs them with
    /// [`RuntimeBuilder::sandboxed_scripts`](crate::RuntimeBuilder::sandboxed_scripts).
    #[cfg(feature = "scripts")]
    pub scripts: prowess_script::ScriptPolicy,
    /// The policy of the shell in which skills are mounted, for the surface
    /// [`Shell`](prowess_tools::Surface::Shell).
    #[cfg(feature = "virtual-shell")]
    pub shell: prowess_shell::ShellPolicy,
    /// The policy of proposals, which models make by the tool `propose_skill_update`.
    #[cfg(feature = "proposals")]
    pub proposals: prowess_governance::ProposalPolicy,
    /// The gate's policy: what `allowed-tools` of loaded skills means, and the operator's limits.
    pub gate: GatePolicy,
    /// The result of a call of a tool that was added to the runtime, if nothing grants it. By
    /// default it runs.
    pub added_tools: AddedTools,
    /// The arguments of tools that patterns of `allowed-tools` are about.
    pub tool_arguments: ToolArguments,
    /// The policy of approvals. No key of a file: a call can be made again.
    #[serde(skip)]
    pub approvals: ApprovalPolicy,
    /// The audit policy: whether there is a log, and whether calls depend on it.
    pub audit: AuditSettings,
    /// The spelling of the tools' names for the model. By default with underscores, which every
    /// vendor accepts.
    pub name_style: NameStyle,
    /// The plugin policy: which plugins may run, and how. By default none is loaded.
    #[cfg(feature = "plugins")]
    pub plugins: prowess_plugin_host::PluginPolicy,
    /// The words for what a person does in the host. [`Self::with_commands`] sets them here and in
    /// the policies of parts. No key of a file: the host has them.
    #[serde(skip)]
    pub commands: HostCommands,
    /// These policies without the file of a project, if there is one: they are about the skills in
    /// other layers than the project's. No key of a file.
    #[serde(skip)]
    pub operator: Option<Box<Policies>>,
}

/// The layers of the skills that a project brings along.
pub(crate) const OF_PROJECT: &[&str] = &["project", "project-installed"];

/// The policy of an MCP client, where the client asks for nothing else. Neither grants a right.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClientPolicy {
    /// Which of the surfaces of the tool policy its model sees. By default, all.
    pub surfaces: Vec<Surface>,
    /// How skills become active in its sessions. By default, as the session policy says.
    pub discipline: Option<Discipline>,
    /// Whether its session is one conversation, which keeps each result. By default, it may be
    /// several.
    pub host: Option<ToolHost>,
}

/// The audit policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AuditSettings {
    /// Whether a call may run although its intent could not be stored. By default it may.
    pub policy: AuditPolicy,
    /// Whether programs write an audit log. By default they do not. A host of the library sets its
    /// own sink instead, with [`RuntimeBuilder::audit`](crate::RuntimeBuilder::audit).
    pub log: AuditLog,
}

/// Whether programs write an audit log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditLog {
    /// They write none.
    #[default]
    Never,
    /// They write one in the user's state directory.
    Keep,
}

/// The result of a call of a tool that was added to the runtime, by the host or by a plugin, where
/// `allowed-tools` is a grant and nothing grants the call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AddedTools {
    /// It runs: to add a tool is to offer it. The default.
    #[default]
    Run,
    /// The gate's policy decides, as for tools that the host runs itself: by default a person is
    /// asked.
    Gate,
}

/// The policy of skills that are loaded because they match the user's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AutoLoad {
    /// The least score of a skill that is loaded, in hundredths; `None` for never. By default,
    /// never: the model decides. Scores are those of the host's ranker.
    pub min_score: Option<u16>,
    /// The maximum number of skills for one message. By default 1. No key of a file: a message is
    /// rarely about two.
    #[serde(skip)]
    pub skills: usize,
}

impl Default for AutoLoad {
    fn default() -> Self {
        Self { min_score: None, skills: 1 }
    }
}

impl Policies {
    /// Returns the policies with this delivery of bodies.
    #[must_use]
    pub fn with_body_delivery(mut self, bodies: BodyDelivery) -> Self {
        self.delivery.bodies = bodies;
        self
    }

    /// Returns the policies with the words that messages have for what a person does in the host,
    /// such as to trust a folder. By default, they name no command.
    #[must_use]
    pub fn with_commands(mut self, commands: HostCommands) -> Self {
        #[cfg(feature = "plugins")]
        self.plugins.commands.clone_from(&commands);
        #[cfg(feature = "scripts")]
        self.scripts.commands.clone_from(&commands);
        self.commands = commands;
        self
    }

    /// Returns the policies for finding and reading the skills of a layer.
    pub(crate) fn of_layer(&self, layer: &str) -> &Self {
        self.operator.as_deref().filter(|_| !OF_PROJECT.contains(&layer)).unwrap_or(self)
    }

    /// Returns the policy of the MCP client of this name.
    pub fn client(&self, name: &str) -> Option<&ClientPolicy> {
        let named = self.clients.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        named.map(|(_, policy)| policy).or_else(|| self.clients.get("any"))
    }

    /// Returns the naming of the tools for a model.
    pub fn naming(&self) -> ToolNaming {
        ToolNaming::of(self.name_style, &self.tools.surfaces)
    }

    /// Returns the policies as a runtime follows them. In a session in which no skill stays active,
    /// bodies are in tool results, and unless a gate of reads is set, the files of each visible
    /// skill can be read.
    pub(crate) fn adapted(self) -> Self {
        if self.session.discipline != Discipline::Stateless {
            return self;
        }
        let mut policies = self.with_body_delivery(BodyDelivery::ToolResult);
        policies.tools.read_gate.get_or_insert(ReadGate::Known);
        policies
    }
}
