//! A `Tool` of the host: it counts words, behind the gate and the audit of the tools of skills. The
//! second call does not fit its schema.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use prowess::{
    Catalog, Error, Runtime, Tool, ToolCall, ToolContext, ToolDefinition, ToolProvider, ToolResult,
};
use serde_json::{Value, json};

struct WordCount;

impl Tool for WordCount {
    fn definition(&self, _catalog: &Catalog) -> ToolDefinition {
        ToolDefinition {
            name: "text.count".into(),
            description: "Counts the words of a text. Use it rather than counting yourself.".into(),
            input_schema: json!({
                "type": "object",
                "properties": { "text": { "type": "string" } },
                "required": ["text"],
                "additionalProperties": false,
            }),
        }
    }

    fn call(&self, _context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        // The schema has been checked: the text is there.
        let text = arguments["text"].as_str().unwrap_or_default();
        ToolResult::data(json!({ "words": text.split_whitespace().count() }))
    }
}

impl ToolProvider for WordCount {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(Self)]
    }
}

fn main() -> Result<(), Error> {
    let runtime = Runtime::builder().tools(Arc::new(WordCount)).build()?;
    let turn = runtime.turn(&runtime.open_session()?)?;
    for arguments in [json!({ "text": "to be or not to be" }), json!({ "txt": "to be" })] {
        let result = turn.call(&ToolCall::new("text_count", arguments)).result;
        match result.code {
            None => println!("{}", result.structured.unwrap_or_default()),
            Some(code) => println!("{code}"),
        }
    }
    Ok(())
}
