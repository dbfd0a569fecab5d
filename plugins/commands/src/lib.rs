//! A directory of Markdown files as skills: an example of a source that reads files.
//!
//! ```json
//! {"directory": "/srv/commands"}
//! ```
//!
//! `deploy.md` is the skill `deploy`. Its description is its first line, unless the file has
//! frontmatter of its own. In a process of its own the plugin may read the directory because its
//! configuration names it, and nothing else.
#![forbid(unsafe_code)]

mod source;

use std::path::PathBuf;

use prowess_plugin_sdk::{Error, Host, Plugin, Registration, export_plugin};
use serde::Deserialize;

use source::CommandSource;

/// The operator's configuration.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Config {
    /// The directory with the files.
    directory: PathBuf,
}

struct Commands;

impl Plugin for Commands {
    type Config = Config;

    fn init(_: Host, Config { directory }: Config) -> Result<Registration, Error> {
        let named = directory.display().to_string();
        let source = CommandSource::new(directory)
            .map_err(|error| Error::config(format!("`directory` is `{named}`: {error}")))?;
        Ok(Registration::new().source(source))
    }
}

/// The schema of [`Config`]; a test compares them.
const SCHEMA: &str = include_str!("../config.schema.json");

export_plugin!(Commands, kinds = ["source"], config_schema = SCHEMA);

#[cfg(test)]
mod tests {
    use prowess_plugin_sdk::testing::{FakeHost, assert_schema};
    use serde_json::json;

    use super::*;

    #[test]
    fn schema_is_that_of_the_configuration() {
        assert_schema(SCHEMA, &schemars::schema_for!(Config));
    }

    #[test]
    fn missing_directory_is_named() {
        let config = json!({"directory": "/no/such/directory"});
        let refused = FakeHost::default().init::<Commands>(&config);
        let message = refused.err().map(|error| error.message).unwrap_or_default();
        assert!(message.contains("`/no/such/directory`"), "`{message}` names it");
    }
}
