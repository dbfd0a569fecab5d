//! The parameters that a skill declares, and their values.

use std::collections::HashMap;

use crate::{Field, Mapping, Value};

use super::placeholder::leading_name;
use super::report::Report;
use super::{Arguments, WHOLE};

/// A parameter that a skill declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter<'a> {
    /// Its name; see [`is_parameter_name`].
    pub name: &'a str,
    /// The value if the call has none.
    pub default: Option<&'a str>,
}

impl<'a> Parameter<'a> {
    /// A parameter that needs a value.
    pub fn new(name: &'a str) -> Self {
        Self { name, default: None }
    }

    /// A parameter that can do without a value.
    pub fn with_default(name: &'a str, default: &'a str) -> Self {
        Self { name, default: Some(default) }
    }
}

/// Whether a parameter may have this name: ASCII letters, digits and `_`, with no digit first, and
/// not `ARGUMENTS`, which stands for everything that was typed.
pub fn is_parameter_name(name: &str) -> bool {
    leading_name(name) == Some(name) && name != WHOLE
}

/// The parameters that a frontmatter declares in its field `arguments`, in its order, good names
/// and bad ones.
///
/// Reads a text of names with blanks or commas between them, a list of names, and a list of
/// mappings with `name` and perhaps `default`.
pub fn parameters(fields: &Mapping) -> Vec<Parameter<'_>> {
    match fields.get("arguments").map(|field| &field.value) {
        Some(Value::Text(names)) => {
            let names = names.split([' ', '\t', '\n', ',']).filter(|name| !name.is_empty());
            names.map(Parameter::new).collect()
        }
        Some(Value::List(items)) => items.iter().filter_map(parameter).collect(),
        _ => Vec::new(),
    }
}

fn parameter(item: &Value) -> Option<Parameter<'_>> {
    match item {
        Value::Text(name) => Some(Parameter::new(name)),
        Value::Map(map) => {
            let text = |key| map.get(key).and_then(|Field { value, .. }| value.as_text());
            Some(Parameter { name: text("name")?, default: text("default") })
        }
        Value::List(_) => None,
    }
}

/// The parameters with good names, each with its value where it has one.
pub(super) struct Declared<'a>(HashMap<&'a str, Option<&'a str>>);

impl<'a> Declared<'a> {
    pub(super) fn new(arguments: &Arguments<'a>, report: &mut Report<'_>) -> Self {
        let mut declared = HashMap::new();
        for Parameter { name, default } in arguments.parameters {
            if !is_parameter_name(name) {
                report.invalid(name);
            } else if declared.contains_key(name) {
                report.duplicate(name);
            } else {
                declared.insert(*name, *default);
            }
        }
        let mut given = HashMap::new();
        for (name, value) in arguments.values {
            given.entry(*name).or_insert(*value);
            if !declared.contains_key(name) {
                report.undeclared(name);
            }
        }
        for (name, value) in &mut declared {
            *value = given.get(name).copied().or(*value);
        }
        Self(declared)
    }

    /// The value of a parameter; `Some(None)` where it has none.
    pub(super) fn get(&self, name: &str) -> Option<Option<&'a str>> {
        self.0.get(name).copied()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
