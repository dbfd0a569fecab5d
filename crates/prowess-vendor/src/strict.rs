//! Schemas for OpenAI's strict mode.

use serde_json::{Map, Value, json};

/// The limits of a strict schema, by the documentation of structured outputs.
const MOST_LEVELS: usize = 10;
const MOST_PROPERTIES: usize = 5_000;
const MOST_ENUM_VALUES: usize = 1_000;
const MOST_NAME_BYTES: usize = 120_000;
/// An enum with more values than this may have less text.
const LARGE_ENUM_VALUES: usize = 250;
const MOST_LARGE_ENUM_BYTES: usize = 15_000;

/// The keywords that stay as they are.
const KEPT: [&str; 13] = [
    "type", "description", "title", "const", "pattern", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "$ref",
];

/// The keywords that only say what a value is like. Without them a schema allows more, and the
/// toolbox checks the arguments again.
const DROPPED: [&str; 11] = [
    "default", "examples", "$schema", "$id", "$comment", "minLength", "maxLength", "uniqueItems",
    "deprecated", "readOnly", "writeOnly",
];

/// The formats of texts that strict mode knows.
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// Returns a schema in the subset of OpenAI's strict mode: each object is closed, and each property
/// is required, with `null` as the value of one that was optional.
///
/// Returns `None` if the subset cannot express the schema, such as an object with any properties,
/// or if it is larger than the limits.
pub fn strict_schema(schema: &Value) -> Option<Value> {
    if schema["type"] != "object" {
        return None;
    }
    let mut size = Size::default();
    let strict = converted(schema, 0, &mut size)?;
    size.fits().then_some(strict)
}

/// The size of a schema, as the limits count it.
#[derive(Default)]
struct Size {
    properties: usize,
    enum_values: usize,
    name_bytes: usize,
    has_large_enum: bool,
}

impl Size {
    fn fits(&self) -> bool {
        self.properties <= MOST_PROPERTIES
            && self.enum_values <= MOST_ENUM_VALUES
            && self.name_bytes <= MOST_NAME_BYTES
            && !self.has_large_enum
    }

    fn add_enum(&mut self, values: &[Value]) {
        let bytes: usize = values.iter().map(|value| value.as_str().map_or(0, str::len)).sum();
        self.enum_values += values.len();
        self.name_bytes += bytes;
        self.has_large_enum |= values.len() > LARGE_ENUM_VALUES && bytes > MOST_LARGE_ENUM_BYTES;
    }
}

/// Converts one level. `depth` counts the objects around it.
fn converted(schema: &Value, depth: usize, size: &mut Size) -> Option<Value> {
    let fields = schema.as_object()?;
    let is_object = has_type(schema, "object");
    let depth = depth + usize::from(is_object);
    if depth > MOST_LEVELS || !is_specific(schema) {
        return None;
    }
    let mut strict = Map::new();
    for (keyword, value) in fields {
        match keyword.as_str() {
            "properties" | "required" | "additionalProperties" if is_object => {}
            "enum" => {
                size.add_enum(value.as_array()?);
                strict.insert(keyword.clone(), value.clone());
            }
            "items" => {
                strict.insert(keyword.clone(), converted(value, depth, size)?);
            }
            "anyOf" | "oneOf" => {
                let options = value.as_array()?.iter();
                let options: Option<Vec<_>> =
                    options.map(|option| converted(option, depth, size)).collect();
                strict.insert("anyOf".to_owned(), options?.into());
            }
            "$defs" => {
                strict.insert(keyword.clone(), definitions(value, size)?);
            }
            "format" if value.as_str().is_some_and(|name| FORMATS.contains(&name)) => {
                strict.insert(keyword.clone(), value.clone());
            }
            "format" => {}
            "$ref" if !value.as_str()?.starts_with('#') => return None,
            kept if KEPT.contains(&kept) => {
                strict.insert(keyword.clone(), value.clone());
            }
            dropped if DROPPED.contains(&dropped) => {}
            _ => return None,
        }
    }
    if is_object {
        add_properties(&mut strict, schema, depth, size)?;
    }
    Some(strict.into())
}

/// Returns whether a schema says what its values are: strict mode has no schema for any value.
fn is_specific(schema: &Value) -> bool {
    let is_array = has_type(schema, "array");
    let has = |keyword| schema.get(keyword).is_some();
    let is_typed = ["type", "enum", "const", "anyOf", "oneOf", "$ref"].into_iter().any(has);
    is_typed && (!is_array || has("items"))
}

fn has_type(schema: &Value, name: &str) -> bool {
    match &schema["type"] {
        Value::String(one) => one == name,
        Value::Array(several) => several.iter().any(|one| one == name),
        _ => false,
    }
}

fn definitions(value: &Value, size: &mut Size) -> Option<Value> {
    let mut strict = Map::new();
    for (name, schema) in value.as_object()? {
        size.name_bytes += name.len();
        strict.insert(name.clone(), converted(schema, 1, size)?);
    }
    Some(strict.into())
}

/// Adds the properties of an object, each of them required. An object with other properties than
/// those that it names cannot be expressed.
fn add_properties(
    strict: &mut Map<String, Value>,
    schema: &Value,
    depth: usize,
    size: &mut Size,
) -> Option<()> {
    let none = Map::new();
    let is_closed = schema["additionalProperties"] == false;
    let properties = match schema.get("properties") {
        Some(properties) => properties.as_object()?,
        None if is_closed || depth == 1 => &none,
        None => return None,
    };
    if schema.get("additionalProperties").is_some_and(|others| *others != false) {
        return None;
    }
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    let mut converted_properties = Map::new();
    for (name, property) in properties {
        size.properties += 1;
        size.name_bytes += name.len();
        let mut property = converted(property, depth, size)?;
        if required.iter().all(|required| required != name) {
            property = nullable(property);
        }
        converted_properties.insert(name.clone(), property);
    }
    let names: Value = converted_properties.keys().map(String::as_str).collect();
    strict.insert("properties".to_owned(), converted_properties.into());
    strict.insert("required".to_owned(), names);
    strict.insert("additionalProperties".to_owned(), false.into());
    Some(())
}

/// Returns a schema that allows `null` too.
fn nullable(schema: Value) -> Value {
    let Value::Object(mut fields) = schema else { return schema };
    let nothing = json!({ "type": "null" });
    if let Some(Value::Array(options)) = fields.get_mut("anyOf") {
        if !options.contains(&nothing) {
            options.push(nothing);
        }
        return fields.into();
    }
    if fields.contains_key("$ref") || fields.contains_key("const") {
        return json!({ "anyOf": [fields, nothing] });
    }
    match fields.get_mut("type") {
        Some(Value::Array(several)) if !several.contains(&json!("null")) => {
            several.push("null".into());
        }
        Some(one) if one.is_string() && *one != "null" => *one = json!([one.take(), "null"]),
        _ => {}
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    fields.into()
}
