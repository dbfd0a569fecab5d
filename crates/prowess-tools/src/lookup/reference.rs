//! The texts by which a model refers to a skill.

use std::borrow::Cow;

use prowess_core::parse_virtual_uri;
use serde_json::Value;

/// Returns the skills in the field `names` of a call's arguments.
pub(crate) fn names(arguments: &Value) -> Vec<&str> {
    arguments["names"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns the id or location that a reference stands for: a virtual URI, as the model may have
/// seen it in the catalog, stands for its id.
pub(crate) fn resolved(reference: &str) -> Cow<'_, str> {
    match parse_virtual_uri(reference) {
        Some((id, _)) => Cow::Owned(id),
        None => Cow::Borrowed(reference),
    }
}
