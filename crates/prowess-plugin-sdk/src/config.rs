//! What the operator wrote, as the author's type.

use serde::de::DeserializeOwned;

use crate::Error;

/// Reads a configuration; the error names the field that does not fit.
pub(crate) fn decode<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    if !text.trim().is_empty() {
        return read(text);
    }
    // A type that takes nothing reads `null`; one whose fields all have defaults reads `{}`.
    read("null").or_else(|_| read("{}"))
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    let mut decoder = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut decoder).map_err(|error| {
        let path = error.path().to_string();
        let reason = without_place(&error.inner().to_string());
        Error::config(match &*path {
            "." | "?" => format!("the configuration does not fit: {reason}"),
            path => format!("the configuration's field `{path}` does not fit: {reason}"),
        })
    })?;
    decoder.end().map_err(|error| Error::config(format!("after the configuration: {error}")))?;
    Ok(value)
}

/// The host hands over a value that it has written as JSON, so line and column would mislead.
fn without_place(reason: &str) -> String {
    reason.rsplit_once(" at line ").map_or(reason, |(reason, _)| reason).to_owned()
}
