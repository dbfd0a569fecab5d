//! The formats of OpenAI: Chat Completions and Responses.

use prowess_core::{Content, ToolCall, ToolDefinition, ToolResult};
use serde_json::{Value, json};

use crate::content::{part_as_text, text_of};
use crate::nulls::without_nulls;
use crate::{ReceivedCall, strict_schema};

pub(crate) fn chat_tool(definition: &ToolDefinition) -> Value {
    json!({ "type": "function", "function": function(definition) })
}

pub(crate) fn responses_tool(definition: &ToolDefinition) -> Value {
    let mut tool = json!({ "type": "function" });
    if let (Some(tool), Value::Object(function)) = (tool.as_object_mut(), function(definition)) {
        tool.extend(function);
    }
    tool
}

fn function(definition: &ToolDefinition) -> Value {
    let strict = strict_schema(&definition.input_schema);
    json!({
        "name": definition.name,
        "description": definition.description,
        "strict": strict.is_some(),
        "parameters": strict.unwrap_or_else(|| definition.input_schema.clone()),
    })
}

pub(crate) fn chat_calls(message: &Value, definitions: &[ToolDefinition]) -> Vec<ReceivedCall> {
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    calls.filter_map(|call| received(&call["id"], &call["function"], definitions)).collect()
}

pub(crate) fn responses_calls(
    message: &Value,
    definitions: &[ToolDefinition],
) -> Vec<ReceivedCall> {
    let items = message.as_array().or_else(|| message["output"].as_array());
    let items = items.map_or_else(|| std::slice::from_ref(message), Vec::as_slice);
    let calls = items.iter().filter(|item| item["type"] == "function_call");
    calls.filter_map(|call| received(&call["call_id"], call, definitions)).collect()
}

/// Reads the fields `name` and `arguments`.
fn received(id: &Value, function: &Value, definitions: &[ToolDefinition]) -> Option<ReceivedCall> {
    let name = function["name"].as_str()?;
    let mut received = match &function["arguments"] {
        Value::String(arguments) => ReceivedCall::parse(id, name, arguments),
        // Servers that follow the format send objects too.
        arguments => ReceivedCall::new(id, name, arguments),
    };
    let definition = definitions.iter().find(|definition| definition.name == name);
    if let (Ok(call), Some(definition)) = (&mut received.call, definition) {
        without_nulls(&mut call.arguments, &definition.input_schema);
    }
    Some(received)
}

pub(crate) fn chat_call(id: &str, call: &ToolCall) -> Value {
    json!({ "role": "assistant", "content": null, "tool_calls": [chat_tool_call(id, call)] })
}

pub(crate) fn chat_tool_call(id: &str, call: &ToolCall) -> Value {
    let function = json!({ "name": call.name, "arguments": call.arguments.to_string() });
    json!({ "id": id, "type": "function", "function": function })
}

pub(crate) fn responses_call(id: &str, call: &ToolCall) -> Value {
    json!({
        "type": "function_call",
        "call_id": id,
        "name": call.name,
        "arguments": call.arguments.to_string(),
    })
}

/// A message of the role `tool` has text alone.
pub(crate) fn chat_result(received: &ReceivedCall, result: &ToolResult) -> Value {
    json!({ "role": "tool", "tool_call_id": received.id, "content": text_of(result) })
}

pub(crate) fn responses_result(received: &ReceivedCall, result: &ToolResult) -> Value {
    let is_text = |part: &Content| matches!(part, Content::Text { .. });
    let output = if result.content.iter().all(is_text) {
        Value::from(text_of(result))
    } else {
        result.content.iter().map(input_part).collect()
    };
    json!({ "type": "function_call_output", "call_id": received.id, "output": output })
}

pub(crate) fn input_part(content: &Content) -> Value {
    match content {
        Content::Blob { mime_type, data, .. } if mime_type.starts_with("image/") => {
            json!({ "type": "input_image", "image_url": format!("data:{mime_type};base64,{data}") })
        }
        _ => json!({ "type": "input_text", "text": part_as_text(content) }),
    }
}
