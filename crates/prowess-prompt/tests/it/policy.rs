//! The policy as data.

use prowess_prompt::PromptPolicy;
use serde_json::json;

#[test]
fn an_empty_file_is_the_default() {
    let policy: PromptPolicy = serde_json::from_str("{}").expect("every field may be left out");
    assert_eq!(policy, PromptPolicy::default());
    let expected = json!({
        "catalog_place": "system_prompt",
        "catalog_format": "xml_elements", "catalog_every": "change", "max_tokens": 4000,
        "on_overflow": "shorten", "model_family": "any", "blocks": { "any": ["base_rule"] },
    });
    assert_eq!(serde_json::to_value(&policy).expect("a policy is JSON"), expected);
}

#[test]
fn a_misspelt_field_is_an_error() {
    let error = serde_json::from_str::<PromptPolicy>(r#"{"max_token": 1}"#);
    let message = error.expect_err("no such field").to_string();
    assert!(message.contains("max_tokens"), "the message lists the fields: {message}");
}
