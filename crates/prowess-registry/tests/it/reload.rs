//! Reloads: which files are read, and when the catalog changes.

use std::sync::Arc;

use prowess_core::{Cancel, CatalogProvider, Trust};
use prowess_registry::{Changes, Registry};

use crate::fixture::{Changing, memory, registry, skill_md, user};

fn loaded(skills: &[&str]) -> (Arc<Changing>, Registry) {
    let source = Arc::new(Changing::default());
    for skill in skills {
        source.set(skill, skill_md(skill, "first"), 1);
    }
    let registry = registry(vec![("user", Trust::Trusted, source.clone())]);
    registry.reload();
    source.take_reads();
    (source, registry)
}

/// Reloads, and checks the number of reads, the changes and the generation.
#[track_caller]
fn check(source: &Changing, registry: &Registry, reads: usize, wanted: Changes) {
    let before = registry.catalog();
    let reload = registry.reload();
    assert_eq!(reload.changes, wanted);
    assert_eq!(source.take_reads(), reads, "files read again");
    let grown = reload.catalog.generation() - before.generation();
    assert_eq!(grown, u64::from(!wanted.is_none()), "only a change increases the generation");
}

fn changes(change: impl FnOnce(&mut Changes)) -> Changes {
    let mut changes = Changes::default();
    change(&mut changes);
    changes
}

#[test]
fn unchanged_source_keeps_the_catalog() {
    let (source, registry) = loaded(&["a", "b", "c"]);
    let before = registry.catalog();
    check(&source, &registry, 0, changes(|changes| changes.unchanged = 3));
    assert!(Arc::ptr_eq(&before, &registry.catalog()), "the catalog is the same object");
}

#[test]
fn only_changed_files_are_read() {
    let (source, registry) = loaded(&["a", "b", "c"]);
    let before = registry.catalog();
    source.set("b", skill_md("b", "second"), 2);
    let wanted = changes(|changes| (changes.unchanged, changes.changed) = (2, 1));
    check(&source, &registry, 1, wanted);
    let describe = |catalog: &prowess_core::Catalog, id| {
        catalog.get(id).map(|skill| skill.description().to_owned())
    };
    assert_eq!(describe(&registry.catalog(), "b").as_deref(), Some("second"));
    assert_eq!(describe(&before, "b").as_deref(), Some("first"), "an earlier catalog is unchanged");
}

/// Values derived from the catalog, such as a prompt, are then only revised.
#[test]
fn changed_description_keeps_the_resolution() {
    let (source, registry) = loaded(&["a", "b"]);
    let before = registry.catalog();
    source.set("b", skill_md("b", "second"), 2);
    registry.reload();
    let after = registry.catalog();
    let revised = after.revised_since(&before).expect("nothing but a text has changed");
    let texts: Vec<_> = revised.iter().map(|pair| pair.map(|skill| skill.description())).collect();
    assert_eq!(texts, [["first", "second"]]);
}

/// The next scan reports in the order of the directory, which makes lookups fast.
#[test]
fn records_keep_the_scan_order() {
    let (source, registry) = loaded(&["a", "b", "c", "d"]);
    let packages = || -> Vec<String> {
        let catalog = registry.reload().catalog;
        let records = &catalog.sources()[0].records;
        (0..records.len()).map(|at| records.package(at).to_owned()).collect()
    };
    source.set("e", skill_md("e", "new"), 1);
    assert_eq!(packages(), ["a", "b", "c", "d", "e"], "a new record is at its scan position");
    source.set("c", skill_md("c", "second"), 2);
    source.remove("b");
    assert_eq!(packages(), ["a", "c", "d", "e"], "a changed record keeps its position");
}

#[test]
fn added_and_removed_skills_are_counted() {
    let (source, registry) = loaded(&["a", "b"]);
    source.remove("a");
    source.set("c", skill_md("c", "new"), 1);
    let wanted = changes(|changes| (changes.unchanged, changes.added, changes.removed) = (1, 1, 1));
    check(&source, &registry, 1, wanted);
    let catalog = registry.catalog();
    assert_eq!(catalog.skills().map(|skill| skill.id()).collect::<Vec<_>>(), ["b", "c"]);
}

#[test]
fn racy_stamp_is_read_again() {
    let (source, registry) = loaded(&["a"]);
    source.set("a", skill_md("a", "first"), 0);
    check(&source, &registry, 1, changes(|changes| changes.changed = 1));
    check(&source, &registry, 1, changes(|changes| changes.unchanged = 1));
    source.set("a", skill_md("a", "first"), 7);
    check(&source, &registry, 1, changes(|changes| changes.unchanged = 1));
    check(&source, &registry, 0, changes(|changes| changes.unchanged = 1));
}

#[test]
fn broken_file_is_read_once() {
    let (source, registry) = loaded(&["a"]);
    source.set("b", "nonsense", 1);
    let wanted = changes(|changes| (changes.unchanged, changes.rejected) = (1, 1));
    check(&source, &registry, 1, wanted);
    check(&source, &registry, 0, changes(|changes| changes.unchanged = 1));
    source.set("a", skill_md("a", "second"), 2);
    check(&source, &registry, 1, changes(|changes| changes.changed = 1));
    let catalog = registry.catalog();
    let reported: Vec<_> = catalog.diagnostics().map(|found| found.code.as_str()).collect();
    assert_eq!(reported, ["frontmatter-missing"], "the finding about `b` is kept");
    source.set("b", skill_md("b", "repaired"), 2);
    let wanted = changes(|changes| (changes.unchanged, changes.changed) = (1, 1));
    check(&source, &registry, 1, wanted);
    let findings = registry.catalog().diagnostics().count();
    assert_eq!(findings, 0, "the finding is removed with its cause");
}

#[test]
fn records_of_an_earlier_run_are_not_read_again() {
    let (source, earlier) = loaded(&["a", "b"]);
    let records = Arc::clone(&earlier.catalog().sources()[0].records);
    let registry = user(source.clone()).restore(|_| Some(Arc::clone(&records))).build();
    let registry = registry.expect("the layer is valid");
    source.set("b", skill_md("b", "second"), 2);
    registry.reload();
    assert_eq!(source.take_reads(), 1, "only the changed file is read");
    assert_eq!(registry.catalog().len(), 2);
}

#[test]
fn failed_source_keeps_its_last_scan() {
    let (source, registry) = loaded(&["a"]);
    source.break_down(true);
    let reload = registry.reload();
    assert!(reload.catalog.get("a").is_some(), "the skill is still offered");
    let reported: Vec<_> = reload.catalog.diagnostics().map(ToString::to_string).collect();
    let sentence = "changing://: error[source-failed]: source `changing` could not be scanned: the disk is gone";
    assert_eq!(reported, [sentence]);
    source.break_down(false);
    let findings = registry.reload().catalog.diagnostics().count();
    assert_eq!(findings, 0, "the finding is removed with its cause");
}

#[test]
fn cancelled_reload_keeps_the_catalog() {
    let source = memory("user", &[("a", "fine")]);
    let registry = registry(vec![("user", Trust::Trusted, source)]);
    registry.reload();
    let cancel = Cancel::default();
    cancel.cancel();
    let reload = registry.reload_until(&cancel);
    assert!(reload.catalog.get("a").is_some(), "the skill is kept");
    assert_eq!(reload.catalog.diagnostics().count(), 1, "the cancellation has a finding");
}
