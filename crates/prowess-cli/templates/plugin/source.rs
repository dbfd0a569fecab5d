//! Skills from a place of your own.
//!
//! What this plugin has is made in memory. For another place, implement `SkillSource` for a type of
//! yours and register that: its documentation lists the rules, and `prowess plugin check` looks at
//! each.
#![forbid(unsafe_code)]

use prowess_plugin_sdk::prowess_core::MemorySource;
use prowess_plugin_sdk::{Error, Host, Level, Plugin, Registration, export_plugin};
use serde::Deserialize;

/// What the operator configures. A field that is not known is refused by its name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    /// How the skill greets.
    #[serde(default = "usual_greeting")]
    greeting: String,
}

fn usual_greeting() -> String {
    "Good morning".to_owned()
}

/// The same for those who have not opened the plugin.
const CONFIG_SCHEMA: &str = r#"{
    "type": "object",
    "properties": {"greeting": {"type": "string"}},
    "additionalProperties": false
}"#;

struct ThisPlugin;

impl Plugin for ThisPlugin {
    type Config = Config;

    fn init(host: Host, config: Config) -> Result<Registration, Error> {
        let skill = format!(
            "---\nname: greet\ndescription: Greets people. Use when a conversation begins.\n---\n\
             Begin with \"{}\", and then say your name.\n",
            config.greeting
        );
        let source = MemorySource::builder(env!("CARGO_PKG_NAME"))
            .file("greet/SKILL.md", skill)
            .file("greet/references/names.md", "Use the name that people give themselves.\n")
            .build()?;
        host.log(Level::Info, "init", "there is one skill");
        Ok(Registration::new().source(source))
    }
}

export_plugin!(ThisPlugin, kinds = ["source"], config_schema = CONFIG_SCHEMA);

#[cfg(test)]
mod tests {
    use prowess_plugin_sdk::prowess_core::{PackagePath, ReadLimit, ResourcePath};
    use prowess_plugin_sdk::testing::FakeHost;
    use serde_json::{Value, json};

    use super::*;

    /// The skill's text with this configuration.
    fn skill(config: &Value) -> Result<String, Box<dyn std::error::Error>> {
        let instance = FakeHost::default().init::<ThisPlugin>(config);
        let instance = instance.map_err(|error| error.message)?;
        let (package, file) = (PackagePath::new("greet")?, ResourcePath::new("SKILL.md")?);
        let read = instance.sources()[0].read(&package, &file, ReadLimit::default());
        Ok(String::from_utf8(read.map_err(|error| error.message)?)?)
    }

    #[test]
    fn the_skill_greets_as_configured() -> Result<(), Box<dyn std::error::Error>> {
        assert!(skill(&Value::Null)?.contains("Good morning"), "there is a usual greeting");
        assert!(skill(&json!({"greeting": "Ahoy"}))?.contains("Ahoy"), "and one of the operator's");
        Ok(())
    }

    #[test]
    fn a_wrong_field_is_refused_by_its_name() {
        let refused = skill(&json!({"greetings": 7})).map_err(|error| error.to_string());
        let message = refused.err().unwrap_or_default();
        assert!(message.contains("greetings"), "`{message}` names it");
    }
}
