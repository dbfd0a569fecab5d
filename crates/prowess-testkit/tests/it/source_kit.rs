//! The in-memory source passes, and each rule of a source has a source that breaks it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use prowess_core::{MemorySource, SkillSource};
use prowess_testkit::{Changing, SourceFixture, Unreadable, WayOut, check_source};

use crate::broken_source::{BrokenSource, FAULTS};

pub(crate) fn memory(files: &[(&str, &[u8])]) -> MemorySource {
    let builder = MemorySource::builder("kit");
    let builder = files.iter().fold(builder, |builder, (path, bytes)| builder.file(path, bytes));
    builder.build().expect("the kit's paths are paths")
}

struct Memory;

impl SourceFixture for Memory {
    fn source(&self, files: &[(&str, &[u8])]) -> Arc<dyn SkillSource> {
        Arc::new(memory(files))
    }
}

#[test]
fn memory_source_passes() {
    check_source(&Memory);
}

/// Makes sources with one fault.
struct Broken(&'static str);

impl Broken {
    fn make(&self, files: &[(&str, &[u8])]) -> Arc<dyn SkillSource> {
        Arc::new(BrokenSource::new(memory(files), self.0))
    }
}

impl SourceFixture for Broken {
    fn source(&self, files: &[(&str, &[u8])]) -> Arc<dyn SkillSource> {
        self.make(files)
    }

    fn with_unreadable(&self, files: &[(&str, &[u8])]) -> Option<Unreadable> {
        Some(Unreadable {
            source: Arc::new(BrokenSource::with_unreadable(memory(files), self.0)),
            path: "memory://kit/bad/SKILL.md".to_owned(),
        })
    }

    fn ways_out(&self) -> Vec<WayOut> {
        vec![WayOut {
            source: self.make(&[("alpha/SKILL.md", b"alpha")]),
            package: "alpha",
            resource: "link",
        }]
    }

    fn changing(&self, files: &[(&str, &[u8])]) -> Option<Changing> {
        let source = Arc::new(BrokenSource::new(memory(files), self.0));
        let changed = Arc::clone(&source);
        let write = move |file: &str, _: &[u8]| {
            changed.change(file.split('/').next().expect("a path has a first part"));
        };
        Some(Changing { source, write: Box::new(write) })
    }

    fn patience(&self) -> Duration {
        // This watch reports at once, or never.
        Duration::from_millis(50)
    }
}

/// Returns the report of the kit on a source with this fault.
fn verdict(fault: &'static str) -> Option<String> {
    let checked = catch_unwind(AssertUnwindSafe(|| check_source(&Broken(fault))));
    checked.err().map(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .expect("a panic of the kit has a text")
    })
}

/// The rules as the trait's documentation has them, each on one line.
fn documented_rules() -> Vec<String> {
    let text = include_str!("../../../prowess-core/src/source.rs");
    let list = text.split("/// # Behavior").nth(1).expect("the trait has a list");
    let list = list.split("pub trait").next().expect("which ends at the trait");
    let lines = list.lines().map(|line| line.trim_start_matches("///").trim());
    let list = lines.collect::<Vec<_>>().join(" ");
    let rules = list.split(" - ").map(|rule| rule.trim().trim_end_matches('.').to_owned());
    rules.filter(|rule| !rule.is_empty()).collect()
}

#[test]
fn correct_source_passes() {
    assert_eq!(verdict("none"), None, "the wrapper itself breaks nothing");
}

#[test]
fn each_fault_fails_its_rule() {
    let mut said = Vec::new();
    for fault in FAULTS.lines() {
        let text = verdict(fault).unwrap_or_else(|| panic!("{fault:?} is not found"));
        assert!(text.contains("the source breaks the rule"), "{fault:?}: {text}");
        said.push(text);
    }
    let rules = documented_rules();
    assert_eq!(rules.len(), 10, "the list of the trait has changed: {rules:#?}");
    for rule in rules {
        let is_checked = said.iter().any(|text| text.contains(&rule));
        assert!(is_checked, "no fault breaks the rule \"{rule}\"");
    }
}
