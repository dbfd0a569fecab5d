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
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

/// The schema of [`Config`]; a test compares them.
const SCHEMA: &str = include_str!("../config.schema.json");

export_plugin!(Embedded, kinds = ["source"], config_schema = SCHEMA);

#[cfg(test)]
mod tests {
    use prowess_plugin_sdk::testing::{FakeHost, assert_schema};

    use super::*;

    #[test]
    fn schema_is_that_of_the_configuration() {
        assert_schema(SCHEMA, &schemars::schema_for!(Config));
    }

    #[test]
    fn configuration_is_optional() {
        let instance = FakeHost::default().init::<Embedded>(&serde_json::Value::Null);
        let instance = instance.expect("the plugin starts");
        assert_eq!(instance.sources()[0].root(), "embedded://prowess", "the default name");
    }
}
