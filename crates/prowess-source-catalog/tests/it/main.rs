//! The tests of catalog files.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod answers;
mod damage;
mod kit;
mod night;
mod place;

use std::path::Path;
use std::sync::Arc;

use prowess_core::{
    Cancel, Catalog, CatalogProvider, Layer, MemorySource, SkillSource, Timestamp, Trust,
};
use prowess_registry::Registry;
use prowess_source_catalog::{CatalogPlace, CatalogSource, PublishOptions, Published, publish};
use prowess_testkit::{Corpus, ManualClock};

/// Returns what a registry offers of a source.
fn catalog_of(source: Arc<dyn SkillSource>) -> Arc<Catalog> {
    let registry = Registry::builder().layer(Layer::new("user", Trust::Trusted));
    let registry = registry.source("user", source).build().unwrap();
    registry.reload();
    registry.catalog()
}

/// Returns a source of generated skills, and of some that are special.
fn skills(count: usize) -> Arc<dyn SkillSource> {
    let mut source = MemorySource::builder("memory");
    for skill in Corpus::new(7).skills(count) {
        source = source.file(&format!("{}/SKILL.md", skill.name), skill.skill_md);
        for (path, content) in skill.resources {
            source = source.file(&format!("{}/{path}", skill.name), content);
        }
    }
    let special = [
        ("deep/er/mail", "name: mail\ndescription: Sends e-mail\ntags: [post, smtp]\npriority: 3"),
        ("hidden", "name: hidden\ndescription: For users\ndisable-model-invocation: true"),
        ("tenant", "name: tenant\ndescription: For one\nscope: { tenants: [acme] }"),
        ("needy", "name: needy\ndescription: Needs another\nrequires: mail"),
        ("broken", "name: broken"),
    ];
    for (package, frontmatter) in special {
        let text = format!("---\n{frontmatter}\n---\nBody of {package}\n");
        source = source.file(&format!("{package}/SKILL.md"), text);
    }
    Arc::new(source.file("hidden/.env", "PASSWORD=secret\n").build().unwrap())
}

fn published(catalog: &Catalog, place: &Path) -> Published {
    publish(catalog, place, &options(1), &Cancel::default()).unwrap()
}

/// Returns the options of a publication this many seconds after 1970.
fn options(seconds: u64) -> PublishOptions<'static> {
    let options = PublishOptions::new("team", Timestamp(seconds * 1000));
    PublishOptions { may_be_empty: true, ..options }
}

fn source(place: &Path) -> CatalogSource {
    let clock = Arc::new(ManualClock::default());
    CatalogSource::new("team", CatalogPlace::directory(place), Vec::new(), clock)
        .layer(Layer::new("user", Trust::Trusted))
}
