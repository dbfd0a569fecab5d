//! The last good version of a broken skill.

use std::sync::Arc;

use prowess_core::{Catalog, CatalogProvider};
use prowess_registry::{OnBroken, Registry, RegistryPolicy, codes};

use crate::fixture::{Changing, skill_md, user};

fn registry(source: &Arc<Changing>, on_broken: OnBroken) -> Registry {
    let policy = RegistryPolicy { on_broken, ..RegistryPolicy::default() };
    user(source.clone()).policy(policy).build().expect("the layer is valid")
}

/// Returns the description of `pdf` in a catalog, and the codes of all findings.
fn pdf_and_findings(catalog: &Catalog) -> (Option<String>, Vec<String>) {
    let description = catalog.get("pdf").map(|skill| skill.description().to_owned());
    let codes =
        catalog.diagnostics().map(|found| format!("{} {}", found.severity.as_str(), found.code));
    (description, codes.collect())
}

/// Writes one version after the other, and checks the description and the findings after each.
#[track_caller]
fn check(on_broken: OnBroken, versions: &[(&str, Option<&str>, &[&str])]) {
    let source = Arc::new(Changing::default());
    let registry = registry(&source, on_broken);
    for (stamp, (text, description, codes)) in (1..).zip(versions) {
        source.set("pdf", *text, stamp);
        for _ in 0..2 {
            let catalog = registry.reload().catalog;
            let (found, reported) = pdf_and_findings(&catalog);
            assert_eq!(found.as_deref(), *description, "the description after version {stamp}");
            assert_eq!(reported, *codes, "the findings after version {stamp}, at once and later");
        }
    }
}

const HALF: &str = "---\nname: pdf\ndescription: Fills fo";

#[test]
fn broken_version_does_not_replace_a_good_one() {
    let (first, second) = (skill_md("pdf", "first"), skill_md("pdf", "second"));
    let kept: &[&str] = &["warning skill-kept", "warning frontmatter-unclosed"];
    check(
        OnBroken::KeepLast,
        &[
            (&first, Some("first"), &[]),
            (HALF, Some("first"), kept),
            ("", Some("first"), &["warning skill-kept", "warning file-empty"]),
            (&second, Some("second"), &[]),
        ],
    );
}

#[test]
fn broken_new_skill_is_not_kept() {
    let good = skill_md("pdf", "repaired");
    let bad: &[&str] = &["error frontmatter-unclosed"];
    check(
        OnBroken::KeepLast,
        &[(HALF, None, bad), (HALF, None, bad), (&good, Some("repaired"), &[])],
    );
}

#[test]
fn policy_may_drop_broken_skills() {
    let good = skill_md("pdf", "first");
    let bad: &[&str] = &["error frontmatter-unclosed"];
    check(OnBroken::Drop, &[(&good, Some("first"), &[]), (HALF, None, bad)]);
}

#[test]
fn finding_has_the_first_generation() {
    let source = Arc::new(Changing::default());
    let registry = registry(&source, OnBroken::KeepLast);
    source.set("pdf", skill_md("pdf", "first"), 1);
    registry.reload();
    let kept = |catalog: &Catalog| {
        let reported = catalog.diagnostics().find(|found| found.code.as_str() == "skill-kept");
        reported.map(ToString::to_string)
    };
    // A racy stamp: the file is read by each scan.
    source.set("pdf", HALF, 0);
    let first = registry.reload().catalog;
    let sentence = "changing:/pdf/SKILL.md: warning[skill-kept]: this version cannot be used; \
                    since generation 2 the last good one stays listed, and loads where it was \
                    loaded before";
    assert_eq!(kept(&first).as_deref(), Some(sentence));
    let again = registry.reload().catalog;
    assert!(Arc::ptr_eq(&first, &again), "the same findings are no change");
    source.set("other", skill_md("other", "new"), 1);
    let again = kept(&registry.reload().catalog);
    assert_eq!(again.as_deref(), Some(sentence), "the finding is unchanged");
    source.remove("pdf");
    assert!(registry.reload().catalog.get("pdf").is_none(), "a removed skill is not kept");
    assert_eq!(registry.catalog().diagnostics().count(), 0, "the finding is removed, too");
}

#[test]
fn unreadable_file_keeps_the_skill() {
    for (on_broken, kept) in [(OnBroken::KeepLast, true), (OnBroken::Drop, false)] {
        let source = Arc::new(Changing::default());
        let registry = registry(&source, on_broken);
        source.set("pdf", skill_md("pdf", "Good."), 1);
        registry.reload();
        source.remove("pdf");
        source.report("changing:/pdf/SKILL.md");
        for _ in 0..3 {
            let reload = registry.reload();
            let expected = kept.then(|| "Good.".to_owned());
            let codes = match kept {
                true => vec!["warning skill-kept".to_owned(), "warning not-a-file".to_owned()],
                false => vec!["error not-a-file".to_owned()],
            };
            assert_eq!(pdf_and_findings(&reload.catalog), (expected, codes), "{on_broken:?}");
        }
        source.report_nothing();
        source.set("pdf", skill_md("pdf", "Good."), 1);
        let again = pdf_and_findings(&registry.reload().catalog);
        assert_eq!(again, (Some("Good.".to_owned()), vec![]), "it can be read again");
        source.remove("pdf");
        let removed = pdf_and_findings(&registry.reload().catalog);
        assert_eq!(removed, (None, vec![]), "a removed skill is not kept");
    }
}

#[test]
fn skills_in_unreadable_directories_are_kept() {
    let source = Arc::new(Changing::default());
    for package in ["a/one", "a/two", "ab/three", "four"] {
        source.set(package, skill_md(package.rsplit('/').next().unwrap(), "Good."), 1);
    }
    let registry = registry(&source, OnBroken::KeepLast);
    registry.reload();
    let check = |shut: &[&str], ids: &[&str], kept: usize| {
        source.shut(shut);
        let first = registry.reload().catalog;
        for _ in 0..2 {
            let catalog = registry.reload().catalog;
            assert!(Arc::ptr_eq(&first, &catalog), "the same findings are no change: {shut:?}");
            assert!(catalog.skills().map(|skill| skill.id()).eq(ids.iter().copied()), "{shut:?}");
            let findings = catalog.diagnostics().filter(|found| found.code == codes::SKILL_KEPT);
            assert_eq!(findings.count(), kept, "{shut:?}");
        }
    };
    source.remove("a/two");
    source.remove("ab/three");
    check(&["a"], &["four", "one", "two"], 2);
    check(&[""], &["four", "one", "two"], 3);
    check(&[], &["four", "one"], 0);
}

#[test]
fn restored_records_are_not_a_fallback() {
    let source = Arc::new(Changing::default());
    source.set("pdf", skill_md("pdf", "Good."), 1);
    let first = registry(&source, OnBroken::KeepLast).reload().catalog;
    let records = Arc::clone(&first.sources()[0].records);
    source.break_down(true);
    let builder = user(source.clone()).restore(|_| Some(Arc::clone(&records)));
    let registry = builder.build().expect("the layer is valid");
    let expected = (None, vec!["error source-failed".to_owned()]);
    let found = pdf_and_findings(&registry.reload().catalog);
    assert_eq!(found, expected, "a restored record is not offered before a scan");
    source.break_down(false);
    source.set("pdf", "broken", 2);
    let (description, _) = pdf_and_findings(&registry.reload().catalog);
    assert_eq!(description, None, "this run has not seen a good version");
}

#[test]
fn record_of_an_earlier_run_is_no_fallback() {
    let source = Arc::new(Changing::default());
    source.set("pdf", skill_md("pdf", "first"), 1);
    let earlier = registry(&source, OnBroken::KeepLast).reload().catalog;
    let records = Arc::clone(&earlier.sources()[0].records);
    source.set("pdf", HALF, 2);
    let builder = user(source).restore(|_| Some(Arc::clone(&records)));
    let catalog = builder.build().expect("the layer is valid").reload().catalog;
    let (description, codes) = pdf_and_findings(&catalog);
    assert_eq!((description, codes), (None, vec!["error frontmatter-unclosed".to_owned()]));
}

#[test]
fn broken_skill_is_counted_by_its_treatment() {
    for (on_broken, expected) in [(OnBroken::KeepLast, (1, 0)), (OnBroken::Drop, (0, 1))] {
        let source = Arc::new(Changing::default());
        let registry = registry(&source, on_broken);
        source.set("pdf", skill_md("pdf", "first"), 1);
        registry.reload();
        source.set("pdf", HALF, 2);
        let changes = registry.reload().changes;
        assert_eq!((changes.unchanged, changes.removed), expected, "{on_broken:?}");
    }
}

#[test]
fn unreadable_file_that_was_never_good_is_not_kept() {
    let source = Arc::new(Changing::default());
    let registry = registry(&source, OnBroken::KeepLast);
    source.set("pdf", HALF, 1);
    registry.reload();
    source.remove("pdf");
    source.report("changing:/pdf/SKILL.md");
    let (description, codes) = pdf_and_findings(&registry.reload().catalog);
    assert_eq!((description, codes), (None, vec!["error not-a-file".to_owned()]));
}
