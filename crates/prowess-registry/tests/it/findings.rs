//! Findings of the host, and the order of findings.

use std::sync::Arc;

use prowess_core::{CatalogProvider, Code, Diagnostic, Layer, Severity, Trust};
use prowess_format::{Limit, Limits, NameRule, Profile};
use prowess_registry::{Registry, RegistryPolicy};

use crate::fixture::{Changing, memory, registry};
use crate::layers::{catalog, ids};

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
    let builder = Registry::builder().layer(Layer::new("user", Trust::Trusted));
    let builder = builder.source("user", source).finding(finding("at-first"));
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
    registry.reload();
    let catalog = registry.catalog();
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
        let builder = Registry::builder().layer(Layer::new("user", Trust::Trusted));
        let catalog = catalog(builder.source("user", source).policy(policy));
        assert_eq!(ids(&catalog), expected, "{policy:?}");
    }
}
