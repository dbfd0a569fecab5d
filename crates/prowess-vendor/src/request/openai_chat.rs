//! The request of OpenAI's Chat Completions.

use prowess_core::{Content, Message, ModelRequest};
use serde_json::{Value, json};

use super::{RequestOptions, answered, push_verbatim};
use crate::content::part_as_text;
use crate::openai::{chat_result, chat_tool, chat_tool_call};

pub(crate) fn request(request: &ModelRequest, options: &RequestOptions) -> Value {
    let mut body = options.body("max_completion_tokens");
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(chat_tool).collect());
    }
    let mut messages = Vec::new();
    if !request.instructions.is_empty() {
        messages.push(system(&request.instruction_text()));
    }
    for message in &request.messages {
        push(&mut messages, message);
    }
    body.insert("messages".to_owned(), messages.into());
    body.into()
}

/// The role `developer` is newer, and few of the APIs that follow this format know it. OpenAI's own
/// accepts both.
fn system(text: &str) -> Value {
    json!({ "role": "system", "content": text })
}

fn push(messages: &mut Vec<Value>, message: &Message) {
    match message {
        Message::User { content } => {
            messages.push(json!({ "role": "user", "content": user_content(content) }));
        }
        Message::Context { text } => messages.push(system(text)),
        Message::Model { text, calls } => {
            let text = if text.is_empty() { Value::Null } else { text.as_str().into() };
            let mut said = json!({ "role": "assistant", "content": text });
            if !calls.is_empty() {
                let calls = calls.iter().map(|made| chat_tool_call(&made.id, &made.call));
                said["tool_calls"] = calls.collect();
            }
            messages.push(said);
        }
        Message::ToolResult { id, name, result } => {
            messages.push(chat_result(&answered(id, name), result));
        }
        Message::Verbatim { message } => push_verbatim(messages, message),
        _ => {}
    }
}

/// Returns one text, which every server accepts, or parts if there is an image.
fn user_content(content: &[Content]) -> Value {
    if let [Content::Text { text }] = content {
        return text.as_str().into();
    }
    content.iter().map(part).collect()
}

fn part(content: &Content) -> Value {
    match content {
        Content::Blob { mime_type, data, .. } if mime_type.starts_with("image/") => {
            let url = format!("data:{mime_type};base64,{data}");
            json!({ "type": "image_url", "image_url": { "url": url } })
        }
        _ => json!({ "type": "text", "text": part_as_text(content) }),
    }
}
