//! The core's values in the protocol's words.

use std::sync::Arc;

use prowess::{Content, ToolDefinition, ToolResult};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents, Tool};
use serde_json::Value;

/// A tool as the protocol lists it.
pub(crate) fn tool(definition: ToolDefinition) -> Tool {
    let schema = match definition.input_schema {
        Value::Object(schema) => schema,
        // A tool without a schema takes an empty object, as the protocol asks.
        _ => serde_json::Map::from_iter([("type".to_owned(), Value::from("object"))]),
    };
    Tool::new(definition.name, definition.description, Arc::new(schema))
}

/// An answer as the protocol gives it. A refusal is a result, so that the model reads why.
pub(crate) fn result(result: ToolResult) -> CallToolResult {
    let content = result.content.into_iter().map(block).collect();
    let mut converted = if result.is_error {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    converted.structured_content = match (result.structured, result.code) {
        (_, Some(code)) => Some(serde_json::json!({ "code": code })),
        (structured, None) => structured,
    };
    converted
}

fn block(content: Content) -> ContentBlock {
    match content {
        Content::Text { text } => ContentBlock::text(text),
        Content::Blob { mime_type, data } if mime_type.starts_with("image/") => {
            ContentBlock::image(data, mime_type)
        }
        Content::Blob { mime_type, data } => {
            let blob = ResourceContents::blob(data, "skill://resource").with_mime_type(mime_type);
            ContentBlock::resource(blob)
        }
    }
}
