//! Tools, calls and results that the tests share.

use prowess_core::{Code, Content, ToolDefinition, ToolResult};
use prowess_vendor::{ReceivedCall, WireFormat};
use serde_json::{Value, json};

pub(crate) fn tool(name: &str, input_schema: Value) -> ToolDefinition {
    ToolDefinition { name: name.into(), description: format!("Does {name}."), input_schema }
}

/// A tool with nested and optional fields, one with an open object, and one without arguments.
pub(crate) fn definitions() -> Vec<ToolDefinition> {
    let read = json!({
        "type": "object",
        "properties": {
            "path": { "type": "string", "description": "The file" },
            "mode": { "type": "string", "enum": ["text", "bytes"], "default": "text" },
            "lines": {
                "type": "object",
                "properties": { "from": { "type": "integer", "minimum": 1 } },
                "additionalProperties": false,
            },
            "tags": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["path"],
        "additionalProperties": false,
    });
    let run = json!({
        "type": "object",
        "properties": { "env": { "type": "object" } },
        "required": ["env"],
    });
    vec![tool("read", read), tool("run", run), tool("now", json!({ "type": "object" }))]
}

pub(crate) fn answer() -> ToolResult {
    let blob = |mime_type: &str, uri: &str| Content::Blob {
        mime_type: mime_type.into(),
        data: "iVBORw==".into(),
        uri: Some(uri.into()),
    };
    let mut result = ToolResult::text("Done.");
    result.content.push(blob("image/png", "skill://pdf/assets/dot.png"));
    result.content.push(blob("application/zip", "skill://pdf/assets/a.zip"));
    result
}

pub(crate) fn refusal() -> ToolResult {
    ToolResult::error(Code::new("skill-not-active"), "load it first")
}

/// The call with the id `call-1`, as it arrives.
pub(crate) fn received(format: WireFormat) -> ReceivedCall {
    let call = prowess_core::ToolCall::new("read", json!({ "path": "a.md" }));
    let message = format.call("call-1", &call);
    format.calls(&message, &definitions()).remove(0)
}
