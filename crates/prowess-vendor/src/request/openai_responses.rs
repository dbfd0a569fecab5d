//! The request of OpenAI's Responses.

use prowess_core::{Content, Message, ModelRequest};
use serde_json::{Value, json};

use super::{RequestOptions, answered, push_verbatim};
use crate::openai::{input_part, responses_call, responses_result, responses_tool};

pub(crate) fn request(request: &ModelRequest, options: &RequestOptions) -> Value {
    let mut body = options.body("max_output_tokens");
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(responses_tool).collect());
    }
    if !request.instructions.is_empty() {
        body.insert("instructions".to_owned(), request.instruction_text().into());
    }
    let mut items = Vec::new();
    for message in &request.messages {
        push(&mut items, message);
    }
    body.insert("input".to_owned(), items.into());
    body.into()
}

fn push(items: &mut Vec<Value>, message: &Message) {
    let message_of =
        |role: &str, content: Value| json!({ "type": "message", "role": role, "content": content });
    match message {
        Message::User { content } => {
            items.push(message_of("user", content.iter().map(user_part).collect()));
        }
        Message::Context { text } => items.push(message_of("developer", text.as_str().into())),
        Message::Model { text, calls } => {
            if !text.is_empty() {
                items.push(message_of("assistant", text.as_str().into()));
            }
            items.extend(calls.iter().map(|made| responses_call(&made.id, &made.call)));
        }
        Message::ToolResult { id, name, result } => {
            items.push(responses_result(&answered(id, name), result));
        }
        Message::Verbatim { message } => push_verbatim(items, message),
        _ => {}
    }
}

/// Returns a part of a message, in which an image must say how closely the model looks at it.
fn user_part(content: &Content) -> Value {
    let mut part = input_part(content);
    if part["type"] == "input_image" {
        part["detail"] = "auto".into();
    }
    part
}
