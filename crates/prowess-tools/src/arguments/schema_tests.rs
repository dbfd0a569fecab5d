//! The plain validator and the general one agree.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::faults::Fault;
use super::full_schema;
use super::plain_schema::PlainSchema;

/// Schemas of common keywords. Some have a value that their keyword does not take.
fn schema() -> impl Strategy<Value = Value> {
    let kind = || prop::sample::select(vec!["null", "boolean", "integer", "number", "string"]);
    let leaf = prop_oneof![
        Just(json!({})),
        kind().prop_map(|kind| json!({"type": kind, "description": "Text."})),
        (kind(), kind()).prop_map(|(one, other)| json!({"type": [one, other]})),
        Just(json!({"enum": ["a", "b"]})),
        Just(json!({"type": "string", "enum": ["a", "b"], "default": "a"})),
        Just(json!({"type": "strange"})),
        Just(json!({"enum": ["a", 1]})),
        Just(json!({"required": ["a", "a"]})),
        Just(json!({"minItems": -1})),
        Just(json!({"pattern": "^a"})),
        Just(json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "integer"})),
        Just(json!({"type": "string", "x-widget": {"pattern": 1}})),
        (-2_i64..2, 0_i64..3).prop_map(|(least, most)| {
            json!({"type": "integer", "minimum": least, "maximum": most, "format": "int8"})
        }),
        (0_u64..2, 0_u64..3).prop_map(|(least, most)| {
            json!({"type": "string", "minLength": least, "maxLength": most})
        }),
        Just(json!({"minimum": 0.5})),
        Just(json!({"maximum": "1"})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let object = (
            prop::collection::btree_map("[abc]", inner.clone(), 0..3),
            prop::collection::btree_set("[abcd]", 0..3),
            any::<bool>(),
        );
        prop_oneof![
            (inner, 0_u64..3, 0_u64..4).prop_map(|(items, least, most)| {
                json!({"type": "array", "items": items, "minItems": least, "maxItems": most})
            }),
            object.prop_map(|(properties, required, is_open)| json!({
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": is_open,
            })),
        ]
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2_i64..3).prop_map(Value::from),
        prop::sample::select(vec![0.0, 0.5, 1.0, 1e300]).prop_map(Value::from),
        "[abc]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[abcd]", inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

/// Several types are named in the validator's own order.
fn sorted_words(sentence: &str) -> Vec<String> {
    let mut words: Vec<_> = sentence.split([' ', ',']).map(str::to_owned).collect();
    words.sort_unstable();
    words
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn plain_and_full_agree(schema in schema(), value in value()) {
        let Ok(plain) = PlainSchema::read(&schema) else { return Ok(()) };
        let full = full_schema::compile(&schema);
        let full = full.expect("what the plain one takes is a schema");
        let expected = full_schema::faults(&full, &value, usize::MAX);
        let found = plain.faults(&value, usize::MAX);
        prop_assert_eq!(found.is_empty(), expected.is_empty(), "{} {}", schema, value);
        // The general validator reports a present property as missing if the object is closed and
        // has no such property.
        let sentences = |faults: Vec<Fault>| {
            let faults = faults.iter().filter(|fault| !matches!(fault, Fault::Missing { .. }));
            let mut sentences: Vec<_> =
                faults.map(|fault| sorted_words(&fault.sentence(&schema))).collect();
            sentences.sort_unstable();
            sentences
        };
        prop_assert_eq!(sentences(found), sentences(expected), "{} {}", schema, value);
    }
}

#[test]
fn keywords_that_are_not_common_need_the_full_validator() {
    let nested = (0..20).fold(json!({}), |inner, _| json!({"items": inner}));
    for schema in [
        json!({"pattern": "^a"}),
        json!({"$schema": "http://json-schema.org/draft-04/schema#"}),
        json!({"anyOf": [{"type": "string"}]}),
        json!({"$ref": "#/definitions/x"}),
        json!({"additionalProperties": {"type": "string"}}),
        json!({"enum": [1]}),
        json!({"type": "strange"}),
        json!({"type": []}),
        json!({"minItems": -1}),
        json!({"required": ["a", "a"]}),
        json!({"description": 1}),
        json!(true),
        nested,
    ] {
        assert!(PlainSchema::read(&schema).is_err(), "{schema}");
    }
}

#[test]
fn part_that_is_not_plain_is_named() {
    let part = |schema: Value| PlainSchema::read(&schema).err();
    let nested = json!({"properties": {"a": {"items": {"pattern": "^a"}}}});
    assert_eq!(part(nested).as_deref(), Some("the keyword `pattern` with this value"));
    assert_eq!(part(json!({"a": 1})).as_deref(), Some("the keyword `a` with this value"));
    assert_eq!(part(json!(true)).as_deref(), Some("a schema in this form"));
}

#[test]
fn skill_tools_have_plain_schemas() {
    let tools = crate::SkillTools::new(
        crate::ToolPolicy::default(),
        prowess_core::DeliveryPolicy::default(),
    );
    for tool in prowess_core::ToolProvider::tools(&tools) {
        let schema = tool.accepts(&prowess_core::Catalog::empty());
        assert!(PlainSchema::read(&schema).is_ok(), "building a runtime compiles no {schema}");
    }
}
