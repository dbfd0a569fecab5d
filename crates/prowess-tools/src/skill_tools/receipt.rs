//! The receipt of a load or an unload, as a model reads it.

use prowess_core::{DeliveryPolicy, Receipt, ReceiptEntry, ToolResult};
use prowess_text::{clipped, model_value};
use serde_json::{Map, Value, json};

/// The maximum size of one frontmatter field in a receipt, in bytes of JSON.
const MAX_FIELD_BYTES: usize = 2 * 1024;

/// The maximum size of all frontmatter fields of one skill in a receipt, in bytes of JSON.
const MAX_FIELDS_BYTES: usize = 8 * 1024;

/// The maximum number of left out fields that are named.
const MAX_NAMED: usize = 20;

/// The maximum length of such a field's name.
const MAX_NAME_CHARS: usize = 120;

/// Returns the result that confirms the active skills. Locations are shown as the policy requires,
/// and fields that are too large are left out and named in `properties_left_out`.
pub(super) fn result(receipt: &Receipt, delivery: DeliveryPolicy) -> ToolResult {
    let entries = receipt.active_skills.iter();
    let mut value =
        json!({ "active_skills": entries.map(|skill| entry(skill, delivery)).collect::<Vec<_>>() });
    model_value(&mut value);
    ToolResult::data(value)
}

fn entry(skill: &ReceiptEntry, delivery: DeliveryPolicy) -> Value {
    let show = delivery.show_location;
    let mut entry = Map::new();
    let mut add = |key: &str, value: Value| entry.insert(key.to_owned(), value);
    add("id", json!(skill.id));
    add("name", json!(skill.name));
    let file = skill.location.rsplit_once('/').map_or("", |(_, file)| file);
    if let Some(location) = show.file(&skill.id, file, || (&*skill.location).into()) {
        add("location", json!(location));
    }
    if let Some(directory) = show.directory(&skill.id, &skill.root_dir) {
        add("root_dir", json!(directory));
    }
    add("layer", json!(skill.layer));
    if let Some(version) = &skill.version {
        add("version", json!(clipped(version, MAX_NAME_CHARS)));
    }
    add("digest", json!(skill.digest));
    let Properties { shown, left_out } = properties(&skill.properties);
    add("properties", shown);
    if !left_out.is_empty() {
        add("properties_left_out", json!(left_out));
    }
    Value::Object(entry)
}

/// The shown part of the frontmatter.
struct Properties {
    shown: Value,
    /// The names and sizes of fields that are too large.
    left_out: Vec<String>,
}

fn properties(written: &Value) -> Properties {
    let Some(fields) = written.as_object() else {
        return Properties { shown: written.clone(), left_out: Vec::new() };
    };
    let mut shown = Map::new();
    let mut left_out = Vec::new();
    let mut total = 0;
    for (name, value) in fields {
        let size = name.len() + size_up_to(value, MAX_FIELD_BYTES);
        if size <= MAX_FIELD_BYTES && total + size <= MAX_FIELDS_BYTES {
            total += size;
            shown.insert(name.clone(), value.clone());
        } else {
            left_out.push(name);
        }
    }
    let named = left_out.iter().take(MAX_NAMED);
    let mut named: Vec<_> = named
        .map(|name| {
            let bytes = fields[*name].to_string().len();
            format!("{} ({bytes} bytes)", clipped(name, MAX_NAME_CHARS))
        })
        .collect();
    if left_out.len() > MAX_NAMED {
        named.push(format!("{} more", left_out.len() - MAX_NAMED));
    }
    Properties { shown: Value::Object(shown), left_out: named }
}

/// Returns about how many bytes a value has as JSON; it stops counting above `limit`.
fn size_up_to(value: &Value, limit: usize) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(items) => sum_up_to(items.iter().map(|item| (0, item)), limit),
        Value::Object(fields) => {
            sum_up_to(fields.iter().map(|(name, value)| (name.len() + 3, value)), limit)
        }
        Value::Null | Value::Bool(_) => 5,
        Value::Number(_) => 24,
    }
}

fn sum_up_to<'v>(parts: impl Iterator<Item = (usize, &'v Value)>, limit: usize) -> usize {
    let mut sum = 2;
    for (name, value) in parts {
        sum += name + 1 + size_up_to(value, limit);
        if sum > limit {
            break;
        }
    }
    sum
}
