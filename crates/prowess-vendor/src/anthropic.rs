//! The format of Anthropic's Messages.

use prowess_core::{Content, ToolCall, ToolDefinition, ToolResult};
use serde_json::{Map, Value, json};

use crate::ReceivedCall;
use crate::content::part_as_text;

/// The media types of images that a result may contain.
const IMAGES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

pub(crate) fn tool(definition: &ToolDefinition) -> Value {
    json!({
        "name": definition.name,
        "description": definition.description,
        "input_schema": definition.input_schema,
    })
}

pub(crate) fn calls(message: &Value) -> Vec<ReceivedCall> {
    let blocks = message["content"].as_array().into_iter().flatten();
    let uses = blocks.filter(|block| block["type"] == "tool_use");
    uses.filter_map(|block| {
        Some(ReceivedCall::new(&block["id"], block["name"].as_str()?, &block["input"]))
    })
    .collect()
}

pub(crate) fn call(id: &str, call: &ToolCall) -> Value {
    json!({ "role": "assistant", "content": [tool_use(id, call)] })
}

pub(crate) fn tool_use(id: &str, call: &ToolCall) -> Value {
    // The API requires an object.
    let input = match &call.arguments {
        Value::Null => Value::Object(Map::new()),
        arguments => arguments.clone(),
    };
    json!({ "type": "tool_use", "id": id, "name": call.name, "input": input })
}

/// Returns a block for the next message of the role `user`.
pub(crate) fn result(received: &ReceivedCall, result: &ToolResult) -> Value {
    let content: Value = result.content.iter().map(block).collect();
    let mut block =
        json!({ "type": "tool_result", "tool_use_id": received.id, "content": content });
    if result.is_error {
        block["is_error"] = true.into();
    }
    block
}

pub(crate) fn block(content: &Content) -> Value {
    let source = |mime_type: &str, data: &str| json!({ "type": "base64", "media_type": mime_type, "data": data });
    match content {
        Content::Blob { mime_type, data, .. } if IMAGES.contains(&mime_type.as_str()) => {
            json!({ "type": "image", "source": source(mime_type, data) })
        }
        Content::Blob { mime_type, data, .. } if mime_type == "application/pdf" => {
            json!({ "type": "document", "source": source(mime_type, data) })
        }
        _ => json!({ "type": "text", "text": part_as_text(content) }),
    }
}
