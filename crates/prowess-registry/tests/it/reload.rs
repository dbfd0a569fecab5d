//! What a reload reads again, what it keeps, and when the catalog becomes another one.

use std::sync::Arc;

use prowess_core::{Cancel, CatalogProvider, Trust};
use prowess_registry::{Changes, Registry};

use crate::fixture::{Changing, memory, registry, skill_md};

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

/// Reloads and checks what was read, what the changes were, and whether the generation grew.
#[track_caller]
fn check(source: &Changing, registry: &Registry, reads: usize, wanted: Changes) {
    let before = registry.catalog();
    let reload = registry.reload();
    assert_eq!(reload.changes, wanted);
    assert_eq!(source.take_reads(), reads, "files read again");
    let grown = reload.catalog.generation() - before.generation();
    assert_eq!(grown, u64::from(!wanted.is_none()), "the generation grows with a change alone");
}

fn changes(change: impl FnOnce(&mut Changes)) -> Changes {
    let mut changes = Changes::default();
    change(&mut changes);
    changes
}

#[test]
fn nothing_changed_reads_nothing_and_keeps_the_very_catalog() {
    let (source, registry) = loaded(&["a", "b", "c"]);
    let before = registry.catalog();
    check(&source, &registry, 0, changes(|changes| changes.unchanged = 3));
    assert!(Arc::ptr_eq(&before, &registry.catalog()), "the same catalog is handed out");
}

#[test]
fn one_changed_reads_one() {
    let (source, registry) = loaded(&["a", "b", "c"]);
    let before = registry.catalog();
    source.set("b", skill_md("b", "second"), 2);
    let wanted = changes(|changes| (changes.unchanged, changes.changed) = (2, 1));
    check(&source, &registry, 1, wanted);
    let describe = |catalog: &prowess_core::Catalog, id| {
        catalog.get(id).map(|skill| skill.description().to_owned())
    };
    assert_eq!(describe(&registry.catalog(), "b").as_deref(), Some("second"));
    assert_eq!(describe(&before, "b").as_deref(), Some("first"), "a pinned catalog stays as it is");
}

/// What readers derived from the catalog, such as a prompt, is then only revised.
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

/// The next scan asks in the order of the directory, and finds each where it left it.
#[test]
fn records_keep_the_order_of_the_scan_whatever_was_read_again() {
    let (source, registry) = loaded(&["a", "b", "c", "d"]);
    let packages = || -> Vec<String> {
        let catalog = registry.reload().catalog;
        let records = &catalog.sources()[0].records;
        (0..records.len()).map(|at| records.package(at).to_owned()).collect()
    };
    source.set("e", skill_md("e", "new"), 1);
    assert_eq!(packages(), ["a", "b", "c", "d", "e"], "a new one is where the scan came to it");
    source.set("c", skill_md("c", "second"), 2);
    source.remove("b");
    assert_eq!(packages(), ["a", "c", "d", "e"], "a changed one is where it was");
}

#[test]
fn added_and_removed_skills_come_and_go() {
    let (source, registry) = loaded(&["a", "b"]);
    source.remove("a");
    source.set("c", skill_md("c", "new"), 1);
    let wanted = changes(|changes| (changes.unchanged, changes.added, changes.removed) = (1, 1, 1));
    check(&source, &registry, 1, wanted);
    let catalog = registry.catalog();
    assert_eq!(catalog.skills().map(|skill| skill.id()).collect::<Vec<_>>(), ["b", "c"]);
}

#[test]
fn a_stamp_that_cannot_be_relied_on_is_read_again_without_being_a_change() {
    let (source, registry) = loaded(&["a"]);
    source.set("a", skill_md("a", "first"), 0);
    check(&source, &registry, 1, changes(|changes| changes.changed = 1));
    check(&source, &registry, 1, changes(|changes| changes.unchanged = 1));
    source.set("a", skill_md("a", "first"), 7);
    check(&source, &registry, 1, changes(|changes| changes.unchanged = 1));
    check(&source, &registry, 0, changes(|changes| changes.unchanged = 1));
}

#[test]
fn a_bad_file_is_read_once_and_its_finding_stays() {
    let (source, registry) = loaded(&["a"]);
    source.set("b", "nonsense", 1);
    let wanted = changes(|changes| (changes.unchanged, changes.rejected) = (1, 1));
    check(&source, &registry, 1, wanted);
    check(&source, &registry, 0, changes(|changes| changes.unchanged = 1));
    source.set("a", skill_md("a", "second"), 2);
    check(&source, &registry, 1, changes(|changes| changes.changed = 1));
    let catalog = registry.catalog();
    let told: Vec<_> = catalog.diagnostics().map(|found| found.code.as_str()).collect();
    assert_eq!(told, ["frontmatter-missing"], "the finding about `b` outlives a reload of `a`");
    source.set("b", skill_md("b", "mended"), 2);
    let wanted = changes(|changes| (changes.unchanged, changes.changed) = (1, 1));
    check(&source, &registry, 1, wanted);
    assert_eq!(registry.catalog().diagnostics().count(), 0, "the finding goes with its cause");
}

#[test]
fn a_source_that_fails_keeps_its_last_good_scan() {
    let (source, registry) = loaded(&["a"]);
    source.break_down(true);
    let reload = registry.reload();
    assert!(reload.catalog.get("a").is_some(), "the skill is still offered");
    let told: Vec<_> = reload.catalog.diagnostics().map(ToString::to_string).collect();
    let sentence = "changing://: error[source-failed]: source `changing` could not be scanned: the disk is gone";
    assert_eq!(told, [sentence]);
    source.break_down(false);
    assert_eq!(
        registry.reload().catalog.diagnostics().count(),
        0,
        "the finding goes with its cause"
    );
}

#[test]
fn a_cancelled_reload_keeps_what_there_was() {
    let source = memory("user", &[("a", "fine")]);
    let registry = registry(vec![("user", Trust::Trusted, source)]);
    registry.reload();
    let cancel = Cancel::default();
    cancel.cancel();
    let reload = registry.reload_until(&cancel);
    assert!(reload.catalog.get("a").is_some(), "nothing is lost by ending early");
    assert_eq!(reload.catalog.diagnostics().count(), 1, "and it is said");
}
