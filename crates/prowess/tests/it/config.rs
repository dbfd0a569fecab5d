//! Policies from a preset and a file.

use std::sync::Arc;

use prowess::format::{Limit, LimitSeverity, NameRule, Profile};
use prowess::{BodyDelivery, MemorySource, Policies, ToolCall};
use serde_json::json;

use crate::dynamic;

#[test]
fn the_standard_preset_is_what_every_policy_has_as_default() {
    assert_eq!(Policies::preset("standard").expect("there is one"), Policies::default());
    for text in ["", "{}", "preset: standard\n"] {
        assert_eq!(Policies::from_yaml(text).expect("it says nothing else"), Policies::default());
    }
}

#[test]
fn a_file_overrides_field_by_field() {
    let text = "session:\n  max_active: 2\nprompt:\n  max_tokens: null\ndelivery:\n  bodies: tool_result\n";
    let policies = Policies::from_yaml(text).expect("each field is one");
    assert_eq!(policies.session.max_active, 2);
    assert_eq!(policies.prompt.max_tokens, None);
    assert_eq!(policies.delivery.bodies, BodyDelivery::ToolResult);
    assert!(!policies.prompt.blocks.any.is_empty(), "what is not said stays");
    assert_eq!(policies.tools, Policies::default().tools);
}

#[test]
fn names_and_limits_are_the_host_s() {
    let text = "registry:\n  name_rule: unicode\n  limits:\n    body_lines: { max: 400, severity: error }\n";
    let registry = Policies::from_yaml(text).expect("each field is one").registry;
    assert_eq!(registry.name_rule, NameRule::Unicode);
    let limits = registry.limits;
    assert_eq!(limits.body_lines, Limit { max: 400, severity: LimitSeverity::Error });
    assert_eq!(limits.description_characters, Limit::of(1024));
    let catalog = |name_rule| {
        let mut policies = Policies::default();
        policies.registry.profile = Profile::Spec;
        policies.registry.name_rule = name_rule;
        let file = "---\nname: café\ndescription: Brews coffee.\n---\nBody\n";
        let source = MemorySource::builder("shelf").file("café/SKILL.md", file).build();
        let source = Arc::new(source.expect("a path"));
        let runtime = dynamic::builder().policies(policies).source("user", source).build();
        runtime.expect("it can be put together")
    };
    let ascii = catalog(NameRule::AgentSkills).catalog();
    assert_eq!(ascii.len(), 0, "the specification's names are ASCII");
    let runtime = catalog(NameRule::Unicode);
    let session = runtime.open_session().expect("a session");
    let turn = runtime.turn(&session).expect("a turn");
    let loaded = turn.call(&ToolCall::new("skills_load", json!({ "names": ["café"] })));
    assert!(!loaded.result.is_error, "what is offered can be loaded: {:?}", loaded.result);
}

#[test]
fn policies_of_the_help_pages_are_policies() {
    let pages = std::fs::read_dir("../prowess-cli/help").expect("the pages are there");
    let pages = pages.map(|page| std::fs::read_to_string(page.expect("an entry").path()));
    let pages: Vec<_> = pages.map(|page| page.expect("a page is text")).collect();
    let examples = pages.iter().flat_map(|page| page.split("```yaml\n").skip(1));
    let examples = examples.filter_map(|rest| rest.split("```").next());
    let read: Vec<_> = examples.map(|text| Policies::from_yaml(text).expect(text)).collect();
    assert!(read.len() >= 5, "the pages have examples");
    assert!(read.iter().any(|policies| policies.discovery.client.as_str() == "acme"));
}

#[test]
fn what_is_written_reads_back() {
    let policies = Policies::default().with_body_delivery(BodyDelivery::ToolResult);
    let text = serde_yaml::to_string(&policies).expect("policies are data");
    assert_eq!(Policies::from_yaml(&text).expect("it is what was written"), policies);
}

#[test]
fn what_no_policy_has_is_refused_and_named() {
    let check = |text: &str, part: &str| {
        let error = Policies::from_yaml(text).expect_err("it is wrong").to_string();
        assert!(error.contains(part), "{error}");
    };
    check("preset: strict\n", "no preset named `strict`");
    check("preset: boxxy\nsesion: {}\n", "unknown key `sesion`; did you mean `session`?");
    check("preset: boxxy\nsesion: {}\n", "at line 2 column 1");
    check("preset: boxy\n", "no preset named `boxy`; did you mean `boxxy`?");
    check("session:\n  max_actve: 2\n", "max_actve");
    check("session:\n  max_active: many\n", "many");
    let rule = "preset: standard\nregistry:\n  name_rule: kebab\n";
    check(rule, "registry.name_rule: unknown value `kebab`; did you mean `kebab-letter-first`?");
    check(rule, "at line 3 column 14");
    let limit = "registry:\n  limits:\n    body_lines: { max: 400, severity: fatal }\n";
    check(
        limit,
        "registry.limits.body_lines.severity: unknown value `fatal`, expected one of `profile`",
    );
    check(limit, "at line 3");
    check(
        "registry:\n  limits:\n    body_lines: { maxi: 400 }\n",
        "unknown key `maxi`; did you mean `max`?",
    );
    check("registry:\n  limits:\n    body_lines: { max: -1 }\n", "at line 3 column 24");
    check("- a list\n", "cannot be read");
    check("a: [b\n", "cannot be read");
}

const EXAMPLE: &str = include_str!("../../prowess.example.yaml");

#[test]
fn the_documented_file_is_read() {
    let policies = Policies::from_yaml(EXAMPLE).expect("the example is one");
    let layers: Vec<_> = policies.layers.iter().map(|layer| &*layer.name).collect();
    assert_eq!(layers, ["enterprise", "personal", "project", "plugin"]);
    assert_eq!(policies.visibility.skills.len(), 3);
    assert_eq!(policies.audience.environment.as_deref(), Some("production"));
    let expected = Policies {
        layers: policies.layers.clone(),
        aliases: policies.aliases.clone(),
        visibility: policies.visibility.clone(),
        audience: policies.audience.clone(),
        ..Policies::default()
    };
    assert_eq!(policies, expected, "the rest are the defaults");
}

/// Each key of a policy is in the example, which has its tier.
#[test]
fn the_documented_file_has_each_key() {
    let whole = serde_yaml::to_value(Policies::default()).expect("policies are data");
    let shown: serde_yaml::Value = serde_yaml::from_str(EXAMPLE).expect("it is YAML");
    for (key, value) in whole.as_mapping().expect("policies are a mapping") {
        let key = key.as_str().expect("keys are texts");
        let shown = shown.get(key).unwrap_or_else(|| panic!("`{key}` is in the example"));
        for (inner, _) in value.as_mapping().into_iter().flatten() {
            let inner = inner.as_str().expect("keys are texts");
            assert!(shown.get(inner).is_some(), "`{key}.{inner}` is in the example");
        }
    }
}
