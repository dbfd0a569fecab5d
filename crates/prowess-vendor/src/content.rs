//! The parts of a result.

use prowess_core::{Content, ToolResult};
use prowess_text::counted;

/// Returns a result as one text. Bytes are described.
pub(crate) fn text_of(result: &ToolResult) -> String {
    result.content.iter().map(part_as_text).collect::<Vec<_>>().join("\n")
}

pub(crate) fn part_as_text(content: &Content) -> String {
    match content {
        Content::Text { text } => text.clone(),
        Content::Blob { mime_type, data, uri } => described(mime_type, data, uri.as_deref()),
    }
}

/// Returns the description of bytes that a format has no place for.
pub(crate) fn described(mime_type: &str, data: &str, uri: Option<&str>) -> String {
    let padding = data.bytes().rev().take_while(|byte| *byte == b'=').count();
    let bytes = counted((data.len() / 4 * 3).saturating_sub(padding), "byte");
    let place = uri.map(|uri| format!(" at {uri}")).unwrap_or_default();
    format!("[{bytes} of {mime_type}{place}; they are with the host]")
}
