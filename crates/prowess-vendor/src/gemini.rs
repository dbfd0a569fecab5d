//! The format of Gemini's `generateContent`.

use prowess_core::{ToolCall, ToolDefinition, ToolResult};
use serde_json::{Map, Value, json};

use crate::ReceivedCall;
use crate::content::text_of;
use crate::gemini_schema::parameters;

pub(crate) fn tools(definitions: &[ToolDefinition]) -> Value {
    let declarations: Value = definitions.iter().map(declaration).collect();
    json!([{ "functionDeclarations": declarations }])
}

fn declaration(definition: &ToolDefinition) -> Value {
    let mut declaration = json!({ "name": definition.name, "description": definition.description });
    // A function without parameters has none: an object without properties is refused.
    if let Some(parameters) = parameters(&definition.input_schema) {
        declaration["parameters"] = parameters;
    }
    declaration
}

pub(crate) fn calls(message: &Value) -> Vec<ReceivedCall> {
    let content = message["candidates"].get(0).map_or(message, |first| &first["content"]);
    let parts = content["parts"].as_array().into_iter().flatten();
    let calls = parts.filter_map(|part| part.get("functionCall"));
    calls
        .filter_map(|call| {
            Some(ReceivedCall::new(&call["id"], call["name"].as_str()?, &call["args"]))
        })
        .collect()
}

pub(crate) fn call(id: &str, call: &ToolCall) -> Value {
    json!({ "role": "model", "parts": [function_call(id, call)] })
}

pub(crate) fn function_call(id: &str, call: &ToolCall) -> Value {
    let args = match &call.arguments {
        Value::Null => Value::Object(Map::new()),
        arguments => arguments.clone(),
    };
    let mut made = json!({ "name": call.name, "args": args });
    // Older models send no id.
    if !id.is_empty() {
        made["id"] = id.into();
    }
    json!({ "functionCall": made })
}

/// Returns a part for the next content of the role `user`. Older models send no id.
pub(crate) fn result(received: &ReceivedCall, result: &ToolResult) -> Value {
    let key = if result.is_error { "error" } else { "output" };
    let mut response = json!({ "name": received.name, "response": { key: text_of(result) } });
    if !received.id.is_null() {
        response["id"] = received.id.clone();
    }
    json!({ "functionResponse": response })
}
