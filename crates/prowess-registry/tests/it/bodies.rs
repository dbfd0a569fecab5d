//! The cache of loaded bodies.

use std::sync::Arc;
use std::time::Duration;

use prowess_core::{CatalogProvider, Layer, ReadLimit, ResourcePath, Trust};
use prowess_registry::Registry;
use prowess_testkit::ManualClock;

use crate::fixture::{Changing, skill_md};

/// A registry of two skills, their source, and the clock.
struct Fixture {
    source: Arc<Changing>,
    registry: Registry,
    clock: Arc<ManualClock>,
}

impl Fixture {
    fn keeping(seconds: u64) -> Self {
        let (source, clock) = (Arc::new(Changing::default()), Arc::new(ManualClock::default()));
        for (package, stamp) in [("pdf", 1), ("sql", 2)] {
            source.set(package, skill_md(package, "first"), stamp);
        }
        let builder = Registry::builder().layer(Layer::new("user", Trust::Trusted));
        let builder = builder.source("user", source.clone());
        let builder = builder.cache_bodies(Duration::from_secs(seconds), clock.clone());
        let registry = builder.build().expect("the layer exists");
        registry.reload();
        Self { source, registry, clock }
    }

    /// Loads a skill, and returns its text and the number of files that were read.
    fn load(&self, id: &str) -> (String, usize) {
        let catalog = self.registry.catalog();
        let record = catalog.get(id).expect("the skill is offered");
        let file = ResourcePath::new(record.file()).expect("the path is valid");
        let bytes = catalog.read(record, &file, ReadLimit::default()).expect("the file exists");
        (String::from_utf8(bytes).expect("the file is UTF-8"), self.source.take_bodies())
    }

    #[track_caller]
    fn check(&self, id: &str, version: &str, reads: usize) {
        assert_eq!(self.load(id), (skill_md(id, version), reads), "{id}");
    }
}

#[test]
fn body_is_cached_until_it_is_too_old() {
    let fixture = Fixture::keeping(300);
    assert_eq!(fixture.source.take_bodies(), 0, "no scan reads a body");
    fixture.check("pdf", "first", 1);
    fixture.check("pdf", "first", 0);
    fixture.clock.advance(Duration::from_secs(299));
    fixture.check("pdf", "first", 0);
    fixture.clock.advance(Duration::from_secs(1));
    fixture.check("pdf", "first", 1);
}

#[test]
fn host_evicts_one_or_all_bodies() {
    let fixture = Fixture::keeping(300);
    for id in ["pdf", "sql"] {
        fixture.check(id, "first", 1);
        fixture.source.set(id, skill_md(id, "second"), 9);
        fixture.check(id, "first", 0);
    }
    assert!(fixture.registry.evict_body("user:pdf"), "the skill exists");
    fixture.check("pdf", "second", 1);
    fixture.check("sql", "first", 0);
    fixture.registry.evict_bodies();
    fixture.check("sql", "second", 1);
    assert!(!fixture.registry.evict_body("nothing"));
}

#[test]
fn reload_evicts_changed_bodies() {
    let fixture = Fixture::keeping(300);
    fixture.check("pdf", "first", 1);
    fixture.check("sql", "first", 1);
    fixture.source.set("pdf", skill_md("pdf", "second"), 9);
    fixture.registry.reload();
    fixture.check("pdf", "second", 1);
    fixture.check("sql", "first", 0);
}

#[test]
fn cache_size_is_limited() {
    let fixture = Fixture::keeping(300);
    let ids: Vec<_> = (0..20).map(|number| format!("large-{number}")).collect();
    let large = "x".repeat(900_000);
    for id in &ids {
        fixture.source.set(id, skill_md(id, "Large.") + &large, 9);
    }
    fixture.registry.reload();
    for id in &ids {
        assert_eq!(fixture.load(id).1, 1, "{id}");
    }
    assert_eq!(fixture.load(&ids[19]).1, 0, "the newest body is cached");
    assert_eq!(fixture.load(&ids[0]).1, 1, "the oldest body was evicted");
}

#[test]
fn bodies_are_not_cached_by_default() {
    let fixture = Fixture::keeping(0);
    fixture.check("pdf", "first", 1);
    fixture.check("pdf", "first", 1);
}
