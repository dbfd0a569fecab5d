//! A call of a model, as a vendor's message has it.

use prowess_core::{ToolCall, ToolResult};
use serde_json::Value;

use crate::codes;

/// The maximum length of a parser's message in a result.
const MAX_REASON_CHARS: usize = 200;

/// A call of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedCall {
    /// The vendor's id of the call, which its result repeats; `null` if the vendor sent none.
    pub id: Value,
    /// The name of the tool, as the model wrote it.
    pub name: String,
    /// The call, or the result for the model if its arguments are not JSON.
    pub call: Result<ToolCall, Box<ToolResult>>,
}

impl ReceivedCall {
    /// Creates a call whose arguments are a value.
    pub(crate) fn new(id: &Value, name: &str, arguments: &Value) -> Self {
        let call = ToolCall::new(name, arguments.clone());
        Self { id: id.clone(), name: name.to_owned(), call: Ok(call) }
    }

    /// Creates a call whose arguments are JSON in a text. A blank text counts as no arguments.
    pub(crate) fn parse(id: &Value, name: &str, arguments: &str) -> Self {
        let parsed = match arguments.trim() {
            "" => Ok(Value::Null),
            text => serde_json::from_str(text),
        };
        let call = match parsed {
            Ok(arguments) => Ok(ToolCall::new(name, arguments)),
            Err(error) => {
                let reason: String = error.to_string().chars().take(MAX_REASON_CHARS).collect();
                let message =
                    format!("the arguments are not JSON: {reason}. Correct this and call again");
                Err(Box::new(ToolResult::error(codes::ARGUMENTS_NOT_JSON, message)))
            }
        };
        Self { id: id.clone(), name: name.to_owned(), call }
    }
}
