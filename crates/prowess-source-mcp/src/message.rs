//! Messages of JSON-RPC.

use prowess_text::clipped;
use serde_json::{Value, json};

use crate::error::CallError;

/// The maximum size of one message, in bytes. A file of 16 MiB fits in it as base64.
pub(crate) const MAX_MESSAGE_BYTES: usize = 32 << 20;

/// The maximum length of a server's sentence in a message, in characters.
const MAX_SENTENCE_CHARS: usize = 200;

/// The notifications after which the listing is read again.
const CHANGES: [&str; 2] =
    ["notifications/resources/list_changed", "notifications/resources/updated"];

/// A request to a server.
pub(crate) struct Request {
    pub(crate) id: u64,
    pub(crate) method: &'static str,
    pub(crate) params: Value,
}

impl Request {
    /// Returns the message as it is sent.
    pub(crate) fn to_value(&self) -> Value {
        let Self { id, method, params } = self;
        json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
    }
}

/// A message of a server.
pub(crate) enum Incoming {
    /// The response to the request with this number.
    Response(u64, Result<Value, CallError>),
    /// A request of the server, by its id and method.
    Request(Value, String),
    /// A notification, by its method.
    Notification(String),
}

impl Incoming {
    /// Reads a message; `None` if it is none.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let Value::Object(mut message) = serde_json::from_slice(bytes).ok()? else { return None };
        let id = message.remove("id");
        if let Some(Value::String(method)) = message.remove("method") {
            return Some(match id {
                Some(id) => Self::Request(id, method),
                None => Self::Notification(method),
            });
        }
        let id = id.as_ref().and_then(Value::as_u64)?;
        let result = message.remove("result").map(Ok);
        let error = message.remove("error").map(|error| Err(refused(&error)));
        result.or(error).map(|answer| Self::Response(id, answer))
    }

    /// Returns whether the message reports a change of what is listed.
    pub(crate) fn is_change(&self) -> bool {
        matches!(self, Self::Notification(method) if CHANGES.contains(&&**method))
    }
}

/// Returns the error of a response.
fn refused(error: &Value) -> CallError {
    let text = error["message"].as_str().unwrap_or_default();
    CallError::Refused {
        code: error["code"].as_i64().unwrap_or_default(),
        message: clipped(text, MAX_SENTENCE_CHARS),
        data: error["data"].clone(),
    }
}

/// Returns the answer to a request of a server: only `ping` is supported.
pub(crate) fn answer(id: &Value, method: &str) -> Value {
    if method == "ping" {
        return json!({ "jsonrpc": "2.0", "id": id, "result": {} });
    }
    let error = json!({ "code": -32601, "message": "this client does not support the method" });
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}
