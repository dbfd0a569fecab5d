//! How long a text that was loaded is kept.

use std::sync::Arc;
use std::time::Duration;

use prowess_core::{CatalogProvider, Layer, ReadLimit, ResourcePath, Trust};
use prowess_registry::Registry;
use prowess_testkit::ManualClock;

use crate::fixture::{Changing, skill_md};

/// A registry of two skills, the source that they come from, and the clock.
struct Shelf {
    source: Arc<Changing>,
    registry: Registry,
    clock: Arc<ManualClock>,
}

impl Shelf {
    fn keeping(seconds: u64) -> Self {
        let (source, clock) = (Arc::new(Changing::default()), Arc::new(ManualClock::default()));
        for (package, stamp) in [("pdf", 1), ("sql", 2)] {
            source.set(package, skill_md(package, "first"), stamp);
        }
        let builder = Registry::builder().layer(Layer::new("user", Trust::Trusted));
        let builder = builder.source("user", source.clone());
        let builder = builder.cache_bodies(Duration::from_secs(seconds), clock.clone());
        let registry = builder.build().expect("the layer is there");
        registry.reload();
        Self { source, registry, clock }
    }

    /// Loads a skill; gives its text, and how many files that read.
    fn load(&self, id: &str) -> (String, usize) {
        let catalog = self.registry.catalog();
        let record = catalog.get(id).expect("it is offered");
        let file = ResourcePath::new(record.file()).expect("a file's name is a path");
        let bytes = catalog.read(record, &file, ReadLimit::default()).expect("it is there");
        (String::from_utf8(bytes).expect("it is text"), self.source.take_bodies())
    }

    #[track_caller]
    fn check(&self, id: &str, version: &str, reads: usize) {
        assert_eq!(self.load(id), (skill_md(id, version), reads), "{id}");
    }
}

#[test]
fn a_text_is_read_when_it_is_first_loaded_and_again_when_it_is_old() {
    let shelf = Shelf::keeping(300);
    assert_eq!(shelf.source.take_bodies(), 0, "no scan reads a body");
    shelf.check("pdf", "first", 1);
    shelf.check("pdf", "first", 0);
    shelf.clock.advance(Duration::from_secs(299));
    shelf.check("pdf", "first", 0);
    shelf.clock.advance(Duration::from_secs(1));
    shelf.check("pdf", "first", 1);
}

#[test]
fn the_host_makes_it_forget_one_or_all() {
    let shelf = Shelf::keeping(300);
    for id in ["pdf", "sql"] {
        shelf.check(id, "first", 1);
        shelf.source.set(id, skill_md(id, "second"), 9);
        shelf.check(id, "first", 0);
    }
    assert!(shelf.registry.evict_body("user:pdf"), "there is such a skill");
    shelf.check("pdf", "second", 1);
    shelf.check("sql", "first", 0);
    shelf.registry.evict_bodies();
    shelf.check("sql", "second", 1);
    assert!(!shelf.registry.evict_body("nothing"));
}

#[test]
fn a_version_that_a_reload_finds_is_read() {
    let shelf = Shelf::keeping(300);
    shelf.check("pdf", "first", 1);
    shelf.check("sql", "first", 1);
    shelf.source.set("pdf", skill_md("pdf", "second"), 9);
    shelf.registry.reload();
    shelf.check("pdf", "second", 1);
    shelf.check("sql", "first", 0);
}

#[test]
fn a_large_shelf_does_not_grow_for_ever() {
    let shelf = Shelf::keeping(300);
    let ids: Vec<_> = (0..20).map(|number| format!("large-{number}")).collect();
    let large = "x".repeat(900_000);
    for id in &ids {
        shelf.source.set(id, skill_md(id, "Large.") + &large, 9);
    }
    shelf.registry.reload();
    for id in &ids {
        assert_eq!(shelf.load(id).1, 1, "{id}");
    }
    assert_eq!(shelf.load(&ids[19]).1, 0, "the newest is there");
    assert_eq!(shelf.load(&ids[0]).1, 1, "there was no room for all");
}

#[test]
fn by_default_each_load_reads() {
    let shelf = Shelf::keeping(0);
    shelf.check("pdf", "first", 1);
    shelf.check("pdf", "first", 1);
}
