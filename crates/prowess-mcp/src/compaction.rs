//! Bodies that a conversation needs again, because its client has compacted it.

use std::sync::Arc;

use prowess::Content;
use rmcp::ErrorData;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use crate::conversation::Conversation;
use crate::server::internal;

/// The key of `_meta` under which a client says, with its next call, that it has compacted the
/// conversation: true, or the ids of the skills whose instructions it has kept.
const KEY: &str = "prowess/compacted";

/// Returns the instructions of the loaded skills that a compaction has removed, for the result of
/// the call that reports it.
pub(crate) async fn again(
    conversation: &Arc<Conversation>,
    context: &RequestContext<RoleServer>,
) -> Result<Option<Content>, ErrorData> {
    let kept: Vec<String> = match context.meta.get(KEY) {
        None | Some(Value::Null | Value::Bool(false)) => return Ok(None),
        Some(Value::Bool(true)) => Vec::new(),
        Some(ids) => serde_json::from_value(ids.clone()).map_err(|_| {
            let message = format!("`{KEY}` is true or the ids of the skills that are kept");
            ErrorData::invalid_params(message, None)
        })?,
    };
    let again = conversation.in_turn(move |turn| turn.compacted(&kept));
    let text = again.await.map_err(internal)?.map_err(internal)?.text;
    Ok((!text.is_empty()).then_some(Content::Text { text }))
}
