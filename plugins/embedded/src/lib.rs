//! The source of embedded skills as a plugin. It holds the skills that prowess brings along, or those of
//! the folder that `PROWESS_EMBEDDED_SKILLS` names while it is built.
//!
//! ```json
//! {"name": "product"}
//! ```
#![forbid(unsafe_code)]

use prowess_plugin_sdk::{Error, Host, Plugin, Registration, export_plugin};
use prowess_source_embedded::{EmbeddedFile, EmbeddedSource};
use serde::Deserialize;

static FILES: &[EmbeddedFile] = include!(concat!(env!("OUT_DIR"), "/skills.rs"));

/// What the operator writes.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Config {
    /// What a user sees as the records' source.
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
    fn the_schema_is_the_configuration_s() {
        assert_schema(SCHEMA, &schemars::schema_for!(Config));
    }

    #[test]
    fn it_needs_no_configuration() {
        let instance = FakeHost::default().init::<Embedded>(&serde_json::Value::Null);
        let instance = instance.expect("it begins");
        assert_eq!(instance.sources()[0].root(), "embedded://prowess", "its name is prowess's");
    }
}
