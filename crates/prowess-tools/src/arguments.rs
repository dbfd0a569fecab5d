//! Checks arguments against a tool's schema.

mod faults;
#[cfg(feature = "json-schema")]
mod full_schema;
mod plain_schema;
#[cfg(all(test, feature = "json-schema"))]
mod schema_tests;
pub(crate) mod validator;

use std::borrow::Cow;
use std::sync::Arc;

use prowess_core::{Catalog, Tool};
use serde_json::{Map, Value};

use crate::error::SchemaError;

use validator::Validator;

/// The maximum number of faults in one result. A model fixes a few at a time.
const MOST_FAULTS: usize = 3;

/// Checks that a schema can be used for a tool's arguments.
///
/// # Errors
///
/// It is not a JSON Schema, or refers to one elsewhere: nothing is fetched. Without the feature
/// `json-schema`, it has a keyword that is not common.
pub fn check_schema(schema: &Value) -> Result<(), SchemaError> {
    // The general validator checks the meta-schema too, so a wrong value of a comment is found.
    #[cfg(feature = "json-schema")]
    return full_schema::compile(schema).map(drop);
    #[cfg(not(feature = "json-schema"))]
    Validator::new(schema).map(drop)
}

/// Removes the tools whose schemas cannot be used, and returns their names, each with the reason:
/// with one of them, no toolbox is built.
pub fn remove_unusable(tools: &mut Vec<Arc<dyn Tool>>) -> Vec<(String, SchemaError)> {
    let nothing = Catalog::empty();
    let mut removed = Vec::new();
    tools.retain(|tool| {
        let error = Validator::new(&tool.accepts(&nothing)).err();
        let is_usable = error.is_none();
        removed.extend(error.map(|error| (tool.name().into_owned(), error)));
        is_usable
    });
    removed
}

/// Normalises arguments: absent arguments become an empty object, and an optional field that is
/// `null`, or empty text where only listed words are allowed, becomes absent. Several vendors make
/// models fill in every field.
pub(crate) fn tidy<'a>(arguments: &'a Value, schema: &Value) -> Cow<'a, Value> {
    let fields = match arguments {
        Value::Null => return Cow::Owned(Value::Object(Map::new())),
        Value::Object(fields) => fields,
        _ => return Cow::Borrowed(arguments),
    };
    let is_meant = |(name, value): &(&String, &Value)| !is_left_empty(name, value, schema);
    if fields.iter().all(|field| is_meant(&field)) {
        return Cow::Borrowed(arguments);
    }
    let meant = fields.iter().filter(is_meant);
    let meant = meant.map(|(name, value)| (name.clone(), value.clone()));
    Cow::Owned(Value::Object(meant.collect()))
}

fn is_left_empty(name: &str, value: &Value, schema: &Value) -> bool {
    // Nearly every value is there, which needs no look at the schema.
    if !value.is_null() && value != "" {
        return false;
    }
    let Some(property) = schema["properties"].get(name) else { return false };
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    if required.iter().any(|field| field == name) {
        return false;
    }
    if value.is_null() {
        return property["type"].is_string() && property["type"] != "null";
    }
    property["enum"].as_array().is_some_and(|words| !words.contains(value))
}

/// Checks arguments. The error has a sentence for each fault, about the schema that a model has.
pub(crate) fn check(
    validator: &Validator,
    arguments: &Value,
    shown: impl FnOnce() -> Value,
) -> Result<(), String> {
    let faults = validator.faults(arguments, MOST_FAULTS);
    if faults.is_empty() {
        return Ok(());
    }
    let schema = shown();
    let sentences: Vec<_> = faults.iter().map(|fault| fault.sentence(&schema)).collect();
    Err(sentences.join("; "))
}
