//! The source of directory trees as a plugin, with one source for each configured directory.
//!
//! ```json
//! {"roots": [{"root": "/srv/skills"}, {"root": "/srv/checkout", "nested": "descend"}]}
//! ```
#![forbid(unsafe_code)]

use std::sync::Arc;

use prowess_plugin_sdk::{Error, Host, Plugin, Registration, export_plugin};
use prowess_source_fs::{FsConfig, FsSource};
use serde::Deserialize;

/// The configuration of the plugin.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    /// The directories, in the order of the sources.
    roots: Vec<FsConfig>,
}

struct Filesystem;

impl Plugin for Filesystem {
    type Config = Config;

    fn init(host: Host, config: Config) -> Result<Registration, Error> {
        let clock = Arc::new(host);
        let mut registration = Registration::new();
        for root in config.roots {
            // A separate process has another working directory than the host.
            if !root.root.is_absolute() {
                let message = format!("the root `{}` is not absolute", root.root.display());
                return Err(Error::config(message));
            }
            registration = registration.source(FsSource::new(root, clock.clone()));
        }
        Ok(registration)
    }
}

/// The schema of [`Config`]; a test compares them.
const SCHEMA: &str = include_str!("../config.schema.json");

export_plugin!(Filesystem, kinds = ["source"], config_schema = SCHEMA);

#[cfg(test)]
mod tests {
    use prowess_plugin_sdk::testing::FakeHost;
    use serde_json::{Map, Value, json};

    use super::*;

    /// Returns each field with its default, from the schema.
    fn declared() -> Map<String, Value> {
        let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
        let root = schema["properties"]["roots"]["items"]["properties"].clone();
        let Value::Object(fields) = root else { panic!("a root has fields: {root}") };
        let default = |mut field: Value| field["default"].take();
        fields.into_iter().map(|(name, field)| (name, default(field))).collect()
    }

    #[test]
    fn schema_has_each_field_and_default() {
        let Ok(Value::Object(mut fields)) = serde_json::to_value(FsConfig::new("/")) else {
            panic!("a configuration is an object");
        };
        fields["root"] = Value::Null;
        assert_eq!(declared(), fields, "the schema matches the type");
    }

    #[test]
    fn each_root_is_a_source() {
        let config = json!({"roots": [{"root": "/b"}, {"root": "/a", "nested": "descend"}]});
        let instance = FakeHost::default().init::<Filesystem>(&config).expect("the plugin starts");
        let roots: Vec<_> = instance.sources().iter().map(|source| source.root()).collect();
        assert_eq!(roots, ["/b", "/a"], "the order of the configuration");
    }

    #[test]
    fn invalid_root_is_refused() {
        let cases = [
            (json!({"roots": [{"root": "skills"}]}), "the root `skills` is not absolute"),
            (json!({"roots": [{}]}), "the root `` is not absolute"),
            (json!({"roots": [{"root": "/a", "nestd": "stop"}]}), "field `roots[0].nestd`"),
            (json!({}), "missing field `roots`"),
        ];
        for (config, part) in cases {
            let refused = FakeHost::default().init::<Filesystem>(&config);
            let message = refused.err().map(|error| error.message).unwrap_or_default();
            assert!(message.contains(part), "{config} is refused with {part:?}: {message:?}");
        }
    }
}
