//! The limits and the results that all tools share.

use prowess_plugin_sdk::prowess_core::{Code, ToolContext, ToolResult};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The maximum number of characters of an argument.
pub(crate) const MAX_TEXT: usize = 1_000_000;
/// The maximum size of an answer in bytes.
const MAX_ANSWER: usize = 100_000;

/// The maximum size of an error message in bytes.
const MAX_MESSAGE: usize = 4_000;

/// The reason why there is no answer, with the next step.
pub(crate) struct Refused {
    code: &'static str,
    message: String,
}

/// Returns the error of an invalid argument.
pub(crate) fn invalid(message: impl Into<String>) -> Refused {
    Refused { code: "invalid-arguments", message: message.into() }
}

/// Returns the error of a missing part.
pub(crate) fn not_found(message: impl Into<String>) -> Refused {
    Refused { code: "not-found", message: message.into() }
}

/// Returns the error of a call that would cost too much.
pub(crate) fn too_large(message: impl Into<String>) -> Refused {
    Refused { code: "too-large", message: message.into() }
}

/// Runs a tool with its arguments.
pub(crate) fn answer<A: DeserializeOwned>(
    context: &ToolContext<'_>,
    arguments: &Value,
    work: impl FnOnce(A) -> Result<ToolResult, Refused>,
) -> ToolResult {
    let arguments = A::deserialize(arguments)
        .map_err(|error| invalid(format!("the arguments do not fit: {error}")));
    let worked = arguments.and_then(work).and_then(bounded);
    match worked {
        _ if context.cancel.is_cancelled() => {
            ToolResult::error(Code::new("cancelled"), "the call was cancelled")
        }
        Ok(result) => result,
        Err(Refused { code, message }) => ToolResult::error(Code::new(code), beginning(message)),
    }
}

/// Truncates a message, which may contain an argument.
fn beginning(mut message: String) -> String {
    let end = message.floor_char_boundary(MAX_MESSAGE);
    if end < message.len() {
        message.truncate(end);
        message.push('…');
    }
    message
}

/// Rejects an answer that is too large for a conversation.
fn bounded(result: ToolResult) -> Result<ToolResult, Refused> {
    let content = serde_json::to_string(&result.content).unwrap_or_default();
    match content.len() <= MAX_ANSWER {
        true => Ok(result),
        false => Err(too_large(format!(
            "the answer has {} bytes, and {MAX_ANSWER} are allowed; ask for less of it",
            content.len()
        ))),
    }
}
