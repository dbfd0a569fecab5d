//! Do the arguments fit the schema, and if not, what should the model write instead?

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value};

use crate::text::{enumerated, quoted};

/// How many faults one answer names. A model mends a few at a time.
const MOST_FAULTS: usize = 3;

/// How many values one answer lists.
const MOST_VALUES: usize = 20;

/// The compiled form of the schema that a tool had last. Most tools have one schema for ever, so it is
/// compiled once.
#[derive(Default)]
pub(crate) struct ValidatorCell(Mutex<Option<(Value, Arc<Validator>)>>);

impl ValidatorCell {
    /// The compiled form of `schema`.
    ///
    /// # Errors
    ///
    /// It is not a JSON Schema, or refers to one elsewhere: nothing is fetched.
    pub(crate) fn get(&self, schema: &Value) -> Result<Arc<Validator>, String> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, validator)) = &*kept
            && known == schema
        {
            return Ok(validator.clone());
        }
        let compiled = jsonschema::validator_for(schema).map_err(|error| error.to_string())?;
        let validator = Arc::new(compiled);
        *kept = Some((schema.clone(), validator.clone()));
        Ok(validator)
    }
}

/// Whether a schema can be used for a tool's arguments.
///
/// # Errors
///
/// It is not a JSON Schema, or refers to one elsewhere: nothing is fetched.
pub fn check_schema(schema: &Value) -> Result<(), String> {
    jsonschema::validator_for(schema).map(drop).map_err(|error| error.to_string())
}

/// What the model meant: absent arguments are an empty object, and an optional field that is `null`, or
/// the empty text where only certain words fit, is absent. Several vendors make models fill in every
/// field.
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
    let Some(property) = schema["properties"].get(name) else { return false };
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    if required.iter().any(|field| field == name) {
        return false;
    }
    match value {
        Value::Null => property["type"].is_string() && property["type"] != "null",
        Value::String(text) if text.is_empty() => {
            property["enum"].as_array().is_some_and(|words| !words.contains(value))
        }
        _ => false,
    }
}

/// Checks arguments; what is wrong with them is told as one sentence per fault.
pub(crate) fn check(
    validator: &Validator,
    schema: &Value,
    arguments: &Value,
) -> Result<(), String> {
    let faults = validator.iter_errors(arguments).take(MOST_FAULTS);
    let faults: Vec<_> = faults.map(|error| describe(&error, schema)).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
}

fn describe(error: &ValidationError<'_>, schema: &Value) -> String {
    let field = field_name(error.instance_path());
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let missing = property.as_str().unwrap_or_default();
            let meaning = schema["properties"][missing]["description"].as_str();
            let meaning = meaning.map_or_else(String::new, |text| format!(" ({text})"));
            format!("{} is missing{meaning}", quoted(missing))
        }
        ValidationErrorKind::Type { kind } => {
            format!("{field} must be {}, not {}", types(kind), kind_of(error.instance()))
        }
        ValidationErrorKind::Enum { options } => {
            format!("{field} must be {}, not {}", values(options), shown(error.instance()))
        }
        ValidationErrorKind::MinItems { limit } => {
            format!("{field} must have at least {limit} {}", plural(*limit, "item"))
        }
        ValidationErrorKind::MaxItems { limit } => {
            format!("{field} must have at most {limit} {}", plural(*limit, "item"))
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let known = schema["properties"].as_object();
            let known = known.into_iter().flat_map(|fields| fields.keys().map(String::as_str));
            let unknown = enumerated(unexpected.iter().take(MOST_VALUES).map(String::as_str), "or");
            format!("there is no argument {unknown}, only {}", enumerated(known, "and"))
        }
        _ => format!("{field} does not fit: {}", error.masked_with("the value")),
    }
}

/// `names[0]` for `/names/0`.
fn field_name(path: &Location) -> String {
    let mut name = String::new();
    for segment in path.segments() {
        match segment {
            LocationSegment::Index(at) => name.push_str(&format!("[{at}]")),
            LocationSegment::Property(field) if name.is_empty() => name.push_str(&field),
            LocationSegment::Property(field) => name.push_str(&format!(".{field}")),
        }
    }
    if name.is_empty() { "the argument".to_owned() } else { quoted(&name) }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => with_article(one.as_str()),
        TypeKind::Multiple(several) => {
            let several: Vec<_> = several.iter().map(|one| with_article(one.as_str())).collect();
            several.join(" or ")
        }
    }
}

fn kind_of(value: &Value) -> String {
    with_article(match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    })
}

fn with_article(kind: &str) -> String {
    match kind {
        "null" => "null".to_owned(),
        "array" | "object" | "integer" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

fn values(options: &Value) -> String {
    let texts = options.as_array().into_iter().flatten().filter_map(Value::as_str);
    let listed = enumerated(texts.clone().take(MOST_VALUES), "or");
    match texts.count().saturating_sub(MOST_VALUES) {
        0 => listed,
        more => format!("{listed} or one of {more} more"),
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| kind_of(value), quoted)
}

fn plural(count: u64, noun: &str) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}
