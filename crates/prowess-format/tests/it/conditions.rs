//! To whom and when a skill is to be offered, as the clients of today spell it.

use prowess_format::{Head, Profile, Summarized, summarize};

use serde_json::{Value, json};

use crate::support::skill;

/// Checks the conditions of a frontmatter as JSON, without the lists and flags that say nothing.
#[track_caller]
fn check(yaml: &str, expected: &Value) {
    let file = skill(&format!("name: pdf\ndescription: Fills forms.\n{yaml}"));
    let head = Head { bytes: &file, is_whole_file: true };
    let Summarized::Done(Some(summary), _) = summarize(head, None, Profile::Lenient) else {
        panic!("a summary of {yaml:?}");
    };
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

#[test]
fn a_skill_that_says_nothing_costs_nothing() {
    check("", &Value::Null);
    check("license: MIT\nmodel: small\nmetadata:\n  author: me\n", &Value::Null);
    check("disable-model-invocation: false\nuser-invocable: true\n", &Value::Null);
    check("paths:\nscope: all\nDisable_Model_Invocation: false\n", &Value::Null);
    check("disable-model-invocation: off\nuser-invocable: On\n", &Value::Null);
    check("metadata:\n  about: openclaw\nallowed-tools:\n", &Value::Null);
}

#[test]
fn its_invokers() {
    check("disable-model-invocation: true\n", &json!({"not_by_model":true}));
    check("disable-model-invocation: 'Yes'\n", &json!({"not_by_model":true}));
    check("user-invocable: false\n", &json!({"not_by_user":true}));
    for key in [
        "disable_model_invocation",
        "Disable-Model-Invocation",
        "disableModelInvocation",
        "disable-model-invocation:",
        "\"disable-model-invocation\u{200b}\"",
        "disable model invocation",
        "disable\u{2011}model\u{2011}invocation",
        "disable-model-invokation",
        "1. disable-model-invocation",
        "\"**disable-model-invocation**\"",
    ] {
        check(&format!("{key}: true\n"), &json!({"not_by_model":true}));
    }
    check("userInvocable: no\n", &json!({"not_by_user":true}));
    // What cannot be read hides the skill.
    for value in [
        "", "~", "null", "y", "n", "1", "0", "enabled", "[true]", "\"1\"", "{a: b}", "treu",
        "|\n  true x",
    ] {
        check(&format!("disable-model-invocation: {value}\n"), &json!({"not_by_model":true}));
        check(&format!("user-invocable: {value}\n"), &json!({"not_by_user":true}));
    }
    check("scope: {agents: {a: b}}\n", &json!({"scope":{"agents":[""]}}));
    check("scope: {agents: [a, [b]]}\n", &json!({"scope":{"agents":["a", ""]}}));
}

#[test]
fn for_whom_it_is() {
    check(
        "scope:\n  agents: [builder]\n  tenants:\n    - a\n    - b\n  environments: production\n",
        &json!({"scope":{"agents":["builder"],"environments":["production"],"tenants":["a","b"]}}),
    );
}

#[test]
fn what_it_needs() {
    check(
        "metadata:\n  openclaw:\n    os: [linux, darwin]\n    always: true\n    requires:\n      \
         bins: [jq]\n      anyBins: [rg, grep]\n      env: [API_KEY]\n      config: [browser.enabled]\n",
        &json!({"requirements":{"any_program":["rg","grep"],"config":["browser.enabled"],"is_waived":true,"programs":["jq"],"systems":["linux","darwin"],"variables":["API_KEY"]}}),
    );
    check(
        "metadata: {\"openclaw\": {\"emoji\": \"x\", \"requires\": {\"bins\": [\"jq\"]}}}\n",
        &json!({"requirements":{"programs":["jq"]}}),
    );
    check("allowed-tools: Read Bash(git:*) Bash(gh:*)\n", &json!({"tools":["Read","Bash"]}));
}

#[test]
fn where_it_is_of_use() {
    let expected = json!({"paths":["src/**/*.{ts,tsx}","docs/*.md"]});
    check("paths: src/**/*.{ts,tsx}, docs/*.md\n", &expected);
    check("paths:\n  - src/**/*.{ts,tsx}\n  - docs/*.md\n", &expected);
}

/// A list that is too long or an item that is cut must not make a limit wider.
#[test]
fn a_limit_without_end_stays_a_limit() {
    let tenants = format!("scope:\n  tenants: [{}]\n", "x".repeat(300));
    let file = skill(&format!("name: pdf\ndescription: Fills forms.\n{tenants}"));
    let head = Head { bytes: &file, is_whole_file: true };
    let Summarized::Done(Some(summary), _) = summarize(head, None, Profile::Lenient) else {
        panic!("a summary");
    };
    let scope = summary.conditions.to_conditions().expect("a limit").scope;
    assert_eq!(scope.tenants, ["x".repeat(256).into_boxed_str()], "it is cut, not dropped");
}

#[test]
fn requires_names_skills_and_tools() {
    check("requires: [forms, 'tables@^1.2']\n", &json!({"skills":["forms","tables@^1.2"]}));
    check("requires: forms\n", &json!({"skills":["forms"]}));
    check(
        "requires: [forms, 'tool: Bash']\nallowed-tools: Read\n",
        &json!({"skills":["forms"],"tools":["Read","Bash"]}),
    );
    check("requires: {}\n", &Value::Null);
}
