//! The general JSON Schema validator, for tools whose schemas need it.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use crate::error::SchemaError;

use super::faults::{Fault, text_or_type, type_of};

/// Compiles a schema.
///
/// # Errors
///
/// It is not a JSON Schema, or refers to one elsewhere: nothing is fetched.
pub(crate) fn compile(schema: &Value) -> Result<Validator, SchemaError> {
    jsonschema::validator_for(schema).map_err(|error| SchemaError::Invalid(error.to_string()))
}

/// Returns the faults of a value, at most `most` of them.
pub(crate) fn faults(validator: &Validator, value: &Value, most: usize) -> Vec<Fault> {
    validator.iter_errors(value).take(most).map(|error| fault(&error)).collect()
}

fn fault(error: &ValidationError<'_>) -> Fault {
    let field = field_name(error.instance_path());
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            Fault::Missing { property: property.as_str().unwrap_or_default().to_owned() }
        }
        ValidationErrorKind::Type { kind } => {
            Fault::Type { field, expected: types(kind), found: type_of(error.instance()) }
        }
        ValidationErrorKind::Enum { options } => {
            let options = options.as_array().into_iter().flatten().filter_map(Value::as_str);
            let options = options.map(str::to_owned).collect();
            Fault::Value { field, options, found: text_or_type(error.instance()) }
        }
        ValidationErrorKind::Minimum { limit } => Fault::Below { field, limit: whole(limit) },
        ValidationErrorKind::Maximum { limit } => Fault::Above { field, limit: whole(limit) },
        ValidationErrorKind::MinLength { limit } => Fault::TooShort { field, limit: *limit },
        ValidationErrorKind::MaxLength { limit } => Fault::TooLong { field, limit: *limit },
        ValidationErrorKind::MinItems { limit } => Fault::TooFew { field, limit: *limit },
        ValidationErrorKind::MaxItems { limit } => Fault::TooMany { field, limit: *limit },
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            Fault::Unknown { names: unexpected.clone() }
        }
        _ => Fault::Other { field, message: error.masked_with("the value").to_string() },
    }
}

/// `names[0]` for `/names/0`.
fn field_name(path: &Location) -> String {
    let mut name = String::new();
    for segment in path.segments() {
        match segment {
            LocationSegment::Index(index) => name.push_str(&format!("[{index}]")),
            LocationSegment::Property(field) if name.is_empty() => name.push_str(&field),
            LocationSegment::Property(field) => name.push_str(&format!(".{field}")),
        }
    }
    name
}

/// Returns a limit as the plain validator shows it: `1` for `1.0`.
fn whole(limit: &Value) -> String {
    limit.as_f64().map_or_else(|| limit.to_string(), |limit| limit.to_string())
}

fn types(kind: &TypeKind) -> Vec<String> {
    match kind {
        TypeKind::Single(one) => vec![one.as_str().to_owned()],
        TypeKind::Multiple(several) => several.iter().map(|one| one.as_str().to_owned()).collect(),
    }
}
