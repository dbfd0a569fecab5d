//! Tests of run preferences.

use prowess_core::{ContextMode, RunPreference};
use serde_json::{Value, json};

#[track_caller]
fn check(properties: &Value, context: ContextMode) {
    let preference = RunPreference::of(properties);
    assert_eq!(preference.context(), context, "{properties}");
    assert_eq!(preference.fork, context == ContextMode::Fork);
}

#[test]
fn context_is_inherited_unless_the_skill_forks() {
    assert_eq!(ContextMode::default(), ContextMode::Inherit);
    check(&json!({}), ContextMode::Inherit);
    check(&json!({ "context": "inherit" }), ContextMode::Inherit);
    check(&json!({ "context": "fork" }), ContextMode::Fork);
    check(&json!({ "context": "Fork" }), ContextMode::Inherit);
    check(&json!({ "context": ["fork"] }), ContextMode::Inherit);
    check(&Value::Null, ContextMode::Inherit);
}
