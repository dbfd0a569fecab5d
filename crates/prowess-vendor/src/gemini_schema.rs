//! Schemas in the subset that Gemini's function declarations know.

use serde_json::{Map, Value, json};

/// The maximum depth of a schema. A deeper part, such as one of a type that contains itself, allows
/// any object.
const MOST_LEVELS: usize = 12;

/// The maximum number of schemas in one definition. References are replaced by what they mean, so
/// that a small schema may become a large one.
const MOST_SCHEMAS: usize = 2_000;

/// The keywords that stay as they are.
const KEPT: [&str; 8] = [
    "description", "minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength",
    "pattern",
];

/// The formats that Gemini knows.
const FORMATS: [&str; 6] = ["enum", "date-time", "int32", "int64", "float", "double"];

/// Returns the parameters of a function; `None` if it has none.
pub(crate) fn parameters(schema: &Value) -> Option<Value> {
    let properties = schema["properties"].as_object()?;
    if properties.is_empty() {
        return None;
    }
    Some(converted(schema, &mut Conversion { root: schema, schemas: MOST_SCHEMAS }, MOST_LEVELS))
}

/// The state of the conversion of one definition.
struct Conversion<'s> {
    root: &'s Value,
    /// The number of schemas that may follow.
    schemas: usize,
}

fn converted(schema: &Value, state: &mut Conversion<'_>, levels: usize) -> Value {
    let any_object = || json!({ "type": "OBJECT" });
    let Some(levels) = levels.checked_sub(1) else { return any_object() };
    let Some(schemas) = state.schemas.checked_sub(1) else { return any_object() };
    state.schemas = schemas;
    if let Some(target) = schema["$ref"].as_str() {
        let target = target.strip_prefix('#').and_then(|pointer| state.root.pointer(pointer));
        let mut inlined = target.map_or_else(any_object, |target| converted(target, state, levels));
        if let Some(description) = schema.get("description") {
            inlined["description"] = description.clone();
        }
        return inlined;
    }
    let mut shown = Map::new();
    push_type(&mut shown, schema, state, levels);
    for keyword in KEPT {
        if let Some(value) = schema.get(keyword) {
            shown.insert(keyword.to_owned(), value.clone());
        }
    }
    if let Some(format) = schema["format"].as_str().filter(|format| FORMATS.contains(format)) {
        shown.insert("format".to_owned(), format.into());
    }
    push_properties(&mut shown, schema, state, levels);
    if shown.get("type").is_some_and(|kind| kind == "ARRAY") {
        let items = schema.get("items").filter(|items| items.is_object());
        // An array has to say what its items are.
        let items = items
            .map_or_else(|| json!({ "type": "STRING" }), |items| converted(items, state, levels));
        shown.insert("items".to_owned(), items);
    }
    shown.into()
}

/// Adds the type, whether it may be null, and the listed values.
fn push_type(
    shown: &mut Map<String, Value>,
    schema: &Value,
    state: &mut Conversion<'_>,
    levels: usize,
) {
    let values = match (schema["enum"].as_array(), schema.get("const")) {
        (Some(values), _) => values.clone(),
        (None, Some(value)) => vec![value.clone()],
        (None, None) => Vec::new(),
    };
    let texts: Vec<_> = values.iter().filter_map(Value::as_str).collect();
    let types: Vec<_> = match &schema["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ if !texts.is_empty() => vec!["string"],
        _ => Vec::new(),
    };
    let concrete: Vec<_> = types.iter().filter(|kind| **kind != "null").collect();
    let mut is_nullable = types.contains(&"null") || values.contains(&Value::Null);
    let options = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array());
    match (concrete.as_slice(), options) {
        ([one], _) => {
            shown.insert("type".to_owned(), one.to_uppercase().into());
        }
        ([], Some(options)) => {
            let is_null = |option: &&Value| option["type"] == "null";
            is_nullable |= options.iter().any(|option| is_null(&option));
            let others = options.iter().filter(|option| !is_null(option));
            let mut others: Vec<_> =
                others.map(|option| converted(option, state, levels)).collect();
            match others.pop() {
                Some(Value::Object(only)) if others.is_empty() => shown.extend(only),
                Some(last) => {
                    others.push(last);
                    shown.insert("anyOf".to_owned(), others.into());
                }
                None => {}
            }
        }
        ([], None) => {
            let kind = if schema.get("properties").is_some() { "OBJECT" } else { "STRING" };
            shown.insert("type".to_owned(), kind.into());
        }
        (several, _) => {
            let several = several.iter().map(|kind| json!({ "type": kind.to_uppercase() }));
            shown.insert("anyOf".to_owned(), several.collect());
        }
    }
    if is_nullable {
        shown.insert("nullable".to_owned(), true.into());
    }
    if !texts.is_empty() && shown.get("type").is_some_and(|kind| kind == "STRING") {
        shown.insert("enum".to_owned(), texts.into());
    }
}

fn push_properties(
    shown: &mut Map<String, Value>,
    schema: &Value,
    state: &mut Conversion<'_>,
    levels: usize,
) {
    let Some(properties) = schema["properties"].as_object().filter(|some| !some.is_empty()) else {
        return;
    };
    let converted_properties: Map<_, _> = properties
        .iter()
        .map(|(name, property)| (name.clone(), converted(property, state, levels)))
        .collect();
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    let required: Vec<_> = required
        .iter()
        .filter(|name| name.as_str().is_some_and(|name| properties.contains_key(name)))
        .cloned()
        .collect();
    shown.insert("properties".to_owned(), converted_properties.into());
    if !required.is_empty() {
        shown.insert("required".to_owned(), required.into());
    }
}
