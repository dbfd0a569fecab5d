//! Layers: order, weights, collisions and aliases.

mod collisions;
mod names;
mod order;
mod spellings;

use std::sync::Arc;

use prowess_core::{Catalog, Layer, Record, Trust};
use prowess_registry::{Collision, Registry, RegistryBuilder, RegistryPolicy};

use crate::fixture::{memory, user};

/// Returns a registry whose layers, the lowest first, each have a skill `deploy`.
fn stacked(layers: &[(&str, Trust)]) -> RegistryBuilder {
    layers.iter().fold(Registry::builder(), |builder, (name, trust)| {
        let description = format!("from {name}");
        let source = memory(name, &[("deploy", &description)]);
        builder.layer(Layer::new(*name, *trust)).source(name, source)
    })
}

pub(crate) fn catalog(builder: RegistryBuilder) -> Arc<Catalog> {
    let registry = builder.build().expect("the layers are valid");
    registry.reload().catalog
}

pub(crate) fn policy(collision: Collision) -> RegistryPolicy {
    RegistryPolicy { collision, ..RegistryPolicy::default() }
}

pub(crate) fn ids(catalog: &Catalog) -> Vec<&str> {
    catalog.skills().map(|skill| skill.id()).collect()
}

/// Returns the locations of the findings with this code.
pub(crate) fn reported<'c>(catalog: &'c Catalog, code: &str) -> Vec<&'c str> {
    let about = catalog.diagnostics().filter(|found| found.code.as_str() == code);
    about.map(|found| found.path.as_deref().unwrap_or_default()).collect()
}

pub(crate) const TRUSTED: Trust = Trust::Trusted;

#[test]
fn skills_of_a_catalog_can_be_skipped_and_counted() {
    let names: Vec<_> = (0..10_000).map(|at| format!("skill-{at:05}")).collect();
    let skills: Vec<_> = names.iter().map(|name| (name.as_str(), "One of many.")).collect();
    let catalog = catalog(user(memory("user", &skills)));
    let page = |number: usize| catalog.skills().skip(number * 300).take(300);
    let paged: Vec<_> = (0..).map(page).take_while(|page| page.len() > 0).flatten().collect();
    assert!(paged.iter().map(Record::id).eq(&names), "each skill once, in order");
}

#[test]
fn shared_root_is_reported() {
    let source = memory("same", &[("deploy", "the same")]);
    let builder = Registry::builder()
        .layer(Layer::new("user", TRUSTED))
        .layer(Layer::new("project", TRUSTED))
        .source("user", Arc::clone(&source) as _)
        .source("project", source);
    let catalog = catalog(builder);
    assert_eq!(reported(&catalog, "root-shared"), ["memory://same"]);
    assert!(reported(&catalog, "skill-copy").is_empty(), "it is one directory and no copy");
}
