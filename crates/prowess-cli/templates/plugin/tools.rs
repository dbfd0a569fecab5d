//! Tools for models.
//!
//! A tool has a name, a description and a schema of its arguments, which is all that a model sees.
//! The host checks arguments against the schema before it calls; what is wrong beyond that is
//! answered with an error that says what to write instead.
#![forbid(unsafe_code)]

use std::sync::Arc;

use prowess_plugin_sdk::prowess_core::{Catalog, Code, ToolContext, ToolDefinition, ToolResult};
use prowess_plugin_sdk::{Error, Host, Plugin, Registration, Tool, ToolProvider, export_plugin};
use serde_json::{Value, json};

struct ThisPlugin;

impl Plugin for ThisPlugin {
    /// It takes no configuration.
    type Config = ();

    fn init(_: Host, (): ()) -> Result<Registration, Error> {
        Ok(Registration::new().tools(Tools))
    }
}

export_plugin!(ThisPlugin, kinds = ["tools"], config_schema = r#"{"type": "null"}"#);

struct Tools;

impl ToolProvider for Tools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(CountWords)]
    }
}

/// How many words a text has.
struct CountWords;

impl Tool for CountWords {
    fn definition(&self, _: &Catalog) -> ToolDefinition {
        ToolDefinition {
            name: "words.count".into(),
            description: "Counts the words of a text.".into(),
            input_schema: json!({
                "type": "object",
                "properties": {"text": {"type": "string", "description": "What to count in."}},
                "required": ["text"],
                "additionalProperties": false,
            }),
        }
    }

    fn call(&self, _: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        match arguments["text"].as_str() {
            Some(text) => ToolResult::data(json!({"words": text.split_whitespace().count()})),
            None => ToolResult::error(Code::new("text-missing"), "say in which `text` to count"),
        }
    }
}

#[cfg(test)]
mod tests {
    use prowess_plugin_sdk::testing::FakeHost;

    use super::*;

    #[test]
    fn each_tool_has_a_description_and_a_schema() {
        let instance = FakeHost::default().init::<ThisPlugin>(&Value::Null);
        let instance = instance.unwrap_or_else(|error| panic!("it begins: {error}"));
        for tool in instance.tool_providers()[0].tools() {
            let definition = tool.definition(&Catalog::empty());
            assert_eq!(definition.input_schema["type"], "object", "arguments are an object");
            assert!(!definition.description.is_empty(), "`{}` says what it does", definition.name);
        }
    }
}
