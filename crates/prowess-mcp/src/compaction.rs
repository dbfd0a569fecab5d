//! Instructions that the result of a call has besides its own: those that a compaction has removed,
//! and those of skills that a message of the user is about.

use std::sync::Arc;

use prowess::{Content, Turn};
use rmcp::ErrorData;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use crate::conversation::Conversation;
use crate::convert::internal;
use crate::origin::MESSAGE_KEY;

/// The key of `_meta` under which a client says, with its next call, that it has compacted the
/// conversation: true, or the ids of the skills whose instructions it has kept.
const KEY: &str = "prowess/compacted";

/// Returns the instructions that the conversation needs besides the result of a call.
pub(crate) async fn instructions(
    conversation: &Arc<Conversation>,
    context: &RequestContext<RoleServer>,
) -> Result<Option<Content>, ErrorData> {
    let kept: Option<Vec<String>> = match context.meta.get(KEY) {
        None | Some(Value::Null | Value::Bool(false)) => None,
        Some(Value::Bool(true)) => Some(Vec::new()),
        Some(ids) => Some(serde_json::from_value(ids.clone()).map_err(|_| {
            let message = format!("`{KEY}` is true or the ids of the skills that are kept");
            ErrorData::invalid_params(message, None)
        })?),
    };
    let is_wanted = conversation.runtime().policies().auto_load.min_score.is_some();
    let message = context.meta.get(MESSAGE_KEY).and_then(Value::as_str).filter(|_| is_wanted);
    let kept = match kept {
        Some(kept) => kept,
        None if message.is_none() => return Ok(None),
        None => conversation.in_turn(loaded).await?,
    };
    let message = message.map(str::to_owned);
    let again = conversation.in_turn_about(message, move |turn| turn.compacted(&kept));
    let text = again.await?.map_err(internal)?.text;
    Ok((!text.is_empty()).then_some(Content::Text { text }))
}

fn loaded(turn: &Turn) -> Vec<String> {
    turn.state().active.iter().map(|skill| skill.id.clone()).collect()
}
