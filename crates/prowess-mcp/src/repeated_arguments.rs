//! Arguments of a call that a client repeats in headers, so that a proxy can route the call.
//!
//! A property of a tool's schema asks for it by `x-mcp-header` (MCP 2026-07-28, Streamable HTTP).
//! The transport refuses a request whose headers differ from its arguments.

use std::sync::Arc;

use prowess::Runtime;
use rmcp::model::Tool;
use serde_json::Value;

const HEADER: &str = "x-mcp-header";

/// Returns a tool for the check of a request's headers, or `None` if none of its arguments is
/// repeated.
pub(crate) fn tool(runtime: &Runtime, name: &str) -> Option<Tool> {
    let schema = runtime.tool_arguments(name)?;
    if !has_repeated(&schema) {
        return None;
    }
    let Value::Object(schema) = schema.into_owned() else { return None };
    Some(Tool::new(name.to_owned(), "", Arc::new(schema)))
}

/// Returns whether a property asks for a header, also within other properties.
fn has_repeated(schema: &Value) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut properties = properties.into_iter().flat_map(|properties| properties.values());
    properties.any(|property| property.get(HEADER).is_some() || has_repeated(property))
}
