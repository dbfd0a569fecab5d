//! Tests of the policy as YAML.

use expect_test::expect;
use prowess_prompt::{CatalogFormat, PromptPolicy};

#[test]
fn an_empty_file_is_the_default() {
    let policy: PromptPolicy = serde_json::from_str("{}").expect("every field may be left out");
    assert_eq!(policy, PromptPolicy::default());
    expect![[r#"
        {
          "catalog_place": "system_prompt",
          "described_skills": "current",
          "catalog_format": "xml_elements",
          "catalog_every": "change",
          "max_tokens": 4000,
          "on_overflow": "shorten",
          "model_family": "any",
          "blocks": {
            "any": [
              "base_rule"
            ]
          }
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&policy).expect("a policy is JSON"));
}

#[test]
fn one_field_leaves_the_others() {
    let policy: PromptPolicy =
        serde_json::from_str(r#"{"catalog_format": "bullets"}"#).expect("a known field");
    assert_eq!(policy.catalog_format, CatalogFormat::Bullets);
    assert_eq!(policy.max_tokens, PromptPolicy::default().max_tokens);
}

#[test]
fn a_misspelt_field_is_an_error() {
    let error = serde_json::from_str::<PromptPolicy>(r#"{"max_token": 1}"#);
    let message = error.expect_err("no such field").to_string();
    assert!(message.contains("max_tokens"), "the message lists the fields: {message}");
}
