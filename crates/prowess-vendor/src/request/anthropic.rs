//! The request of Anthropic's Messages.

use prowess_core::{InstructionBlock, Message, ModelRequest};
use serde_json::{Value, json};

use super::{RequestOptions, Turns, answered};
use crate::anthropic::{block, result, tool, tool_use};

/// The API requires a limit.
const DEFAULT_MAX_TOKENS: u32 = 4_096;

pub(crate) fn request(request: &ModelRequest, options: &RequestOptions) -> Value {
    let max_output_tokens = options.max_output_tokens.or(Some(DEFAULT_MAX_TOKENS));
    let mut body = RequestOptions { max_output_tokens, ..options.clone() }.body("max_tokens");
    // The order in which the vendor builds the prompt, and so the order of its cache.
    if !request.tools.is_empty() {
        let mut tools: Vec<_> = request.tools.iter().map(tool).collect();
        add_breakpoint(tools.last_mut());
        body.insert("tools".to_owned(), tools.into());
    }
    if !request.instructions.is_empty() {
        body.insert("system".to_owned(), system(&request.instructions).into());
    }
    body.insert("messages".to_owned(), messages(&request.messages).into());
    body.into()
}

/// Returns the blocks with a breakpoint after the stable ones and after the last.
fn system(instructions: &[InstructionBlock]) -> Vec<Value> {
    let text = |block: &InstructionBlock| json!({ "type": "text", "text": block.text });
    let mut blocks: Vec<_> = instructions.iter().map(text).collect();
    let stable = instructions.iter().take_while(|block| block.kind.is_stable()).count();
    if let Some(last_stable) = stable.checked_sub(1) {
        add_breakpoint(blocks.get_mut(last_stable));
    }
    add_breakpoint(blocks.last_mut());
    blocks
}

fn messages(messages: &[Message]) -> Vec<Value> {
    let mut turns = Turns::new("content");
    for message in messages {
        push(&mut turns, message);
    }
    if !turns.is_closed {
        let content = turns.messages.last_mut().and_then(|last| last["content"].as_array_mut());
        add_breakpoint(content.and_then(|blocks| blocks.last_mut()));
    }
    turns.messages
}

fn push(turns: &mut Turns, message: &Message) {
    let text = |text: &str| json!({ "type": "text", "text": text });
    match message {
        Message::User { content } => {
            content.iter().for_each(|part| turns.push("user", block(part)));
        }
        Message::Context { text: notice } => turns.push("user", text(notice)),
        Message::Model { text: said, calls } => {
            // A blank text is refused.
            if !said.trim().is_empty() {
                turns.push("assistant", text(said));
            }
            calls.iter().for_each(|made| turns.push("assistant", tool_use(&made.id, &made.call)));
        }
        Message::ToolResult { id, name, result: found } => {
            turns.push("user", result(&answered(id, name), found));
            put_results_first(turns.messages.last_mut());
        }
        Message::Verbatim { message } => turns.push_verbatim(message),
        _ => {}
    }
}

/// Moves the results of a message in front of its texts, as the API requires.
fn put_results_first(message: Option<&mut Value>) {
    if let Some(blocks) = message.and_then(|message| message["content"].as_array_mut()) {
        blocks.sort_by_key(|block| block["type"] != "tool_result");
    }
}

fn add_breakpoint(block: Option<&mut Value>) {
    if let Some(block) = block {
        block["cache_control"] = json!({ "type": "ephemeral" });
    }
}
