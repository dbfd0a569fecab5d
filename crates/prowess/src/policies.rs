//! Every choice that a host can make, in one value.

use std::collections::BTreeMap;

use prowess_core::{Audience, BodyDelivery, DeliveryPolicy, Layer};
use prowess_prompt::PromptPolicy;
use prowess_registry::{RefreshPolicy, RegistryPolicy, VisibilityPolicy};
use prowess_session::SessionPolicy;
#[cfg(feature = "filesystem")]
use prowess_source_fs::Discovery;
use prowess_tools::{NameStyle, ToolPolicy};
use serde::{Deserialize, Serialize};

/// The policies of a runtime. Each field has its default, so a file may name only what differs.
///
/// By default they are those of agentskills.io and its client guide. A file may say:
///
/// ```yaml
#[doc = include_str!("../prowess.example.yaml")]
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policies {
    /// Where skills are looked for, and whether a project's skills need its folder to be trusted.
    #[cfg(feature = "filesystem")]
    pub discovery: Discovery,
    /// Whether the records of a scan are cached for the next start, if the host names a cache. By
    /// default they are.
    pub record_cache: CachePolicy,
    /// How records are made and ids are chosen.
    pub registry: RegistryPolicy,
    /// When the catalog is brought up to date.
    pub refresh: RefreshPolicy,
    /// The layers, the highest first. By default, none are named. Those of the builder that are not
    /// named here lie below, without weight.
    pub layers: Vec<Layer>,
    /// Further names of skills, with the ids that they stand for. By default, none.
    pub aliases: BTreeMap<String, String>,
    /// Which skills are offered to whom, and how.
    pub visibility: VisibilityPolicy,
    /// For whom skills are offered where a turn does not say. By default, for nobody in particular.
    pub audience: Audience,
    /// How many skills a conversation may load, and what loading again does.
    pub session: SessionPolicy,
    /// Where loaded bodies reach the model, and how locations are shown, in the prompt and by the tools.
    pub delivery: DeliveryPolicy,
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

/// Whether the records of a scan are cached for the next start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CachePolicy {
    /// They are cached.
    #[default]
    Keep,
    /// Nothing is cached, and an existing cache is not used.
    Never,
}

impl Policies {
    /// Returns the policies with this delivery of bodies.
    #[must_use]
    pub fn with_body_delivery(mut self, bodies: BodyDelivery) -> Self {
        self.delivery.bodies = bodies;
        self
    }
}
