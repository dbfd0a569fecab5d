//! The JSON Schema of a configuration.
//!
//! It is read off the types themselves: each key is deserialized from a probe, which records what
//! the type asks for. So it has every key and every word that a file may contain.

mod probe;

use serde_json::{Map, Value, json};

use super::template::DocumentedKey;
use super::{ALIASES, ConfigTier, PRESETS, template};
use crate::Policies;
use probe::{Shape, Step, seen};

/// Returns the schema.
pub(super) fn schema() -> Value {
    let mut schema = of(&mut Vec::new());
    let defaults = serde_json::to_value(Policies::default()).unwrap_or_default();
    add_defaults(&mut schema, &defaults);
    let documented = template::keys();
    for DocumentedKey { key, description, .. } in &documented {
        let pointer = format!("/properties/{}", key.replace('.', "/properties/"));
        if let (Some(Value::Object(found)), Some(text)) =
            (schema.pointer_mut(&pointer), description)
        {
            found.insert("description".to_owned(), (*text).into());
        }
    }
    add_tiers(&mut schema, "", &documented);
    let presets: Vec<_> = PRESETS.iter().chain(&ALIASES).map(|(name, _)| *name).collect();
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "The configuration of prowess".into();
    schema["properties"]["preset"] = json!({
        "enum": presets,
        "default": "standard",
        "description": "the preset that the other keys are laid over",
        "x-tier": ConfigTier::Common.as_str(),
    });
    schema
}

/// Returns the schema of the type at a place.
fn of(path: &mut Vec<Step>) -> Value {
    let seen = seen(path);
    let mut inside = |step| {
        path.push(step);
        let schema = of(path);
        path.pop();
        schema
    };
    let schema = match seen.shape {
        None => json!({}),
        Some(Shape::Boolean) => json!({ "type": "boolean" }),
        Some(Shape::Integer) => {
            json!({ "type": "integer", "minimum": u8::from(seen.is_positive) })
        }
        Some(Shape::Text) => json!({ "type": "string" }),
        Some(Shape::List) => json!({ "type": "array", "items": inside(Step::Item) }),
        Some(Shape::Map) => {
            json!({ "type": "object", "additionalProperties": inside(Step::Entry) })
        }
        Some(Shape::Struct(fields)) => {
            let fields =
                fields.iter().map(|field| ((*field).to_owned(), inside(Step::Field(field))));
            let properties: Map<_, _> = fields.collect();
            json!({ "type": "object", "properties": properties, "additionalProperties": false })
        }
        Some(Shape::Words(words)) => json!({ "enum": words }),
    };
    if seen.is_optional { with_null(schema) } else { schema }
}

fn with_null(mut schema: Value) -> Value {
    if let Some(words) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        words.push(Value::Null);
    } else if let Some(kind) = schema.get_mut("type") {
        *kind = json!([kind.take(), "null"]);
    }
    schema
}

/// Adds the tier of each key without keys below it: those of the entries of a mapping, and of the
/// items of a list, are keys as well.
fn add_tiers(schema: &mut Value, key: &str, documented: &[DocumentedKey]) {
    let inside = ["/properties", "/items/properties", "/additionalProperties/properties"];
    let inside = inside.into_iter().find(|pointer| schema.pointer(pointer).is_some());
    if let Some(Value::Object(keys)) = inside.and_then(|pointer| schema.pointer_mut(pointer)) {
        for (name, schema) in keys {
            let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
            add_tiers(schema, &key, documented);
        }
    } else if let Some(schema) = schema.as_object_mut() {
        let tier = template::tier(documented, key).as_str();
        schema.insert("x-tier".to_owned(), tier.into());
    }
}

/// Adds the default of each value.
fn add_defaults(schema: &mut Value, defaults: &Value) {
    let Some(defaults) = defaults.as_object() else { return };
    for (key, default) in defaults {
        let Some(property) = schema.pointer_mut(&format!("/properties/{key}")) else { continue };
        if property.get("properties").is_some() {
            add_defaults(property, default);
        } else if let Some(property) = property.as_object_mut() {
            property.insert("default".to_owned(), default.clone());
        }
    }
}
