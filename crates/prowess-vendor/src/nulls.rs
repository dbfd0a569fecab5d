//! The nulls of strict calls.

use serde_json::Value;

/// The maximum number of references that lead to one schema.
const MOST_HOPS: usize = 8;

/// Removes each optional field that is `null` although its schema does not allow that: a strict
/// schema made the model write it.
pub(crate) fn without_nulls(value: &mut Value, schema: &Value) {
    remove_nulls(value, schema, schema);
}

fn remove_nulls(value: &mut Value, schema: &Value, root: &Value) {
    let schema = resolved(schema, root);
    let options = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array());
    for option in options.into_iter().flatten() {
        remove_nulls_of_level(value, resolved(option, root), root);
    }
    remove_nulls_of_level(value, schema, root);
}

fn remove_nulls_of_level(value: &mut Value, schema: &Value, root: &Value) {
    match value {
        Value::Object(fields) => {
            let properties = &schema["properties"];
            let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
            fields.retain(|name, value| {
                let is_optional = required.iter().all(|required| required != name);
                let property = properties.get(name);
                let is_added = is_optional && property.is_some_and(|known| !allows_null(known));
                !(value.is_null() && is_added)
            });
            for (name, value) in fields {
                remove_nulls(value, &properties[name.as_str()], root);
            }
        }
        Value::Array(items) => {
            for item in items {
                remove_nulls(item, &schema["items"], root);
            }
        }
        _ => {}
    }
}

/// Follows references inside the schema.
fn resolved<'s>(mut schema: &'s Value, root: &'s Value) -> &'s Value {
    for _ in 0..MOST_HOPS {
        let target = schema["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
        match target.and_then(|pointer| root.pointer(pointer)) {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}

/// Returns whether a schema allows `null`. One that says nothing about types does.
fn allows_null(schema: &Value) -> bool {
    if let Some(options) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
        return options.iter().any(allows_null);
    }
    match &schema["type"] {
        Value::String(one) => one == "null",
        Value::Array(several) => several.iter().any(|one| one == "null"),
        _ => match schema["enum"].as_array() {
            Some(values) => values.iter().any(Value::is_null),
            None => schema.get("$ref").is_none(),
        },
    }
}
