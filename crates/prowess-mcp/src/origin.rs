//! What a client says about itself, for the audit. It decides nothing.

use prowess::CallOrigin;
use prowess::text::clipped;
use rmcp::service::{RequestContext, RoleServer};

/// The keys of `_meta` under which a client may name its model and its task.
const MODEL_KEY: &str = "prowess/model";
const TASK_KEY: &str = "prowess/task";

/// The maximum length of each name, in bytes.
const MOST_BYTES: usize = 128;

/// Returns the client with its version as the agent, and the model and the task if it names them.
/// A tenant is left out: approvals are bound to it, so no client may choose one.
pub(crate) fn of(context: &RequestContext<RoleServer>) -> CallOrigin {
    let client = context.client_info().map(|client| format!("{} {}", client.name, client.version));
    let named = |key| {
        let name = context.meta.get(key)?.as_str().filter(|name| !name.is_empty())?;
        Some(clipped(name, MOST_BYTES))
    };
    CallOrigin {
        agent: client.map(|client| clipped(client.trim(), MOST_BYTES)),
        model: named(MODEL_KEY),
        task: named(TASK_KEY),
        ..CallOrigin::default()
    }
}
