//! Real files that change under a runtime, by each policy.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use prowess::registry::{CatalogChange, Notice, Subscription};
use prowess::{Catalog, Clock, Policies, Runtime, RuntimeBuilder};
use prowess_testkit::{ManualClock, Random, Tree, without_override};

use crate::dynamic;

/// The longest wait for an event. A working refresher needs a fraction of it.
const LONG: Duration = Duration::from_secs(60);

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nBody\n")
}

fn runtime(root: &Path, yaml: &str, clock: Option<Arc<ManualClock>>) -> Runtime {
    let mut builder = dynamic::builder();
    if let Some(clock) = clock {
        let clock: Arc<dyn Clock> = clock;
        builder = builder.clock(clock);
    }
    built(builder, root, yaml)
}

fn built(builder: RuntimeBuilder, root: &Path, yaml: &str) -> Runtime {
    let policies = Policies::from_yaml(yaml).expect("the policies are good");
    let builder = builder.policies(policies).skills_directory("user", root);
    builder.build().expect("the runtime is complete")
}

/// A runtime whose source is linked: one that runs in a process of its own has rights of its own.
fn linked(root: &Path, yaml: &str) -> Runtime {
    built(Runtime::builder(), root, yaml)
}

/// A runtime that watches the directory and is past the setting-up of its watch.
fn watching(tree: &Tree) -> (Runtime, Subscription) {
    let runtime = runtime(tree.path(), "refresh: {mode: watch}", None);
    let subscription = runtime.subscribe();
    // Either the scan at the end of the setup finds it, or the watch reports it.
    tree.write("first/SKILL.md", skill("first", "The first."));
    wait_until(&runtime, &subscription, |catalog| catalog.get("first").is_some());
    (runtime, subscription)
}

/// Waits for changes until a catalog is as it should be; gives the changes.
#[track_caller]
fn wait_until(
    runtime: &Runtime,
    subscription: &Subscription,
    is_so: impl Fn(&Catalog) -> bool,
) -> Vec<Arc<CatalogChange>> {
    let mut changes = Vec::new();
    while !is_so(&runtime.catalog()) {
        match subscription.recv_timeout(LONG) {
            Some(Notice::Changed(change)) => changes.push(change),
            Some(_) => {}
            None => panic!("there is word of a change after {changes:?}"),
        }
    }
    changes
}

fn says(id: &str, description: &str) -> impl Fn(&Catalog) -> bool {
    move |catalog| catalog.get(id).is_some_and(|skill| skill.description() == description)
}

#[test]
fn a_watching_runtime_sees_skills_come_change_and_go() {
    let tree = Tree::new("");
    let (runtime, subscription) = watching(&tree);
    tree.write("group/pdf/SKILL.md", skill("pdf", "one"));
    wait_until(&runtime, &subscription, says("pdf", "one"));
    tree.write("group/pdf/SKILL.md", skill("pdf", "two"));
    wait_until(&runtime, &subscription, says("pdf", "two"));
    fs::rename(tree.join("group"), tree.join("team")).expect("it can be renamed");
    let is_moved = |catalog: &Catalog| {
        catalog.get("pdf").is_some_and(|skill| skill.package().as_str() == "team/pdf")
    };
    wait_until(&runtime, &subscription, is_moved);
    fs::remove_dir_all(tree.join("team")).expect("it goes");
    let changes = wait_until(&runtime, &subscription, |catalog| catalog.get("pdf").is_none());
    assert!(changes.iter().any(|change| change.removed.iter().eq(["pdf"])), "{changes:?}");
}

/// Saves a skill in an editor's way again and again, and checks that it is never gone and never said
/// to be broken.
#[track_caller]
fn check_saves(save: impl Fn(&Path, &str)) {
    let tree = Tree::new("");
    tree.write("pdf/SKILL.md", skill("pdf", "zero"));
    let (runtime, subscription) = watching(&tree);
    // Events of earlier writes may still arrive.
    let begun = runtime.catalog().generation();
    for description in ["one", "two", "three", "four", "five"] {
        save(&tree.join("pdf"), &skill("pdf", description));
        let is_it = says("pdf", description);
        let is_it = |catalog: &Catalog| {
            assert!(catalog.get("pdf").is_some(), "it is never gone");
            assert_eq!(catalog.diagnostics().count(), 0, "and never said to be broken");
            is_it(catalog)
        };
        let changes = wait_until(&runtime, &subscription, is_it);
        let is_change =
            |change: &Arc<CatalogChange>| change.from < begun || change.changed.iter().eq(["pdf"]);
        assert!(changes.iter().all(is_change), "it changes and nothing else does: {changes:?}");
    }
}

#[test]
fn a_save_in_any_editors_way_never_takes_a_skill_away() {
    check_saves(|package, text| fs::write(package.join("SKILL.md"), text).expect("a write"));
    check_saves(|package, text| {
        fs::write(package.join(".SKILL.md.tmp"), text).expect("a write");
        fs::rename(package.join(".SKILL.md.tmp"), package.join("SKILL.md")).expect("a rename");
    });
    check_saves(|package, text| {
        fs::rename(package.join("SKILL.md"), package.join("SKILL.md~")).expect("a rename");
        fs::write(package.join("SKILL.md"), text).expect("a write");
    });
    check_saves(|package, text| {
        use std::io::Write;
        let mut file = fs::File::create(package.join("SKILL.md")).expect("a file");
        for piece in text.as_bytes().chunks(7) {
            file.write_all(piece).expect("a piece is written");
        }
    });
}

#[test]
fn a_version_that_stays_broken_is_reported_and_the_last_good_one_stays() {
    let tree = Tree::new("");
    tree.write("pdf/SKILL.md", skill("pdf", "good"));
    let (runtime, subscription) = watching(&tree);
    tree.write("pdf/SKILL.md", "---\nname: pdf\ndescr");
    wait_until(&runtime, &subscription, |catalog| {
        assert!(says("pdf", "good")(catalog), "the last good version stays");
        catalog.diagnostics().any(|found| found.code.as_str() == "skill-kept")
    });
    tree.write("pdf/SKILL.md", skill("pdf", "repaired"));
    wait_until(&runtime, &subscription, says("pdf", "repaired"));
    assert_eq!(runtime.catalog().diagnostics().count(), 0, "its finding goes");
}

#[test]
fn a_root_that_comes_later_is_found() {
    let tree = Tree::new("");
    let policies = Policies::from_yaml("refresh: {mode: watch}").expect("the policies are good");
    let builder = dynamic::builder().policies(policies);
    let builder = builder.optional_skills_directory("user", tree.join("a/b"));
    let runtime = builder.build().expect("the directory is optional");
    let subscription = runtime.subscribe();
    tree.write("a/b/pdf/SKILL.md", skill("pdf", "there"));
    wait_until(&runtime, &subscription, says("pdf", "there"));
    tree.write("a/b/pdf/SKILL.md", skill("pdf", "changed"));
    wait_until(&runtime, &subscription, says("pdf", "changed"));
}

#[test]
fn after_a_storm_of_saves_the_catalog_is_that_of_a_fresh_scan() {
    let tree = Tree::new("");
    let (runtime, subscription) = watching(&tree);
    let mut random = Random::new(7, 0);
    for save in 0..5_000 {
        let name = format!("skill-{}", random.below(300));
        match random.below(10) {
            0 => drop(fs::remove_dir_all(tree.join(&name))),
            1 => drop(fs::rename(tree.join(&name), tree.join(&format!("{name}-moved")))),
            _ => tree.write(&format!("{name}/SKILL.md"), skill(&name, &save.to_string())),
        }
    }
    tree.write("last/SKILL.md", skill("last", "The last."));
    let list = |catalog: &Catalog| -> Vec<_> {
        let line =
            |skill: prowess::Record<'_>| format!("{} {}", skill.location(), skill.description());
        catalog.skills().map(line).collect()
    };
    let fresh = list(&self::runtime(tree.path(), "", None).catalog());
    while list(&runtime.catalog()) != fresh {
        if subscription.recv_timeout(LONG).is_none() {
            let found = list(&runtime.catalog());
            let only = |one: &[String], other: &[String]| -> Vec<_> {
                one.iter().filter(|line| !other.contains(line)).cloned().collect()
            };
            panic!("left {:?}, missing {:?}", only(&found, &fresh), only(&fresh, &found));
        }
    }
}

#[test]
fn a_turn_reloads_by_age_alone() {
    let tree = Tree::new("");
    let clock = Arc::new(ManualClock::default());
    let runtime = runtime(tree.path(), "refresh: {mode: ttl}", Some(Arc::clone(&clock)));
    let session = runtime.open_session().expect("a conversation opens");
    tree.write("pdf/SKILL.md", skill("pdf", "new"));
    let skills = || runtime.turn(&session).expect("a turn begins").catalog().len();
    clock.advance(Duration::from_secs(299));
    assert_eq!(skills(), 0, "at 299 s the catalog is young enough");
    assert!(runtime.refresh().is_some(), "and the cool-down is over");
    assert_eq!(skills(), 1);
    fs::remove_dir_all(tree.join("pdf")).expect("it goes");
    clock.advance(Duration::from_secs(59));
    assert!(runtime.refresh().is_none(), "59 s later it is not");
    clock.advance(Duration::from_secs(241));
    assert_eq!(skills(), 0, "at 300 s a turn reloads");
}

#[test]
fn refreshing_can_be_turned_off() {
    for yaml in ["", "refresh: {mode: manual}"] {
        let tree = Tree::new("");
        let clock = Arc::new(ManualClock::default());
        let runtime = runtime(tree.path(), yaml, Some(Arc::clone(&clock)));
        tree.write("pdf/SKILL.md", skill("pdf", "new"));
        clock.advance(Duration::from_secs(1_000_000));
        let session = runtime.open_session().expect("a conversation opens");
        let turn = runtime.turn(&session).expect("a turn begins");
        assert_eq!(turn.catalog().generation(), 1, "nothing is seen");
        assert_eq!(runtime.reload().catalog.len(), 1, "until it is asked for");
    }
}

const POLLING: &str = "refresh: {mode: poll, poll_seconds: 1}";

/// An edit of the body alone changes nothing in the catalog.
#[test]
fn each_edit_of_a_body_is_reported_however_soon_it_comes() {
    let tree = Tree::new("");
    let (runtime, subscription) = watching(&tree);
    let write = |body: &str| tree.write("pdf/SKILL.md", skill("pdf", "Fills forms.") + body);
    write("");
    wait_until(&runtime, &subscription, says("pdf", "Fills forms."));
    for body in ["one", "three", "fourteen"] {
        write(body);
        let is_reported = || match subscription.recv_timeout(LONG) {
            Some(Notice::Changed(change)) => change.changed.iter().eq(["pdf"]),
            other => panic!("the edit `{body}` is reported: {other:?}"),
        };
        while !is_reported() {}
    }
}

/// Makes a skill unreadable under a poll: it stays, and the next polls report nothing.
#[track_caller]
fn check_no_news(runtime: &Runtime, close: impl FnOnce()) {
    let subscription = runtime.subscribe();
    close();
    let is_kept = |catalog: &Catalog| {
        assert!(says("pdf", "Good.")(catalog), "the last good version stays");
        catalog.diagnostics().any(|found| found.code.as_str() == "skill-kept")
    };
    wait_until(runtime, &subscription, is_kept);
    let generation = runtime.catalog().generation();
    let news = subscription.recv_timeout(Duration::from_millis(2_500));
    assert!(news.is_none(), "two polls have found nothing new: {news:?}");
    assert_eq!(runtime.catalog().generation(), generation, "the catalog is the same");
}

#[test]
fn a_file_that_stays_unreadable_is_no_news_to_a_poll() {
    let tree = Tree::new("");
    tree.write("group/pdf/SKILL.md", skill("pdf", "Good."));
    let file = tree.join("group/pdf/SKILL.md");
    check_no_news(&runtime(tree.path(), POLLING, None), || {
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
    });
}

#[test]
fn a_directory_that_stays_shut_is_no_news_to_a_poll() {
    without_override(|| {
        let tree = Tree::new("");
        tree.write("group/pdf/SKILL.md", skill("pdf", "Good."));
        let group = tree.join("group");
        let rights = |mode| fs::set_permissions(&group, fs::Permissions::from_mode(mode)).unwrap();
        check_no_news(&linked(tree.path(), POLLING), || rights(0o000));
        rights(0o700);
    });
}

/// Rights that are changed, a disk that fails for a moment: the packages of a directory that cannot be
/// read are not removed.
#[test]
fn a_directory_that_is_shut_for_a_while_takes_no_skill_away() {
    without_override(|| {
        let tree = Tree::new("");
        for name in ["pdf", "sql"] {
            tree.write(&format!("group/{name}/SKILL.md"), skill(name, "Good."));
        }
        let runtime = linked(tree.path(), "{}");
        let group = tree.join("group");
        let rights = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the rights change");
        };
        let state = |runtime: &Runtime| {
            let catalog = runtime.reload().catalog;
            let ids = catalog.skills().map(|skill| skill.id().to_owned());
            let codes = catalog.diagnostics().map(|found| found.code.as_str().to_owned());
            let mut codes: Vec<_> = codes.collect();
            codes.sort_unstable();
            (ids.collect::<Vec<_>>(), codes)
        };
        let all = |codes: &[&str]| {
            let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
            (owned(&["pdf", "sql"]), owned(codes))
        };
        for mode in [0o000, 0o300] {
            rights(&group, mode);
            let reported = ["directory-unreadable", "skill-kept", "skill-kept"];
            assert_eq!(state(&runtime), all(&reported), "{mode:o}");
            rights(&group, 0o700);
            assert_eq!(state(&runtime), all(&[]), "it is open again");
        }
        rights(&group.join("pdf"), 0o000);
        assert_eq!(state(&runtime), all(&["directory-unreadable", "skill-kept"]));
        rights(&group.join("pdf"), 0o700);
        rights(tree.path(), 0o000);
        let reported = ["directory-unreadable", "skill-kept", "skill-kept"];
        assert_eq!(state(&runtime), all(&reported), "the root itself");
        rights(tree.path(), 0o700);
        fs::remove_dir_all(&group).expect("it goes");
        assert_eq!(state(&runtime), (vec![], vec![]), "what is gone is gone");
    });
}

#[test]
fn a_file_that_cannot_be_read_any_more_takes_no_skill_away() {
    let tree = Tree::new("");
    tree.write("pdf/SKILL.md", skill("pdf", "Good."));
    let runtime = runtime(tree.path(), "{}", None);
    let (file, aside) = (tree.join("pdf/SKILL.md"), tree.join("pdf/aside.md"));
    fs::rename(&file, &aside).unwrap();
    fs::create_dir(&file).unwrap();
    let codes = |catalog: &Catalog| {
        let found = catalog.diagnostics().map(|found| found.code.as_str().to_owned());
        found.collect::<Vec<_>>()
    };
    let catalog = runtime.reload().catalog;
    assert!(says("pdf", "Good.")(&catalog), "the last good version stays");
    assert_eq!(codes(&catalog), ["skill-kept", "not-a-file"], "and that is reported");
    fs::remove_dir(&file).unwrap();
    fs::rename(&aside, &file).unwrap();
    let catalog = runtime.reload().catalog;
    assert!(says("pdf", "Good.")(&catalog));
    assert_eq!(codes(&catalog), Vec::<String>::new(), "all is well again");
}
