//! Findings of the host, and the order of findings.

use std::sync::Arc;

use prowess_core::{CatalogProvider, Code, Diagnostic, Layer, Severity, Trust};
use prowess_format::{Limit, LimitSeverity, Limits, NameRule, Profile};
use prowess_registry::{IdFrom, Registry, RegistryPolicy};

use crate::fixture::{Changing, files, memory, registry, skill_md, user};
use crate::layers::{catalog, ids, reported};

fn finding(code: &'static str) -> Diagnostic {
    Diagnostic::new(Code::new(code), Severity::Warning, "it is so", "change it")
}

fn codes(registry: &Registry) -> Vec<String> {
    let catalog = registry.catalog();
    catalog.diagnostics().map(|found| found.code.as_str().to_owned()).collect()
}

#[test]
fn findings_of_the_host_stay() {
    let source = memory("user", &[("a", "It.")]);
    let builder = user(source).finding(finding("at-first"));
    let registry = builder.build().expect("the layer is valid");
    registry.reload();
    assert_eq!(codes(&registry), ["at-first"]);
    registry.add_finding(finding("later"));
    assert_eq!(codes(&registry), ["at-first", "later"], "it is published at once");
    registry.reload();
    assert_eq!(codes(&registry), ["at-first", "later"]);
    assert!(registry.catalog().get("a").is_some(), "the skills are offered");
}

#[test]
fn problems_are_sorted_by_location() {
    let source = Arc::new(Changing::default());
    let registry = registry(vec![("user", Trust::Trusted, source.clone())]);
    for place in ["changing://b", "changing://c", "changing://a"] {
        source.report(place);
    }
    let catalog = registry.reload().catalog;
    let places: Vec<_> = catalog.diagnostics().filter_map(|found| found.path.as_deref()).collect();
    assert_eq!(places, ["changing://a", "changing://b", "changing://c"]);
}

#[test]
fn names_and_lengths_follow_the_policy() {
    let policy = RegistryPolicy { profile: Profile::Strict, ..RegistryPolicy::default() };
    let limits = Limits { description_characters: Limit::of(3), ..Limits::default() };
    for (policy, expected) in [
        (policy, &["a"][..]),
        (RegistryPolicy { name_rule: NameRule::Any, ..policy }, &["Ein Name", "a"]),
        (RegistryPolicy { limits, ..policy }, &[]),
    ] {
        let source = memory("user", &[("a", "Long."), ("Ein Name", "Long.")]);
        assert_eq!(ids(&catalog(user(source).policy(policy))), expected, "{policy:?}");
    }
}

#[test]
fn size_above_the_limit_of_the_host_is_a_finding() {
    let text = skill_md("a", "It.");
    let tokens = text.len().div_ceil(4);
    let limit =
        |max, severity| Limits { body_tokens: Limit { max, severity }, ..Limits::default() };
    for (limits, expected) in [
        (limit(tokens, LimitSeverity::Warning), &[][..]),
        (limit(tokens - 1, LimitSeverity::Warning), &["body-tokens-soft-limit"]),
        (limit(1, LimitSeverity::Profile), &[]),
    ] {
        let source = memory("user", &[("a", "It.")]);
        let policy = RegistryPolicy { limits, ..RegistryPolicy::default() };
        let catalog = catalog(user(source).policy(policy));
        let codes: Vec<_> = catalog.diagnostics().map(|found| found.code.as_str()).collect();
        assert_eq!(codes, expected, "{limits:?}");
    }
}

#[test]
fn id_of_a_nested_package_is_its_directory_alone() {
    let source = files("user", [("deep/tables/SKILL.md", skill_md("a", "It."))]);
    let policy = RegistryPolicy { id_from: IdFrom::Directory, ..RegistryPolicy::default() };
    assert_eq!(ids(&catalog(user(source).policy(policy))), ["tables"]);
}

#[test]
fn failed_source_of_one_skill_has_one_finding() {
    let source = Arc::new(Changing::default());
    source.break_down(true);
    let builder = Registry::builder().layer(Layer::new("user", Trust::Trusted));
    let builder = builder.single_skill_source("user", "given", source);
    let builder = builder.single_skill_source("user", "other", memory("bare", &[]));
    let catalog = catalog(builder);
    assert_eq!(reported(&catalog, "skill-md-missing"), ["memory://bare"]);
    assert_eq!(reported(&catalog, "source-failed"), ["changing://"]);
}
