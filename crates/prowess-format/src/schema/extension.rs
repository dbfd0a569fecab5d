//! The schema of the fields that extensions declare.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::extensions::Declared;
use crate::{Extensions, FieldKind};

/// Letters, digits and `_`, no digit first.
const IDENTIFIER: &str = "^[A-Za-z_][A-Za-z0-9_]*$";

/// A whole number as a text.
const INTEGER: &str = "^[+-]?[0-9]+$";

/// Parts with `/` between them, none of which is empty or leads upwards.
const PACKAGE_PATH: &str =
    r"^(\./)?(?!\.{1,2}(/|$))[^/\\:\u0000]+(/(?!\.{1,2}(/|$))[^/\\:\u0000]+)*$";

/// Every declared field by its path, with all of its declarations.
pub(super) fn fields(extensions: &Extensions) -> BTreeMap<&str, Vec<Declared<'_>>> {
    let mut fields: BTreeMap<&str, Vec<Declared<'_>>> = BTreeMap::new();
    for extension in extensions.iter() {
        for field in &extension.fields {
            let declared = Declared { extension: &extension.name, field };
            fields.entry(&field.path).or_default().push(declared);
        }
    }
    fields
}

/// Returns the schema of a field: any extension that declares it may accept the value.
pub(super) fn schema(declared: &[Declared<'_>], is_checked: bool) -> Value {
    let mut kinds: Vec<&FieldKind> = Vec::new();
    for declared in declared {
        if !kinds.contains(&&declared.field.kind) {
            kinds.push(&declared.field.kind);
        }
    }
    let mut schema = match kinds.as_slice() {
        _ if !is_checked => json!({}),
        [kind] => optional(kind),
        kinds => or_null(json!({ "anyOf": kinds.iter().map(|kind| of(kind)).collect::<Vec<_>>() })),
    };
    schema["description"] = json!(description(declared));
    schema
}

/// Adds a field. One that has a description of its own keeps it.
pub(super) fn merge(fields: &mut Map<String, Value>, key: &str, schema: Value) {
    let (Some(known), Value::Object(schema)) = (fields.get_mut(key), &schema) else {
        fields.insert(key.to_owned(), schema);
        return;
    };
    for (word, value) in schema.iter().filter(|(word, _)| *word != "description") {
        known[word] = value.clone();
    }
}

fn description(declared: &[Declared<'_>]) -> String {
    let sentences: Vec<String> = declared.iter().map(sentence).collect();
    format!("Not a field of the specification. {}", sentences.join(" "))
}

fn sentence(Declared { extension, field }: &Declared<'_>) -> String {
    let kind = field.kind.describe();
    match &field.only_with {
        None => format!("In `{extension}`, {kind}."),
        Some((other, value)) => {
            format!("In `{extension}`, {kind}, with an effect only next to `{other}: {value}`.")
        }
    }
}

fn optional(kind: &FieldKind) -> Value {
    or_null(of(kind))
}

/// The kind as an item of a list, where nothing at all is a blank text.
fn of(kind: &FieldKind) -> Value {
    match kind {
        FieldKind::Any => json!({}),
        FieldKind::Text => json!({ "type": ["string", "null"] }),
        FieldKind::Filled => json!({ "type": "string", "pattern": "\\S" }),
        // `true` and `null` are such words too.
        FieldKind::Identifier => {
            json!({ "type": ["string", "boolean", "null"], "pattern": IDENTIFIER })
        }
        FieldKind::Bool => json!({ "enum": [true, false, "true", "false"] }),
        FieldKind::Integer(range) => json!({
            "type": ["integer", "string"],
            "minimum": range.start(),
            "maximum": range.end(),
            "pattern": INTEGER,
        }),
        FieldKind::Word(words) => {
            json!({ "enum": words.iter().flat_map(word).collect::<Vec<_>>() })
        }
        FieldKind::PackagePath => {
            json!({ "type": ["string", "number", "boolean", "null"], "pattern": PACKAGE_PATH })
        }
        FieldKind::List(item) | FieldKind::Unique(_, item) => {
            json!({ "type": "array", "items": of(item) })
        }
        FieldKind::Listing(item) => json!({
            "type": ["array", "string", "number", "boolean"],
            "items": of(item),
            "pattern": "\\S",
        }),
        FieldKind::Record(fields) => record(fields, false),
        FieldKind::OpenRecord(fields) => record(fields, true),
        FieldKind::Either(kinds) => {
            or_null(json!({ "anyOf": kinds.iter().map(of).collect::<Vec<_>>() }))
        }
    }
}

/// A word, and what a reader that knows more types than texts makes of it.
fn word(word: &String) -> impl Iterator<Item = Value> {
    let scalar = serde_json::from_str(word).ok();
    let scalar = scalar.filter(|value: &Value| value.is_boolean() || value.is_number());
    [json!(word)].into_iter().chain(scalar)
}

fn record(fields: &[(String, FieldKind)], is_open: bool) -> Value {
    let properties = fields.iter().map(|(key, kind)| (key.clone(), optional(kind)));
    let mut schema = json!({ "type": "object", "properties": properties.collect::<Map<_, _>>() });
    if !is_open {
        schema["additionalProperties"] = json!(false);
    }
    schema
}

/// The same, or nothing at all.
fn or_null(mut schema: Value) -> Value {
    if let Some(Value::Array(kinds)) = schema.get_mut("anyOf") {
        kinds.push(json!({ "type": "null" }));
    } else if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    } else if let Some(types) = schema.get_mut("type") {
        match types {
            Value::Array(types) if types.contains(&json!("null")) => {}
            Value::Array(types) => types.push(json!("null")),
            one => *one = json!([one.take(), "null"]),
        }
    }
    schema
}
