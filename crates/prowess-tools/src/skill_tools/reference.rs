//! The texts by which a model refers to a skill.

use std::borrow::Cow;

use prowess_core::{Catalog, parse_virtual_uri};
use prowess_text::is_shown_exactly;
use serde_json::{Value, json};

/// Returns the skills in the field `names` of a call's arguments.
pub(super) fn names(arguments: &Value) -> Vec<&str> {
    arguments["names"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns the id or location that a reference stands for: a virtual URI, as the model may have
/// seen it in the catalog, stands for its id.
pub(super) fn resolved(reference: &str) -> Cow<'_, str> {
    match parse_virtual_uri(reference) {
        Some((id, _)) => Cow::Owned(id),
        None => Cow::Borrowed(reference),
    }
}

/// Returns the schema of a skill's name for a model, which lists the ids while they are few.
pub(super) fn id_schema(catalog: &Catalog, most: usize) -> Value {
    if !(1..=most).contains(&catalog.len()) {
        return json!({ "type": "string" });
    }
    // An id that cannot be shown unchanged cannot be copied.
    let ids = catalog.skills().map(|record| record.id());
    let ids: Vec<_> = ids.filter(|id| is_shown_exactly(id)).collect();
    json!({ "type": "string", "enum": ids })
}
