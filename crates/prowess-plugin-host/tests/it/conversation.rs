//! A conversation that tools are called in.

use prowess_core::{
    ActiveSkill, Caller, Cancel, Catalog, Clock, LoadMode, Receipt, Session, SessionError,
    SessionId, SessionState, Tool, ToolContext, ToolResult, Unload,
};
use serde_json::Value;
use std::sync::Arc;

/// A conversation that has only an id.
pub(crate) struct Conversation(pub(crate) SessionId);

impl Session for Conversation {
    fn id(&self) -> &SessionId {
        &self.0
    }

    fn state(&self) -> Result<SessionState, SessionError> {
        unreachable!("the plugin has no feature `conversation`")
    }

    fn load(&self, _: &[Arc<ActiveSkill>], _: LoadMode) -> Result<Receipt, SessionError> {
        unreachable!("the plugin has no feature `conversation`")
    }

    fn unload(&self, _: &Unload) -> Result<Receipt, SessionError> {
        unreachable!("the plugin has no feature `conversation`")
    }
}

/// Calls a tool for the user, in the conversation `talk-7`.
pub(crate) fn call(
    tool: &dyn Tool,
    clock: &dyn Clock,
    arguments: &Value,
    cancel: &Cancel,
) -> ToolResult {
    let context = ToolContext {
        catalog: &Arc::new(Catalog::empty()),
        session: &Conversation(SessionId::new("talk-7").expect("it is a good id")),
        caller: Caller::User,
        origin: &Arc::default(),
        clock,
        cancel,
        boundary: &prowess_core::Boundary::default(),
    };
    tool.call(&context, arguments)
}
