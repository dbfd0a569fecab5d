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

/// The schema of [`Config`]; the tests of the plugin host compare its fields.
const SCHEMA: &str = include_str!("../config.schema.json");

export_plugin!(Memory, kinds = ["source"], config_schema = SCHEMA);
