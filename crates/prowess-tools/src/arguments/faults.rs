//! The reasons why arguments do not fit a schema, as sentences for a model.

use prowess_text::{counted, enumerated, quoted};
use serde_json::Value;

/// The maximum number of values in one sentence.
const MOST_VALUES: usize = 20;

/// One reason why arguments do not fit. A field is written as `names[0]`.
pub(crate) enum Fault {
    /// A required property is absent.
    Missing { property: String },
    /// A value has another type than these.
    Type { field: String, expected: Vec<String>, found: &'static str },
    /// A value is none of the listed ones. `found` is its text, or its type.
    Value { field: String, options: Vec<String>, found: String },
    /// A number is below the limit.
    Below { field: String, limit: String },
    /// A number is above the limit.
    Above { field: String, limit: String },
    /// A text is shorter than the limit, in characters.
    TooShort { field: String, limit: u64 },
    /// A text is longer than the limit, in characters.
    TooLong { field: String, limit: u64 },
    /// An array is shorter than the limit.
    TooFew { field: String, limit: u64 },
    /// An array is longer than the limit.
    TooMany { field: String, limit: u64 },
    /// An object has properties that the schema does not know.
    Unknown { names: Vec<String> },
    /// Anything else.
    #[cfg(feature = "json-schema")]
    Other { field: String, message: String },
}

impl Fault {
    /// Returns the sentence. `schema` describes missing properties and lists the known ones.
    pub(crate) fn sentence(&self, schema: &Value) -> String {
        match self {
            Self::Missing { property } => {
                let meaning = schema["properties"][property]["description"].as_str();
                let meaning = meaning.map_or_else(String::new, |text| format!(" ({text})"));
                format!("{} is missing{meaning}", quoted(property))
            }
            Self::Type { field, expected, found } => {
                let expected: Vec<_> = expected.iter().map(|kind| with_article(kind)).collect();
                let expected = expected.join(" or ");
                format!("{} must be {expected}, not {}", shown(field), with_article(found))
            }
            Self::Value { field, options, found } => {
                format!("{} must be {}, not {found}", shown(field), one_of(options))
            }
            Self::Below { field, limit } => format!("{} must be at least {limit}", shown(field)),
            Self::Above { field, limit } => format!("{} must be at most {limit}", shown(field)),
            Self::TooShort { field, limit } => {
                format!("{} must have at least {}", shown(field), counted(*limit, "character"))
            }
            Self::TooLong { field, limit } => {
                format!("{} must have at most {}", shown(field), counted(*limit, "character"))
            }
            Self::TooFew { field, limit } => {
                format!("{} must have at least {}", shown(field), counted(*limit, "item"))
            }
            Self::TooMany { field, limit } => {
                format!("{} must have at most {}", shown(field), counted(*limit, "item"))
            }
            Self::Unknown { names } => unknown(names, schema),
            #[cfg(feature = "json-schema")]
            Self::Other { field, message } => format!("{} does not fit: {message}", shown(field)),
        }
    }
}

pub(crate) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns a text in quotes, or the type of any other value.
pub(crate) fn text_or_type(value: &Value) -> String {
    value.as_str().map_or_else(|| with_article(type_of(value)), quoted)
}

fn unknown(names: &[String], schema: &Value) -> String {
    let known = schema["properties"].as_object();
    let known = known.into_iter().flat_map(|fields| fields.keys().map(String::as_str));
    let unknown = enumerated(names.iter().take(MOST_VALUES).map(String::as_str), "or");
    format!("there is no argument {unknown}, only {}", enumerated(known, "and"))
}

fn shown(field: &str) -> String {
    if field.is_empty() { "the argument".to_owned() } else { quoted(field) }
}

fn with_article(kind: &str) -> String {
    match kind {
        "null" => "null".to_owned(),
        "array" | "object" | "integer" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

fn one_of(options: &[String]) -> String {
    let listed = enumerated(options.iter().take(MOST_VALUES).map(String::as_str), "or");
    match options.len().saturating_sub(MOST_VALUES) {
        0 => listed,
        more => format!("{listed} or one of {more} more"),
    }
}
