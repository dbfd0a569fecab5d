//! The part of SARIF 2.1.0 that our logs use, as a schema: what the standard requires, its words, and
//! no property that it does not know.

use serde_json::{Value, json};

/// Returns the violations of the schema in a log.
pub(crate) fn problems(log: &Value) -> Vec<String> {
    let schema = schema();
    let options = jsonschema::options().should_validate_formats(true);
    let validator = options.build(&schema).expect("it is a schema");
    validator.iter_errors(log).map(|error| error.to_string()).collect()
}

fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": false,
        "required": ["version", "runs"],
        "properties": {
            "$schema": {"type": "string", "format": "uri"},
            "version": {"enum": ["2.1.0"]},
            "runs": {"type": "array", "items": {"$ref": "#/$defs/run"}},
        },
        "$defs": {
            "run": {
                "type": "object",
                "additionalProperties": false,
                "required": ["tool"],
                "properties": {
                    "tool": {"$ref": "#/$defs/tool"},
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
                },
            },
            "tool": {
                "type": "object",
                "additionalProperties": false,
                "required": ["driver"],
                "properties": {"driver": {"$ref": "#/$defs/component"}},
            },
            "component": {
                "type": "object",
                "additionalProperties": false,
                "required": ["name"],
                "properties": {
                    "name": {"type": "string"},
                    "version": {"type": "string"},
                    "rules": {
                        "type": "array",
                        "uniqueItems": true,
                        "items": {"$ref": "#/$defs/rule"},
                    },
                },
            },
            "rule": {
                "type": "object",
                "additionalProperties": false,
                "required": ["id"],
                "properties": {"id": {"type": "string"}, "help": {"$ref": "#/$defs/message"}},
            },
            "message": {
                "type": "object",
                "additionalProperties": false,
                "required": ["text"],
                "properties": {"text": {"type": "string"}},
            },
            "result": {
                "type": "object",
                "additionalProperties": false,
                "required": ["message"],
                "properties": {
                    "ruleId": {"type": "string"},
                    "level": {"enum": ["none", "note", "warning", "error"]},
                    "message": {"$ref": "#/$defs/message"},
                    "locations": {
                        "type": "array",
                        "uniqueItems": true,
                        "items": {"$ref": "#/$defs/location"},
                    },
                },
            },
            "location": {
                "type": "object",
                "additionalProperties": false,
                "properties": {"physicalLocation": {"$ref": "#/$defs/place"}},
            },
            "place": {
                "type": "object",
                "additionalProperties": false,
                "required": ["artifactLocation"],
                "properties": {
                    "artifactLocation": {
                        "type": "object",
                        "additionalProperties": false,
                        "properties": {"uri": {"type": "string", "format": "uri-reference"}},
                    },
                    "region": {
                        "type": "object",
                        "additionalProperties": false,
                        "properties": {
                            "startLine": {"type": "integer", "minimum": 1},
                            "startColumn": {"type": "integer", "minimum": 1},
                        },
                    },
                },
            },
        },
    })
}
