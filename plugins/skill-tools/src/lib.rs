//! The tools for skills, such as `skills.load`, as a plugin: an example of tools that
//! use the catalog and the session of the conversation that they are called in.
//!
//! ```json
//! {"tools": {"read_gate": "known"}, "delivery": {"bodies": "tool_result"}}
//! ```
//!
//! The plugin names the feature `conversation`, so the host shows it the conversation of each call.
//! The tools themselves do not notice that they are loaded: they are the ones that a host can link.
#![forbid(unsafe_code)]

use prowess_plugin_sdk::prowess_core::DeliveryPolicy;
use prowess_plugin_sdk::{Error, Host, Plugin, Registration, export_plugin};
use prowess_tools::{SkillTools, ToolPolicy};
use serde::Deserialize;

/// The operator's configuration. By default, the host's own defaults.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    /// The rules of the tools.
    tools: ToolPolicy,
    /// How bodies and locations are shown; the same as the host's.
    delivery: DeliveryPolicy,
}

struct LoadedSkillTools;

impl Plugin for LoadedSkillTools {
    type Config = Config;

    fn init(_: Host, config: Config) -> Result<Registration, Error> {
        Ok(Registration::new().tools(SkillTools::new(config.tools, config.delivery)))
    }
}

export_plugin!(LoadedSkillTools, kinds = ["tools"], features = ["conversation"]);
