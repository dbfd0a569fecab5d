//! The skills that the arguments of a tool call name.

use serde_json::Value;

use crate::recent::Recent;

/// The maximum size of a cached entry: arguments and names.
const MAX_BYTES: usize = 4 << 10;

/// Caches the skills that the arguments of a tool's latest calls name. The audit needs them after
/// each call, and they depend on the arguments alone.
#[derive(Default)]
pub(crate) struct NamedSkills(Recent<Value, Vec<String>>);

impl NamedSkills {
    /// Returns whether the skills in these arguments are cached.
    pub(crate) fn contains(&self, arguments: &Value) -> bool {
        !has_text(arguments) || self.0.get(arguments).is_some()
    }

    /// Caches the skills that these arguments name.
    pub(crate) fn insert(&self, arguments: &Value, named: Vec<String>) {
        if size(arguments) + named.iter().map(String::len).sum::<usize>() <= MAX_BYTES {
            self.0.insert(arguments.clone(), named);
        }
    }

    /// Returns the skills that these arguments name. If they are not cached, `ask` requests them
    /// from the plugin. Arguments without a string name no skill.
    pub(crate) fn get(
        &self,
        arguments: &Value,
        ask: impl FnOnce() -> Option<Vec<String>>,
    ) -> Vec<String> {
        if !has_text(arguments) {
            return Vec::new();
        }
        self.0.get(arguments).or_else(ask).unwrap_or_default()
    }
}

fn has_text(value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::Array(items) => items.iter().any(has_text),
        Value::Object(fields) => fields.values().any(has_text),
        _ => false,
    }
}

/// Returns the approximate size of a value in bytes.
fn size(value: &Value) -> usize {
    let field = |(name, value): (&String, &Value)| name.len() + size(value);
    size_of::<Value>()
        + match value {
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(size).sum(),
            Value::Object(fields) => fields.iter().map(field).sum(),
            _ => 0,
        }
}

/// Returns the names that occur as strings in the arguments, in the order of `named`. A name that
/// does not occur there was invented by the plugin and is dropped.
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
