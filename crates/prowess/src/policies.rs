//! Every choice that a host can make, in one value.

use prowess_core::BodyDelivery;
use prowess_prompt::PromptPolicy;
use prowess_registry::{RefreshPolicy, RegistryPolicy};
use prowess_session::SessionPolicy;
use prowess_source_fs::Discovery;
use prowess_tools::{NameStyle, ToolPolicy};
use serde::{Deserialize, Serialize};

/// The policies of a runtime. Each field has its default, so a file may name only what differs.
///
/// By default they are those of agentskills.io and its client guide.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policies {
    /// Where skills are looked for, and whether a project's skills need its folder to be trusted.
    pub discovery: Discovery,
    /// How records are made and ids are chosen.
    pub registry: RegistryPolicy,
    /// When the catalog is brought up to date.
    pub refresh: RefreshPolicy,
    /// How many skills a conversation may load, and what loading again does.
    pub session: SessionPolicy,
    /// How the catalog is shown and what it may cost.
    pub prompt: PromptPolicy,
    /// What the tools of skills may do.
    pub tools: ToolPolicy,
    /// How the tools' names are spelled for the model. By default with underscores, which every
    /// vendor takes.
    pub name_style: NameStyle,
    /// Which plugins may run, and how. By default none is loaded.
    #[cfg(feature = "plugins")]
    pub plugins: prowess_plugin_host::PluginPolicy,
}

impl Policies {
    /// The policies with this way of handing bodies to the model, in the prompt and in the tools.
    #[must_use]
    pub fn with_body_delivery(mut self, delivery: BodyDelivery) -> Self {
        self.prompt.body_delivery = delivery;
        self.tools.body_delivery = delivery;
        self
    }
}
