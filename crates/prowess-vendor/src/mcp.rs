//! The format of the Model Context Protocol.

use prowess_core::{Content, ToolCall, ToolDefinition, ToolResult};
use serde_json::{Map, Value, json};

use crate::ReceivedCall;
use crate::content::part_as_text;

/// The key of `_meta` under which the code of an error is sent.
const CODE_KEY: &str = "prowess/code";

pub(crate) fn tool(definition: &ToolDefinition) -> Value {
    json!({
        "name": definition.name,
        "description": definition.description,
        "inputSchema": definition.input_schema,
    })
}

pub(crate) fn calls(message: &Value) -> Vec<ReceivedCall> {
    let params = &message["params"];
    let name = params["name"].as_str().filter(|_| message["method"] == "tools/call");
    let call = name.map(|name| ReceivedCall::new(&message["id"], name, &params["arguments"]));
    call.into_iter().collect()
}

pub(crate) fn call(id: &str, call: &ToolCall) -> Value {
    let arguments = match &call.arguments {
        Value::Null => Value::Object(Map::new()),
        arguments => arguments.clone(),
    };
    let params = json!({ "name": call.name, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

/// Returns the response. It has no `structuredContent`, which many clients show to the model
/// instead of the content.
pub(crate) fn result(received: &ReceivedCall, result: &ToolResult) -> Value {
    let content: Value = result.content.iter().map(block).collect();
    let mut value = json!({ "content": content, "isError": result.is_error });
    if let Some(code) = &result.code {
        value["_meta"] = json!({ CODE_KEY: code });
    }
    json!({ "jsonrpc": "2.0", "id": received.id, "result": value })
}

fn block(content: &Content) -> Value {
    match content {
        Content::Blob { mime_type, data, .. } if mime_type.starts_with("image/") => {
            json!({ "type": "image", "data": data, "mimeType": mime_type })
        }
        Content::Blob { mime_type, data, uri: Some(uri) } => {
            let resource = json!({ "uri": uri, "mimeType": mime_type, "blob": data });
            json!({ "type": "resource", "resource": resource })
        }
        _ => json!({ "type": "text", "text": part_as_text(content) }),
    }
}
