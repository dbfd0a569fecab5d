//! The in-memory source of the core as a plugin. Its configuration contains the files.
//!
//! ```json
//! {"name": "notes", "files": {"pdf/SKILL.md": "---\nname: pdf\ndescription: Fills forms.\n---\nBody\n"}}
//! ```
#![forbid(unsafe_code)]

use std::collections::BTreeMap;

use prowess_plugin_sdk::prowess_core::MemorySource;
use prowess_plugin_sdk::{Error, Host, Plugin, Registration, export_plugin};
use serde::Deserialize;

/// The configuration of the plugin.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Config {
    /// The name of the source for users.
    #[serde(default = "usual_name")]
    name: String,
    /// The texts of the files, by their paths relative to the root.
    #[serde(default)]
    files: BTreeMap<String, String>,
}

fn usual_name() -> String {
    "memory".to_owned()
}

struct Memory;

impl Plugin for Memory {
    type Config = Config;

    fn init(_: Host, config: Config) -> Result<Registration, Error> {
        let mut source = MemorySource::builder(&config.name);
        for (path, text) in &config.files {
            source = source.file(path, text);
        }
        let source = source.build().map_err(|error| Error::config(error.to_string()))?;
        Ok(Registration::new().source(source))
    }
}

/// The schema of [`Config`]; a test compares them.
const SCHEMA: &str = include_str!("../config.schema.json");

export_plugin!(Memory, kinds = ["source"], config_schema = SCHEMA);

#[cfg(test)]
mod tests {
    use prowess_plugin_sdk::testing::{FakeHost, assert_schema};

    use super::*;

    #[test]
    fn schema_is_that_of_the_configuration() {
        assert_schema(SCHEMA, &schemars::schema_for!(Config));
    }

    #[test]
    fn invalid_path_is_refused() {
        let config = serde_json::json!({"files": {"../SKILL.md": ""}});
        let refused = FakeHost::default().init::<Memory>(&config);
        let message = refused.err().map(|error| error.message).unwrap_or_default();
        assert!(message.contains("`../SKILL.md` leaves the package"), "`{message}` names it");
    }
}
