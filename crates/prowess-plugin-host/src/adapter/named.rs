//! The skills that a plugin finds in the arguments of a call.

use serde_json::Value;

use crate::recent::Recent;

/// The most bytes of arguments and names that are kept.
const MAX_BYTES: usize = 4 << 10;

/// The skills that the last calls of a tool concerned, by their arguments: the host asks for them
/// after each call, and they depend on the arguments alone.
#[derive(Default)]
pub(crate) struct NamedSkills(Recent<Value, Vec<String>>);

impl NamedSkills {
    /// Returns whether the skills in these arguments are known.
    pub(crate) fn knows(&self, arguments: &Value) -> bool {
        !has_text(arguments) || self.0.known(arguments).is_some()
    }

    /// Keeps the skills that a tool has found in arguments.
    pub(crate) fn keep(&self, arguments: &Value, named: Vec<String>) {
        if size(arguments) + named.iter().map(String::len).sum::<usize>() <= MAX_BYTES {
            self.0.keep(arguments.clone(), named);
        }
    }

    /// Returns the skills in arguments; `ask` asks the tool for those that are not kept. Arguments
    /// without a text name no skill.
    pub(crate) fn get(
        &self,
        arguments: &Value,
        ask: impl FnOnce() -> Option<Vec<String>>,
    ) -> Vec<String> {
        if !has_text(arguments) {
            return Vec::new();
        }
        self.0.known(arguments).or_else(ask).unwrap_or_default()
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

/// Returns about how many bytes a value has.
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
