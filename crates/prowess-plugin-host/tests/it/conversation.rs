//! Tool calls in a session.

use std::sync::Arc;

use prowess_core::{
    Boundary, Caller, Cancel, Catalog, Clock, Progress, Tool, ToolContext, ToolResult,
};
use prowess_testkit::FixedSession;
use serde_json::Value;

/// Calls a tool as the user, in the session `talk-7`.
pub(crate) fn call(
    tool: &dyn Tool,
    clock: &dyn Clock,
    arguments: &Value,
    cancel: &Cancel,
) -> ToolResult {
    let context = ToolContext {
        catalog: &Arc::new(Catalog::empty()),
        session: &FixedSession::new("talk-7"),
        caller: Caller::User,
        origin: &Arc::default(),
        clock,
        cancel,
        approved: None,
        progress: Progress::default(),
        boundary: &Boundary::default(),
        result_bytes: None,
        keeps_results: false,
    };
    tool.call(&context, arguments)
}
