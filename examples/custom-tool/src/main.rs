//! A tool of your own: it counts words, and goes through the same checks and the same audit as the
//! tools of skills.
//!
//! `cargo run -p custom-tool` makes one good call and one that does not fit the schema.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use prowess::{
    AuditEvent, AuditSink, Catalog, Runtime, Tool, ToolCall, ToolContext, ToolDefinition,
    ToolProvider, ToolResult,
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

/// Prints what happened; a real one writes it where nobody can change it.
struct PrintedAudit;

impl AuditSink for PrintedAudit {
    fn record(&self, event: &AuditEvent) {
        println!("audit: {} {:?}", event.intent.tool, event.outcome);
    }
}

fn main() -> Result<(), prowess::Error> {
    let runtime =
        Runtime::builder().tools(Arc::new(WordCount)).audit(Arc::new(PrintedAudit)).build()?;
    let session = runtime.open_session()?;
    let turn = runtime.turn(&session)?;
    for arguments in [json!({"text": "to be or not to be"}), json!({"txt": "to be"})] {
        let answer = turn.call(&ToolCall::new("text_count", arguments));
        println!("{:?}\n", answer.result.content);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_and_refuses_what_does_not_fit() -> Result<(), prowess::Error> {
        let runtime = Runtime::builder().tools(Arc::new(WordCount)).build()?;
        let session = runtime.open_session()?;
        let turn = runtime.turn(&session)?;
        let call = |arguments| turn.call(&ToolCall::new("text_count", arguments)).result;
        assert_eq!(call(json!({"text": "one two"})).structured, Some(json!({"words": 2})));
        let code = call(json!({"txt": "one"})).code;
        assert_eq!(code.as_ref().map(prowess::Code::as_str), Some("invalid-arguments"));
        Ok(())
    }
}
