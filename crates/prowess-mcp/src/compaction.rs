//! Instructions that the result of a call has besides its own: those that a compaction has removed,
//! and those of skills that a message of the user is about.

use std::sync::Arc;

use prowess::BodyPlace;
use rmcp::ErrorData;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use crate::conversation::Conversation;
use crate::convert::internal;
use crate::origin::MESSAGE_KEY;

/// The key of `_meta` under which a client says, with its next call, that it has compacted the
/// conversation: true, or the ids of the skills whose instructions it has kept.
const KEY: &str = "prowess/compacted";

/// The report of a client about its conversation, with a call.
pub(crate) struct Wanted {
    /// The skills whose instructions it has kept; `None` without a compaction.
    kept: Option<Vec<String>>,
    /// The message that its call is for, if skills are loaded for it.
    message: Option<String>,
    /// The number of results with bodies before the call.
    deliveries: u32,
}

impl Wanted {
    /// Returns what a request says, before its call; `None` if it says nothing.
    pub(crate) async fn of(
        conversation: &Arc<Conversation>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Option<Self>, ErrorData> {
        let kept: Option<Vec<String>> = match context.meta.get(KEY) {
            None | Some(Value::Null | Value::Bool(false)) => None,
            Some(Value::Bool(true)) => Some(Vec::new()),
            Some(ids) => Some(serde_json::from_value(ids.clone()).map_err(|_| {
                let message = format!("`{KEY}` is true or the ids of the skills that are kept");
                ErrorData::invalid_params(message, None)
            })?),
        };
        let is_wanted = conversation.runtime().policies().auto_load.min_score.is_some();
        let message = context.meta.get(MESSAGE_KEY).and_then(Value::as_str);
        let message = message.filter(|_| is_wanted).map(str::to_owned);
        if kept.is_none() && message.is_none() {
            return Ok(None);
        }
        let deliveries = conversation.in_turn(|turn| turn.state().deliveries).await?;
        Ok(Some(Self { kept, message, deliveries }))
    }

    /// Returns the instructions that the conversation needs besides the result of its call, which
    /// has ended: neither those that the call has delivered nor those that it has ended.
    pub(crate) async fn instructions(
        self,
        conversation: &Arc<Conversation>,
    ) -> Result<String, ErrorData> {
        let Self { kept, message, deliveries } = self;
        let here = conversation.in_turn(move |turn| {
            let is_new =
                |body: BodyPlace| matches!(body, BodyPlace::ToolResult(at) if at > deliveries);
            let entries = turn.state().ledger.iter();
            let here = entries.filter(|entry| kept.is_none() || is_new(entry.body));
            here.map(|entry| entry.id.clone()).chain(kept.iter().flatten().cloned()).collect()
        });
        let here: Vec<String> = here.await?;
        let again = conversation.in_turn_about(message, move |turn| turn.compacted(&here));
        Ok(again.await?.map_err(internal)?.text)
    }
}
