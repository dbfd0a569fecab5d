//! A second start knows what the first one found.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use prowess::source_fs::{FsConfig, FsSource};
use prowess::state::RecordCache;
use prowess::{
    Cancel, Catalog, Diagnostic, Digest, Found, KnownPackages, Policies, PreviousScan, ReadFurther,
    Runtime, ScanSink, ScanSummary, SkillSource, SourceError, Stamp, Timestamp, ToolCall,
};
use prowess_testkit::{ManualClock, OverriddenSource, SourceOverrides, Tree, time_after_changes};
use serde_json::json;

use crate::dynamic;

/// A directory that counts how many `SKILL.md` a scan reads.
struct Counting {
    source: FsSource,
    reads: AtomicUsize,
    /// The number of lookups of earlier records.
    asked: AtomicUsize,
}

struct CountingSink<'s> {
    sink: &'s mut dyn ScanSink,
    counting: &'s Counting,
}

struct CountingPackages<'s> {
    previous: &'s PreviousScan<'s>,
    counting: &'s Counting,
}

impl KnownPackages for CountingPackages<'_> {
    fn stamp(&self, package: &str) -> Option<Stamp> {
        // The root itself is looked at by each scan.
        self.counting.asked.fetch_add(usize::from(!package.is_empty()), Ordering::SeqCst);
        self.previous.stamp(package)
    }

    fn package(&self, index: usize) -> Option<(&str, Option<Stamp>)> {
        self.previous.packages_from(index).next()
    }
}

impl ScanSink for CountingSink<'_> {
    fn unchanged(&mut self, package: &str) {
        self.sink.unchanged(package);
    }

    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        self.counting.reads.fetch_add(1, Ordering::SeqCst);
        self.sink.found(found)
    }

    fn notes(&mut self, notes: Vec<u8>) {
        self.sink.notes(notes);
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.sink.problem(diagnostic);
    }
}

impl SourceOverrides for Counting {
    fn inner(&self) -> &dyn SkillSource {
        &self.source
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        let known = CountingPackages { previous, counting: self };
        let previous =
            PreviousScan::new(&known).with_listing(previous.listing()).with_notes(previous.notes());
        self.source.scan(&previous, &mut CountingSink { sink, counting: self }, cancel)
    }
}

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nBody of {name}\n")
}

/// A tree of skills, one of which cannot be used, beside an empty place for the cache.
fn machine() -> Tree {
    let tree = Tree::new("//- /skills/broken/SKILL.md\nno frontmatter\n");
    for name in ["a", "b", "c"] {
        tree.write(&format!("skills/{name}/SKILL.md"), skill(name, "First."));
    }
    tree
}

/// Starts, and returns the catalog and the number of files that were read.
fn start_with(tree: &Tree, policies: Policies) -> (Arc<Catalog>, usize) {
    let (runtime, source) = runtime_of(tree, policies, SystemTime::UNIX_EPOCH);
    (runtime.catalog(), source.reads.load(Ordering::SeqCst))
}

/// Starts a runtime. Changes of directories before a time count as old, so that it is relied on.
fn runtime_of(
    tree: &Tree,
    policies: Policies,
    old_before: SystemTime,
) -> (Runtime, Arc<OverriddenSource<Counting>>) {
    // Long after the files were written, so that their times can be relied on.
    let clock = Arc::new(ManualClock::at(Timestamp(32_503_680_000_000)));
    let source = FsSource::new(FsConfig::new(tree.join("skills")), clock);
    let source = source.with_old_changes(old_before);
    let source = Counting { source, reads: AtomicUsize::new(0), asked: AtomicUsize::new(0) };
    let source = Arc::new(OverriddenSource(source));
    let runtime = dynamic::builder()
        .policies(policies)
        .record_cache(RecordCache::new(tree.join("cache"), "build"))
        .source("user", Arc::clone(&source) as Arc<dyn SkillSource>)
        .build()
        .expect("there is nothing wrong with it");
    (runtime, source)
}

fn start(tree: &Tree) -> (Arc<Catalog>, usize) {
    start_with(tree, Policies::default())
}

/// Starts twice: files that changed just before the first scan may be read again by the second.
fn stable(tree: &Tree) -> (Arc<Catalog>, usize) {
    start(tree);
    start(tree)
}

/// All that a catalog says.
fn reported(catalog: &Catalog) -> (Vec<String>, Vec<Diagnostic>) {
    let record = |skill: prowess::Record<'_>| {
        format!("{skill:?} {} {}", skill.description(), skill.location())
    };
    (catalog.skills().map(record).collect(), catalog.diagnostics().cloned().collect())
}

#[test]
fn unchanged_file_is_not_read() {
    let tree = machine();
    let (first, reads) = start(&tree);
    assert_eq!((first.len(), reads), (3, 4), "the first start reads each");
    let (second, reads) = stable(&tree);
    assert_eq!(reads, 0, "a later one reads none, not even the one that cannot be used");
    assert_eq!(reported(&second), reported(&first), "and says what the first one said");
}

#[test]
fn unchanged_root_is_not_listed_and_nothing_is_written() {
    let tree = machine();
    let old_before = time_after_changes(tree.path());
    let start = || runtime_of(&tree, Policies::default(), old_before);
    let (first, source) = start();
    assert_eq!(source.asked.load(Ordering::SeqCst), 4, "the first start lists the root");
    let is_dated = first.catalog().sources()[0].records.listing().is_some();
    let written = || {
        let files = fs::read_dir(tree.join("cache")).unwrap();
        files.map(|file| file.unwrap().metadata().unwrap().modified().unwrap()).collect::<Vec<_>>()
    };
    let kept = written();
    let (second, source) = start();
    let asked = source.asked.load(Ordering::SeqCst);
    assert_eq!(asked, if is_dated { 0 } else { 4 }, "where directories are dated, no name is read");
    assert_eq!(reported(&second.catalog()), reported(&first.catalog()), "and all is there");
    assert_eq!(written(), kept, "what is known is not written again");
    tree.write("skills/d/SKILL.md", skill("d", "New."));
    assert_eq!(start().0.catalog().len(), 4, "what comes is found");
}

#[test]
fn changed_added_and_repaired_files_are_read() {
    let tree = machine();
    stable(&tree);
    tree.write("skills/a/SKILL.md", skill("a", "Other."));
    tree.write("skills/d/SKILL.md", skill("d", "New."));
    fs::remove_dir_all(tree.join("skills/b")).unwrap();
    tree.write("skills/broken/SKILL.md", skill("broken", "Mended."));
    let (catalog, reads) = start(&tree);
    let found: Vec<_> = catalog.skills().map(|skill| (skill.id(), skill.description())).collect();
    let expected = [("a", "Other."), ("broken", "Mended."), ("c", "First."), ("d", "New.")];
    assert_eq!((found, reads), (expected.to_vec(), 3), "each that is new or changed is read");
    assert_eq!(stable(&tree).1, 0, "and is known from then on");
}

/// A cache says what is offered. What is loaded, and its digest, is of the file.
#[test]
fn loaded_body_is_that_of_the_file() {
    let tree = machine();
    stable(&tree);
    let (runtime, source) = runtime_of(&tree, Policies::default(), SystemTime::UNIX_EPOCH);
    assert_eq!(source.reads.load(Ordering::SeqCst), 0, "all that is known is of the cache");
    let session = runtime.open_session().expect("the store is in memory");
    for text in [None, Some("Other."), Some("Once more.")] {
        if let Some(text) = text {
            tree.write("skills/a/SKILL.md", skill("a", text));
        }
        let turn = runtime.turn(&session).expect("the store is in memory");
        let load = ToolCall::new("skills_load", json!({"names": ["a"]}));
        let receipt = turn.call(&load).result.structured.expect("a receipt is data");
        let file = fs::read(tree.join("skills/a/SKILL.md")).expect("it is there");
        let digest = &receipt["active_skills"][0]["digest"];
        assert_eq!(*digest, Digest::of(&file).to_string(), "{text:?} is not in the catalog yet");
    }
}

#[test]
fn another_policy_has_records_of_its_own() {
    let tree = machine();
    stable(&tree);
    let mut policies = Policies::default();
    policies.registry.id_from = prowess::registry::IdFrom::Directory;
    assert_eq!(start_with(&tree, policies).1, 4, "what the policy decides is read again");
    assert_eq!(start(&tree).1, 0, "and the other one's is still there");
}

#[test]
fn a_damaged_cache_is_reported_once_and_rebuilt() {
    let tree = machine();
    let (first, _) = start(&tree);
    for file in fs::read_dir(tree.join("cache")).unwrap() {
        fs::write(file.unwrap().path(), "damaged").unwrap();
    }
    let (second, reads) = start(&tree);
    assert_eq!(reads, 4, "every file is read");
    let codes: Vec<_> = second.diagnostics().map(|found| found.code.as_str()).collect();
    assert!(codes.contains(&"cache-ignored"), "and that is reported: {codes:?}");
    let (third, reads) = stable(&tree);
    assert_eq!((reported(&third), reads), (reported(&first), 0), "then all is as before");
}

#[test]
fn cache_that_cannot_be_written_is_a_warning() {
    let tree =
        Tree::new("//- /file\ntext\n//- /user/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n");
    let cache = RecordCache::new(tree.join("file/cache"), "build");
    let builder = Runtime::builder().record_cache(cache);
    let runtime =
        builder.skills_directory("user", tree.join("user")).build().expect("it is complete");
    let catalog = runtime.catalog();
    assert_eq!(catalog.len(), 1, "everything is found");
    let codes: Vec<_> = catalog.diagnostics().map(|found| found.code.as_str()).collect();
    assert!(codes.contains(&"cache-not-written"), "and the next start is slower: {codes:?}");
}
