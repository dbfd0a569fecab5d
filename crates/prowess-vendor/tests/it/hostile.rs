//! Hostile calls of a model.

use proptest::prelude::*;
use prowess_core::{ToolCall, ToolDefinition};
use prowess_vendor::{ReceivedCall, WireFormat};
use serde_json::{Value, json};

use crate::fixture::{definitions, tool};

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(".{0,6}", inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

/// A message whose keys are those that the formats look at.
fn message() -> impl Strategy<Value = Value> {
    let key = prop::sample::select(vec![
        "tool_calls", "function", "id", "call_id", "name", "arguments", "type", "content", "input",
        "parts", "functionCall", "args", "params", "method", "output", "candidates",
    ]);
    let word = prop::sample::select(vec!["function_call", "tool_use", "tools/call", "{", "read"]);
    let leaf = prop_oneof![word.prop_map(Value::from), value()];
    leaf.prop_recursive(5, 40, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

proptest! {
    #[test]
    fn a_call_comes_back_from_each_format(
        name in "[a-zA-Z_][a-zA-Z0-9_-]{0,20}",
        id in "[a-z0-9_-]{1,20}",
        arguments in prop::collection::btree_map(".{0,6}", value(), 0..5),
    ) {
        let call = ToolCall::new(name.clone(), json!(arguments));
        for format in WireFormat::ALL {
            let message = format.call(&id, &call);
            let received = format.calls(&message, &definitions());
            let expected =
                ReceivedCall { id: id.clone().into(), name: name.clone(), call: Ok(call.clone()) };
            prop_assert_eq!(received, vec![expected], "{:?}", format);
        }
    }

    #[test]
    fn any_message_is_read(message in message()) {
        for format in WireFormat::ALL {
            for received in format.calls(&message, &definitions()) {
                format.result(&received, &prowess_core::ToolResult::text("done"));
            }
        }
    }

    #[test]
    fn any_schema_is_shown(schema in value()) {
        let definitions = [tool("any", schema)];
        for format in WireFormat::ALL {
            format.definitions(&definitions);
        }
    }
}

fn openai(arguments: &Value, definitions: &[ToolDefinition]) -> ReceivedCall {
    let function = json!({ "name": "read", "arguments": arguments });
    let message = json!({ "tool_calls": [{ "id": "1", "function": function }] });
    WireFormat::OpenAiChat.calls(&message, definitions).remove(0)
}

#[test]
fn broken_arguments_are_a_result() {
    let deep = "[".repeat(100_000);
    for broken in ["{", "{\"path\": }", "not json", "{} {}", &deep] {
        let received = openai(&broken.into(), &definitions());
        let result = received.call.expect_err("it is not JSON");
        assert!(result.is_error);
        assert_eq!(result.code.map(|code| code.to_string()), Some("arguments-not-json".to_owned()));
    }
    for (text, expected) in [("", json!(null)), (" {} ", json!({})), ("[1]", json!([1]))] {
        let call = openai(&text.into(), &[]).call.expect("it is JSON");
        assert_eq!(call.arguments, expected, "{text:?}");
    }
    let call = openai(&json!({ "path": "a" }), &[]).call.expect("some servers send an object");
    assert_eq!(call.arguments, json!({ "path": "a" }));
}

#[test]
fn nulls_of_strict_calls_are_dropped() {
    let arguments = |value: Value| {
        openai(&value.to_string().into(), &definitions()).call.expect("it is JSON").arguments
    };
    let strict = json!({ "path": "a", "mode": null, "lines": { "from": null }, "tags": null });
    assert_eq!(arguments(strict), json!({ "path": "a", "lines": {} }));
    let required = json!({ "path": null, "other": null });
    assert_eq!(arguments(required.clone()), required, "what no strict schema adds stays");
}

#[test]
fn several_calls_stay_in_order() {
    let part = |name: &str| json!({ "functionCall": { "name": name, "args": {} } });
    let parts = json!([{ "text": "Let me see." }, part("a"), part("b"), { "functionCall": {} }]);
    let response = json!({ "candidates": [{ "content": { "role": "model", "parts": parts } }] });
    let received = WireFormat::Gemini.calls(&response, &[]);
    let names: Vec<_> = received.iter().map(|received| &*received.name).collect();
    assert_eq!(names, ["a", "b"], "a call without a name is skipped");
    let result = WireFormat::Gemini.result(&received[0], &prowess_core::ToolResult::text("done"));
    assert!(result["functionResponse"].get("id").is_none(), "no id came: {result}");
}

/// A type that contains itself many times has a definition of limited size.
#[test]
fn references_are_inlined_up_to_a_limit() {
    let children: serde_json::Map<_, _> =
        (0..20).map(|at| (format!("child{at}"), json!({ "$ref": "#/$defs/tree" }))).collect();
    let tree = json!({ "type": "object", "properties": children });
    let schema = json!({
        "type": "object",
        "properties": { "tree": { "$ref": "#/$defs/tree", "description": "The root" } },
        "$defs": { "tree": tree, "loop": { "$ref": "#/$defs/loop" } },
    });
    let shown = WireFormat::Gemini.definitions(&[tool("a", schema)]);
    let root = &shown[0]["functionDeclarations"][0]["parameters"]["properties"]["tree"];
    assert_eq!(root["description"], "The root");
    assert_eq!(root["properties"]["child0"]["properties"]["child1"]["type"], "OBJECT");
    assert!(!shown.to_string().contains("$ref"), "no reference is left");
    assert!(shown.to_string().len() < 200_000, "it has {} bytes", shown.to_string().len());
    let endless = json!({
        "type": "object",
        "properties": { "a": { "$ref": "#/properties/a" }, "b": { "type": ["integer", "string"] } },
    });
    let shown = WireFormat::Gemini.definitions(&[tool("a", endless.clone())]);
    let b = &shown[0]["functionDeclarations"][0]["parameters"]["properties"]["b"];
    assert_eq!(*b, json!({ "anyOf": [{ "type": "INTEGER" }, { "type": "STRING" }] }));
    let call = openai(&json!({ "a": { "a": null } }), &[tool("read", endless)]).call;
    assert!(call.is_ok(), "a reference to itself has an end");
}

#[test]
fn nulls_below_references_and_choices_are_dropped() {
    let tree = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "child": { "anyOf": [{ "$ref": "#/$defs/tree" }, { "type": "null" }] },
            "left": { "$ref": "#/$defs/tree" },
        },
    });
    let schema = json!({
        "type": "object",
        "properties": { "tree": { "$ref": "#/$defs/tree" } },
        "$defs": { "tree": tree },
    });
    let written = json!({ "tree": {
        "name": null, "left": null,
        "child": { "name": null, "child": null, "left": { "name": "a", "left": null } },
    } });
    let call = openai(&written, &[tool("read", schema)]).call.expect("it is JSON");
    let expected = json!({ "tree": { "child": { "child": null, "left": { "name": "a" } } } });
    assert_eq!(call.arguments, expected);
}
