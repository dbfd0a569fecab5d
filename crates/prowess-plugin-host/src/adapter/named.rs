//! The skills that a plugin finds in the arguments of a call.

use serde_json::Value;

/// Returns those of `named` that stand in the arguments, in the order of `named`. What does not
/// stand there was made up by the plugin.
pub(crate) fn in_arguments<'a>(arguments: &'a Value, named: &[String]) -> Vec<&'a str> {
    named.iter().filter_map(|name| find(arguments, name)).collect()
}

fn find<'a>(value: &'a Value, wanted: &str) -> Option<&'a str> {
    match value {
        Value::String(text) => (text == wanted).then_some(text.as_str()),
        Value::Array(items) => items.iter().find_map(|item| find(item, wanted)),
        Value::Object(fields) => fields.values().find_map(|field| find(field, wanted)),
        _ => None,
    }
}
