//! Reads a resource.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prowess_text::quoted;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::connection::Connection;
use crate::error::CallError;

/// Returns the bytes of a resource, at most `limit` of them.
pub(crate) fn read(
    connection: &mut Connection,
    uri: &str,
    limit: usize,
    call: &Call<'_>,
) -> Result<Vec<u8>, CallError> {
    let params = Map::from_iter([("uri".to_owned(), uri.into())]);
    let result = connection.request("resources/read", params, call)?;
    let bytes = bytes(&result, uri).ok_or_else(|| {
        CallError::BadFile(format!("the server does not send {} as one file", quoted(uri)))
    })?;
    if bytes.len() > limit {
        let message = format!("{} has more than {limit} bytes", quoted(uri));
        return Err(CallError::FileTooLarge(message));
    }
    Ok(bytes)
}

/// Returns the bytes of the only content, which must be that of the URI.
fn bytes(result: &Value, uri: &str) -> Option<Vec<u8>> {
    let [content] = result["contents"].as_array()?.as_slice() else { return None };
    if content["uri"] != uri {
        return None;
    }
    match (&content["text"], &content["blob"]) {
        (Value::String(text), Value::Null) => Some(text.clone().into_bytes()),
        (Value::Null, Value::String(blob)) => STANDARD.decode(blob).ok(),
        _ => None,
    }
}
