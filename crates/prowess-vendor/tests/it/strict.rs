//! Strict schemas, against the documented limits.

use proptest::prelude::*;
use prowess_core::ToolDefinition;
use prowess_vendor::{WireFormat, strict_schema};
use serde_json::{Value, json};

use crate::fixture::{definitions, tool};

/// The schema of a strict schema, by the documentation of structured outputs.
fn rules() -> Value {
    let schema = json!({ "$ref": "#/$defs/schema" });
    let types = json!({
        "enum": ["string", "number", "boolean", "integer", "object", "array", "null"],
    });
    json!({
        "$ref": "#/$defs/schema",
        "$defs": { "schema": {
            "type": "object",
            "properties": {
                "type": { "anyOf": [types, { "type": "array", "items": types }] },
                "properties": { "type": "object", "additionalProperties": schema },
                "required": { "type": "array", "items": { "type": "string" } },
                "additionalProperties": { "const": false },
                "items": schema,
                "anyOf": { "type": "array", "items": schema, "minItems": 1 },
                "$defs": { "type": "object", "additionalProperties": schema },
                "format": { "enum": [
                    "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6",
                    "uuid",
                ] },
                "description": true, "title": true, "enum": true, "const": true, "$ref": true,
                "pattern": true, "minimum": true, "maximum": true, "exclusiveMinimum": true,
                "exclusiveMaximum": true, "multipleOf": true, "minItems": true, "maxItems": true,
            },
            "additionalProperties": false,
            "if": { "properties": { "type": { "anyOf": [
                { "const": "object" }, { "contains": { "const": "object" }, "type": "array" },
            ] } }, "required": ["type"] },
            "then": { "required": ["properties", "required", "additionalProperties"] },
        } },
    })
}

/// Checks that each object of a schema requires all of its properties.
fn requires_all(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            let names = fields.get("properties").and_then(Value::as_object);
            let is_whole = names.is_none_or(|names| {
                let names: Vec<_> = names.keys().map(|name| json!(name)).collect();
                fields.get("required") == Some(&names.into())
            });
            is_whole && fields.values().all(requires_all)
        }
        Value::Array(items) => items.iter().all(requires_all),
        _ => true,
    }
}

#[track_caller]
fn check(strict: &Value) {
    let validator = jsonschema::validator_for(&rules()).expect("the rules are a schema");
    let faults: Vec<_> = validator.iter_errors(strict).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?} in {strict:#}");
    assert!(requires_all(strict), "each property is required: {strict:#}");
    assert_eq!(strict["type"], "object", "the root is an object");
}

#[test]
fn inexpressible_schemas_are_not_strict() {
    let property = |schema: Value| json!({ "type": "object", "properties": { "a": schema } });
    let inexpressible = [
        json!({}),
        json!({ "type": "string" }),
        json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        json!({ "type": "object", "properties": { "a": {} } }),
        property(json!({ "type": "object" })),
        property(json!({ "type": "array" })),
        property(json!({ "allOf": [{ "type": "string" }] })),
        property(json!({ "type": "string", "not": { "const": "a" } })),
        property(json!({ "$ref": "https://example.com/a.json" })),
        property(json!(true)),
        json!({ "type": "object", "patternProperties": { "^a": { "type": "string" } } }),
    ];
    for schema in inexpressible {
        assert_eq!(strict_schema(&schema), None, "{schema}");
        let shown = WireFormat::OpenAiChat.definitions(&[tool("a", schema.clone())]);
        assert_eq!(shown[0]["function"]["strict"], false);
        assert_eq!(shown[0]["function"]["parameters"], schema, "it stays as it is");
    }
}

#[test]
fn schemas_over_the_limits_are_not_strict() {
    let nested = |levels: usize| {
        let leaf = json!({ "type": "string" });
        (0..levels).fold(
            leaf,
            |inner, _| json!({ "type": "object", "properties": { "a": inner }, "required": ["a"] }),
        )
    };
    assert!(strict_schema(&nested(10)).is_some());
    assert_eq!(strict_schema(&nested(11)), None, "ten levels at most");
    assert_eq!(strict_schema(&nested(100)), None);
    let wide = |count: usize, length: usize| {
        let properties: serde_json::Map<_, _> = (0..count)
            .map(|number| (format!("{number:0length$}"), json!({ "type": "string" })))
            .collect();
        json!({ "type": "object", "properties": properties })
    };
    assert!(strict_schema(&wide(5000, 4)).is_some());
    assert_eq!(strict_schema(&wide(5001, 4)), None, "5,000 properties at most");
    assert_eq!(strict_schema(&wide(2000, 61)), None, "120,000 characters of names at most");
    let words = |count: usize, length: usize| {
        let words: Vec<_> = (0..count).map(|number| format!("{number:0length$}")).collect();
        json!({ "type": "object", "properties": { "a": { "type": "string", "enum": words } } })
    };
    assert!(strict_schema(&words(1000, 4)).is_some());
    assert_eq!(strict_schema(&words(1001, 4)), None, "1,000 values at most");
    assert_eq!(strict_schema(&words(251, 60)), None, "15,000 characters of a large list at most");
    assert!(strict_schema(&words(250, 61)).is_some());
}

#[test]
fn references_and_choices_are_kept() {
    let schema = json!({
        "type": "object",
        "properties": {
            "tree": { "$ref": "#/$defs/tree" },
            "choice": { "oneOf": [{ "type": "string" }, { "const": 1 }] },
            "fixed": { "const": "a" },
            "words": { "type": ["string", "null"], "enum": ["a", null] },
        },
        "$defs": { "tree": {
            "type": "object",
            "properties": {
                "children": { "type": "array", "items": { "$ref": "#/$defs/tree" } },
            },
        } },
    });
    let strict = strict_schema(&schema).expect("it can be expressed");
    check(&strict);
    let valid = json!({
        "tree": { "children": [{ "children": null }] },
        "choice": 1, "fixed": null, "words": null,
    });
    assert!(jsonschema::is_valid(&strict, &valid), "{strict:#}");
    assert!(!jsonschema::is_valid(&strict, &json!({ "tree": null })), "all are required");
}

/// Schemas that strict mode can express.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({ "type": "string" })),
        Just(json!({ "type": "integer", "minimum": 0, "format": "uint8", "default": 1 })),
        Just(json!({ "type": ["boolean", "null"] })),
        Just(json!({ "type": "string", "enum": ["a", "b"] })),
        Just(json!({ "enum": ["a", 1] })),
        Just(json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] })),
    ];
    let nested = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|items| json!({ "type": "array", "items": items })),
            object(inner),
        ]
    });
    object(nested)
}

fn object(
    property: impl Strategy<Value = Value> + Clone + 'static,
) -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[abc]", (property, any::<bool>()), 0..4).prop_map(|fields| {
        let required: Vec<_> =
            fields.iter().filter(|(_, (_, is))| *is).map(|(name, _)| name.clone()).collect();
        let properties: serde_json::Map<_, _> =
            fields.into_iter().map(|(name, (schema, _))| (name, schema)).collect();
        json!({ "type": "object", "properties": properties, "required": required })
    })
}

/// Returns a value that a strict schema allows; `seed` chooses among them.
fn instance(schema: &Value, seed: u64) -> Value {
    let next = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    let choice = usize::try_from(seed >> 33).unwrap_or(0);
    if let Some(options) = schema["anyOf"].as_array() {
        return instance(&options[choice % options.len()], next);
    }
    if let Some(values) = schema["enum"].as_array() {
        return values[choice % values.len()].clone();
    }
    let kind = match &schema["type"] {
        Value::Array(several) => several[choice % several.len()].as_str(),
        one => one.as_str(),
    };
    match kind {
        Some("string") => json!("text"),
        Some("integer") => json!(choice % 100),
        Some("boolean") => json!(choice.is_multiple_of(2)),
        Some("array") => {
            (0..choice % 3).map(|at| instance(&schema["items"], next + at as u64)).collect()
        }
        Some("object") => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            let fields: serde_json::Map<_, _> = properties
                .enumerate()
                .map(|(at, (name, schema))| (name.clone(), instance(schema, next + at as u64)))
                .collect();
            fields.into()
        }
        _ => Value::Null,
    }
}

proptest! {
    #[test]
    fn strict_calls_fit_the_schema_of_the_tool(schema in schema(), seed in any::<u64>()) {
        let strict = strict_schema(&schema).expect("it can be expressed");
        check(&strict);
        let written = instance(&strict, seed);
        prop_assert!(jsonschema::is_valid(&strict, &written), "{written} for {strict}");
        let definitions: [ToolDefinition; 1] = [tool("read", schema.clone())];
        let message = WireFormat::OpenAiResponses
            .call("1", &prowess_core::ToolCall::new("read", written.clone()));
        let received = WireFormat::OpenAiResponses.calls(&message, &definitions).remove(0);
        let call = received.call.expect("it is JSON");
        prop_assert!(
            jsonschema::is_valid(&schema, &call.arguments),
            "{written} became {} for {schema}", call.arguments
        );
    }
}

#[test]
fn definitions_of_the_fixture_are_strict_where_they_can_be() {
    let shown = WireFormat::OpenAiResponses.definitions(&definitions());
    let strict: Vec<_> = shown.as_array().expect("it is a list").iter().collect();
    let flags: Vec<_> = strict.iter().map(|tool| tool["strict"] == true).collect();
    assert_eq!(flags, [true, false, true]);
    check(&strict[0]["parameters"]);
}
