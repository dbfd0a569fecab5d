//! A tool that needs nothing of its conversation: `json.query` returns the value at a JSON Pointer
//! (RFC 6901). It accesses no file, so the document is an argument.
#![forbid(unsafe_code)]

use std::sync::Arc;

use prowess_plugin_sdk::prowess_core::{Catalog, Code, ToolContext, ToolDefinition, ToolResult};
use prowess_plugin_sdk::{Error, Host, Plugin, Registration, Tool, ToolProvider, export_plugin};
use serde::Deserialize;
use serde_json::{Value, json};

/// The maximum number of characters of a document.
const MAX_DOCUMENT: usize = 1_000_000;
/// The maximum number of characters of a pointer.
const MAX_POINTER: usize = 300;

#[derive(Deserialize)]
struct Arguments {
    json: String,
    query: String,
}

struct JsonQuery;

impl Tool for JsonQuery {
    fn definition(&self, _: &Catalog) -> ToolDefinition {
        ToolDefinition {
            name: "json.query".into(),
            description:
                "Returns the value at a JSON Pointer (RFC 6901), such as `/items/0/name`, \
                          of a JSON document. Use it rather than searching a long document."
                    .into(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "json": {
                        "type": "string", "maxLength": MAX_DOCUMENT,
                        "description": "The whole document",
                    },
                    "query": {
                        "type": "string", "maxLength": MAX_POINTER,
                        "description": "The pointer; an empty one is the whole document",
                    },
                },
                "required": ["json", "query"],
                "additionalProperties": false,
            }),
        }
    }

    fn call(&self, _: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        let error = |code, message| ToolResult::error(Code::new(code), message);
        match Arguments::deserialize(arguments) {
            Ok(Arguments { json, query }) => value_at(&json, &query)
                .map(ToolResult::data)
                .unwrap_or_else(|(code, message)| error(code, message)),
            Err(reason) => {
                error("invalid-arguments", format!("the arguments do not fit: {reason}"))
            }
        }
    }
}

/// Returns the value at a pointer, or the code and the message of an error.
fn value_at(json: &str, pointer: &str) -> Result<Value, (&'static str, String)> {
    let mut document: Value = serde_json::from_str(json)
        .map_err(|reason| ("invalid-arguments", format!("the document is not JSON: {reason}")))?;
    document.pointer_mut(pointer).map(Value::take).ok_or_else(|| {
        let message =
            "the document has no value there; a pointer has a `/` before each key and index";
        ("not-found", message.to_owned())
    })
}

/// The tools of this plugin.
struct TextTools;

impl ToolProvider for TextTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(JsonQuery)]
    }
}

impl Plugin for TextTools {
    type Config = ();

    fn init(_: Host, (): ()) -> Result<Registration, Error> {
        Ok(Registration::new().tools(Self))
    }
}

export_plugin!(TextTools, kinds = ["tools"]);
