//! The request of Gemini's `generateContent`.

use prowess_core::{Content, Message, ModelRequest};
use serde_json::{Value, json};

use super::{RequestOptions, Turns, answered};
use crate::gemini::{function_call, result, tools};

pub(crate) fn request(request: &ModelRequest, options: &RequestOptions) -> Value {
    let mut body = json!({});
    if !request.instructions.is_empty() {
        let texts = request.instructions.iter().map(|block| json!({ "text": block.text }));
        body["systemInstruction"] = json!({ "parts": texts.collect::<Value>() });
    }
    if !request.tools.is_empty() {
        body["tools"] = tools(&request.tools);
    }
    let mut turns = Turns::new("parts");
    for message in &request.messages {
        push(&mut turns, message);
    }
    body["contents"] = turns.messages.into();
    if let Some(most) = options.max_output_tokens {
        body["generationConfig"] = json!({ "maxOutputTokens": most });
    }
    body
}

fn push(turns: &mut Turns, message: &Message) {
    match message {
        Message::User { content } => {
            content.iter().for_each(|content| turns.push("user", part(content)));
        }
        Message::Context { text } => turns.push("user", json!({ "text": text })),
        Message::Model { text, calls } => {
            if !text.is_empty() {
                turns.push("model", json!({ "text": text }));
            }
            calls.iter().for_each(|made| turns.push("model", function_call(&made.id, &made.call)));
        }
        Message::ToolResult { id, name, result: found } => {
            turns.push("user", result(&answered(id, name), found));
        }
        Message::Verbatim { message } => turns.push_verbatim(message),
        _ => {}
    }
}

fn part(content: &Content) -> Value {
    match content {
        Content::Text { text } => json!({ "text": text }),
        Content::Blob { mime_type, data, .. } => {
            json!({ "inlineData": { "mimeType": mime_type, "data": data } })
        }
    }
}
