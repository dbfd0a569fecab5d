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

/// The schema of [`Config`]; the tests of the plugin host compare its fields.
const SCHEMA: &str = include_str!("../config.schema.json");

export_plugin!(Filesystem, kinds = ["source"], config_schema = SCHEMA);
