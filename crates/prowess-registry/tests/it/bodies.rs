//! The cache of loaded bodies.

use std::sync::Arc;
use std::time::Duration;

use prowess_core::{
    Cancel, CatalogProvider, ChangeListener, MemorySource, PackagePath, ReadLimit, ResourcePath,
    SkillSource, SourceError, Watch,
};
use prowess_format::MAX_FILE_BYTES;
use prowess_registry::Registry;
use prowess_testkit::{ManualClock, OverriddenSource, SourceOverrides};

use crate::fixture::{Changing, files, skill_md, user};

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
        let builder = user(source.clone());
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

/// An editor may be in the middle of a save, and the disk may be away for a moment.
#[test]
fn file_that_is_no_skill_is_not_cached() {
    let fixture = Fixture::keeping(300);
    let broken = ["", "---\nx: [\n---\n", "---\nname: pdf\ndescri"].map(str::as_bytes);
    for text in broken.into_iter().chain([&b"---\nname: pdf\n\xff"[..]]) {
        fixture.registry.evict_bodies();
        fixture.source.set("pdf", text, 1);
        let catalog = fixture.registry.catalog();
        let file = ResourcePath::new("SKILL.md").expect("the path is valid");
        let record = catalog.get("pdf").expect("the skill is offered");
        let read = catalog.read(record, &file, ReadLimit::default());
        assert_eq!(read.as_deref(), Ok(text));
        fixture.source.remove("pdf");
        catalog.read(record, &file, ReadLimit::default()).expect_err("the file is gone");
        fixture.source.set("pdf", skill_md("pdf", "first"), 1);
        assert_eq!(fixture.load("pdf").0, skill_md("pdf", "first"), "{text:?}");
        fixture.check("pdf", "first", 0);
    }
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

#[test]
fn cache_is_full_only_above_its_size() {
    let fixture = Fixture::keeping(300);
    let count = (16 << 20) / MAX_FILE_BYTES;
    let ids: Vec<_> = (0..count).map(|number| format!("large-{number}")).collect();
    for id in &ids {
        let text = skill_md(id, "Large.");
        let rest = "x".repeat(MAX_FILE_BYTES - text.len());
        fixture.source.set(id, text + &rest, 9);
    }
    fixture.registry.reload();
    for reads in [1, 0] {
        for id in &ids {
            assert_eq!(fixture.load(id).1, reads, "{id}: bodies of exactly the size fit");
        }
    }
    fixture.check("pdf", "first", 1);
    assert_eq!(fixture.load(&ids[0]).1, 1, "one more byte evicts them");
}

#[test]
fn caching_source_reports_every_problem() {
    let fixture = Fixture::keeping(300);
    fixture.source.set("deep/a", skill_md("a", "Below a directory."), 1);
    fixture.registry.reload();
    fixture.source.shut(&["deep"]);
    fixture.source.report("changing://pipe");
    let catalog = fixture.registry.reload().catalog;
    let reported: Vec<_> = catalog.diagnostics().map(|found| found.code.as_str()).collect();
    assert_eq!(reported, ["permission-denied", "not-a-file", "skill-kept"]);
    assert!(catalog.get("a").is_some(), "a skill in an unreadable directory stays");
}

/// A source with an answer of its own to each question.
struct Remote(Arc<MemorySource>);

impl SourceOverrides for Remote {
    fn inner(&self) -> &dyn SkillSource {
        &*self.0
    }

    fn cache_key(&self) -> Option<String> {
        Some("remote, version 7".to_owned())
    }

    fn identity(&self, package: &PackagePath) -> Option<String> {
        Some(format!("device 4711, {package}"))
    }

    fn watch(&self, _listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        Ok(Some(Watch::new(())))
    }
}

#[test]
fn caching_source_answers_as_the_cached_one() {
    let skill = skill_md("pdf", "Forms.");
    let files = files("files", [("pdf/SKILL.md", &*skill), ("pdf/guide.md", "The guide")]);
    let source = Arc::new(OverriddenSource(Remote(files)));
    let builder = user(source.clone());
    let builder = builder.cache_bodies(Duration::from_secs(300), Arc::new(ManualClock::default()));
    let registry = builder.build().expect("the layer exists");
    let catalog = registry.reload().catalog;
    let caching = &catalog.sources()[0].source;
    let package = PackagePath::new("pdf").expect("the path is valid");
    assert_eq!(caching.name(), "files");
    assert_eq!(caching.root(), source.root());
    assert_eq!(caching.cache_key(), source.cache_key());
    assert_eq!(caching.identity(&package), source.identity(&package));
    let listed = |source: &dyn SkillSource| {
        let listing = source.list(&package, 9).expect("the package exists");
        listing.resources.iter().map(|file| file.path.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(listed(&**caching), ["guide.md"]);
    let digest = |source: &dyn SkillSource| {
        source.package_digest(&package, &Cancel::default()).expect("the package exists")
    };
    assert_eq!(digest(&**caching), digest(&*source));
    let watch = caching.watch(Arc::new(|_| {})).expect("the source can be watched");
    assert!(watch.is_some(), "the watch of the cached source is used");
}
