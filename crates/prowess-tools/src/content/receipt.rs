//! The receipt of a load or an unload, as a model reads it.

use std::borrow::Cow;

use prowess_core::{BodyPlace, DeliveryPolicy, LedgerEntry, Receipt, ReceiptEntry, ToolResult};
use prowess_text::{clipped, counted, enumerated, model_value};
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
pub(crate) fn result(receipt: Receipt, delivery: DeliveryPolicy) -> ToolResult {
    load_result(receipt, &[], delivery)
}

/// As [`result`], and names the skills whose instructions the model has from an earlier call.
pub(crate) fn load_result(
    receipt: Receipt,
    already_loaded: &[LedgerEntry],
    delivery: DeliveryPolicy,
) -> ToolResult {
    let entries = receipt.active_skills.into_iter();
    let entries: Value = entries.map(|skill| entry(skill, delivery)).collect();
    let mut value = json!({ "active_skills": entries });
    if !already_loaded.is_empty() {
        value["already_loaded"] = already_loaded.iter().map(earlier_delivery).collect();
    }
    model_value(&mut value);
    ToolResult::data(value)
}

/// The maximum length of a short receipt, in characters, without its verb.
const MAX_SHORT_CHARS: usize = 200;

/// Returns one line that names the skills of a call, or their number if the names are too long.
pub(crate) fn short<'s>(verb: &str, ids: impl Iterator<Item = &'s str> + Clone) -> String {
    let count = ids.clone().count();
    let named = enumerated(ids, "and");
    if named.chars().count() <= MAX_SHORT_CHARS {
        format!("{verb} {named}.")
    } else {
        format!("{verb} {}.", counted(count, "skill"))
    }
}

/// Returns where the instructions of a skill are.
fn earlier_delivery(entry: &LedgerEntry) -> Value {
    let place = match entry.body {
        BodyPlace::Instructions => "instructions",
        BodyPlace::ToolResult(_) => "earlier_result",
        BodyPlace::Gone => "none",
    };
    let digest = entry.digest.to_string();
    json!({ "id": entry.id, "generation": entry.generation, "digest": digest, "body": place })
}

/// Returns one skill of a receipt, before its strings are encoded for a model.
pub(crate) fn entry(skill: ReceiptEntry, delivery: DeliveryPolicy) -> Value {
    // The preference is a part of the properties.
    let ReceiptEntry { id, name, location, root_dir, layer, version, digest, properties, .. } =
        skill;
    let show = delivery.show_location;
    let file = location.rsplit_once('/').map_or("", |(_, file)| file);
    let location = show.file(&id, file, || (&*location).into()).map(Cow::into_owned);
    let directory = show.directory(&id, &root_dir).map(Cow::into_owned);
    let version = version.map(|version| clipped(&version, MAX_NAME_CHARS));
    let Properties { shown, left_out } = shown_properties(properties);
    let fields = [
        ("id", Some(id.into())),
        ("name", Some(name.into())),
        ("location", location.map(Value::from)),
        ("root_dir", directory.map(Value::from)),
        ("layer", Some(layer.into())),
        ("version", version.map(Value::from)),
        ("digest", Some(digest.to_string().into())),
        ("properties", Some(shown)),
        ("properties_left_out", (!left_out.is_empty()).then(|| left_out.into())),
    ];
    let mut entry = Map::with_capacity(fields.len());
    entry.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    Value::Object(entry)
}

/// The shown part of the frontmatter.
struct Properties {
    shown: Value,
    /// The names and sizes of fields that are too large.
    left_out: Vec<String>,
}

fn shown_properties(mut properties: Value) -> Properties {
    let mut left_out = Vec::new();
    let mut unnamed = 0_usize;
    let mut total = 0;
    if let Some(fields) = properties.as_object_mut() {
        fields.retain(|name, value| {
            let size = name.len() + size_up_to(value, MAX_FIELD_BYTES);
            let is_shown = size <= MAX_FIELD_BYTES && total + size <= MAX_FIELDS_BYTES;
            match is_shown {
                true => total += size,
                false if left_out.len() < MAX_NAMED => {
                    let bytes = counted(value.to_string().len(), "byte");
                    left_out.push(format!("{} ({bytes})", clipped(name, MAX_NAME_CHARS)));
                }
                false => unnamed += 1,
            }
            is_shown
        });
    }
    if unnamed > 0 {
        left_out.push(format!("{unnamed} more"));
    }
    Properties { shown: properties, left_out }
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

#[cfg(test)]
mod tests {
    use prowess_core::Digest;

    use super::*;

    #[test]
    fn fields_are_shown_up_to_their_limits() {
        let text = |size: usize| Value::from("x".repeat(size - 3));
        let shown = shown_properties(json!({ "a": text(MAX_FIELD_BYTES) }));
        assert!(shown.left_out.is_empty(), "{:?}", shown.left_out);
        let shown = shown_properties(json!({ "a": text(MAX_FIELD_BYTES + 1) }));
        assert_eq!(shown.left_out, [format!("a ({MAX_FIELD_BYTES} bytes)")]);
        let full = ["a", "b", "c", "d"].map(|name| (name.to_owned(), text(MAX_FIELD_BYTES)));
        let mut fields: Map<String, Value> = full.into_iter().collect();
        fields.insert("e".to_owned(), "".into());
        let shown = shown_properties(fields.into());
        assert_eq!(shown.left_out, ["e (2 bytes)"], "four fields have all the room");
        assert_eq!(shown.shown.as_object().map(Map::len), Some(4));
    }

    #[test]
    fn fields_that_are_left_out_are_named_and_then_counted() {
        let fields = (0..MAX_NAMED + 2).map(|number| (number.to_string(), "x".repeat(3000).into()));
        let shown = shown_properties(fields.collect::<Map<_, Value>>().into());
        assert_eq!(shown.left_out.len(), MAX_NAMED + 1);
        assert_eq!(shown.left_out.last().map(String::as_str), Some("2 more"));
    }

    #[test]
    fn sizes_are_counted_up_to_the_limit() {
        for (value, size) in [
            (json!("ab"), 4),
            (json!([]), 2),
            (json!(["ab", 1]), 2 + 5 + 25),
            (json!({ "key": "ab" }), 2 + 6 + 5),
            (json!([["ab"], null]), 2 + 8 + 6),
        ] {
            assert_eq!(size_up_to(&value, 1000), size, "{value}");
        }
        assert_eq!(size_up_to(&json!(["ab", "ab", "ab"]), 7), 12, "the first part fits exactly");
    }

    #[test]
    fn earlier_instructions_have_their_place() {
        for (body, place) in [(BodyPlace::Instructions, "instructions"), (BodyPlace::Gone, "none")]
        {
            let digest = Digest::of(b"pdf");
            let entry = LedgerEntry { id: "pdf".to_owned(), generation: 7, digest, body };
            let value = earlier_delivery(&entry);
            let expected = json!({
                "id": "pdf", "generation": 7, "digest": digest.to_string(), "body": place,
            });
            assert_eq!(value, expected);
        }
    }
}
