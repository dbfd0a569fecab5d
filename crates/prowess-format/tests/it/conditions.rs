//! To whom and when a skill is to be offered, as the clients of today spell it.

use prowess_format::Rules;

use serde_json::{Value, json};

use crate::support::{rows, skill, summarized};

/// Checks the conditions of a frontmatter as JSON, without the lists and flags that say nothing.
#[track_caller]
fn check(yaml: &str, expected: &Value) {
    let file = skill(&format!("name: pdf\ndescription: Fills forms.\n{yaml}"));
    let summary = summarized(&file, None, &Rules::default()).0.expect(yaml);
    let conditions = summary.conditions.to_conditions().map(|conditions| said(&conditions));
    assert_eq!(conditions.unwrap_or_default(), *expected, "{yaml}");
}

fn said(conditions: &prowess_format::Conditions) -> Value {
    let whole = serde_json::to_value(conditions).expect("a value of texts and flags");
    strip(whole).unwrap_or_default()
}

/// The value without what is empty or false; none if nothing is left.
fn strip(value: Value) -> Option<Value> {
    match value {
        Value::Bool(false) | Value::Null => None,
        Value::Array(items) if items.is_empty() => None,
        Value::Object(fields) => {
            let kept = fields.into_iter().filter_map(|(key, value)| Some((key, strip(value)?)));
            let kept: serde_json::Map<_, _> = kept.collect();
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        other => Some(other),
    }
}

/// Whom a skill is for, its callers, what it needs and where it is of use. One that says nothing
/// costs nothing.
#[test]
fn each_spelling_of_a_condition_is_read() {
    for (yaml, expected) in rows::<(String, Value)>(include_str!("../data/conditions.json")) {
        check(&yaml, &expected);
    }
}

#[test]
fn a_switch_that_cannot_be_read_hides_the_skill() {
    for value in [
        "", "~", "null", "y", "n", "1", "0", "enabled", "[true]", "\"1\"", "{a: b}", "treu",
        "|\n  true x",
    ] {
        check(&format!("disable-model-invocation: {value}\n"), &json!({"not_by_model":true}));
        check(&format!("user-invocable: {value}\n"), &json!({"not_by_user":true}));
    }
}

/// A list that is too long or an item that is cut must not make a limit wider.
#[test]
fn a_limit_without_end_stays_a_limit() {
    let tenants = format!("scope:\n  tenants: [{}]\n", "x".repeat(300));
    let file = skill(&format!("name: pdf\ndescription: Fills forms.\n{tenants}"));
    let summary = summarized(&file, None, &Rules::default()).0.expect("a summary");
    let scope = summary.conditions.to_conditions().expect("a limit").scope;
    assert_eq!(scope.tenants, ["x".repeat(256).into_boxed_str()], "it is cut, not dropped");
}
