//! The source of embedded skills as a plugin. It contains the skills that are part of prowess, or
//! those of the directory in `PROWESS_EMBEDDED_SKILLS` at build time.
//!
//! ```json
//! {"name": "product"}
//! ```
#![forbid(unsafe_code)]

use prowess_plugin_sdk::{Error, Host, Plugin, Registration, export_plugin};
use prowess_source_embedded::{EmbeddedFile, EmbeddedSource};
use serde::Deserialize;

static FILES: &[EmbeddedFile] = include!(concat!(env!("OUT_DIR"), "/skills.rs"));

/// The configuration of the plugin.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    /// The name of the source for users.
    #[serde(default = "usual_name")]
    name: String,
}

fn usual_name() -> String {
    "prowess".to_owned()
}

struct Embedded;

impl Plugin for Embedded {
    type Config = Config;

    fn init(_: Host, config: Config) -> Result<Registration, Error> {
        Ok(Registration::new().source(EmbeddedSource::new(&config.name, FILES)?))
    }
}

/// The schema of [`Config`]; the tests of the plugin host compare its fields.
const SCHEMA: &str = include_str!("../config.schema.json");

export_plugin!(Embedded, kinds = ["source"], config_schema = SCHEMA);
