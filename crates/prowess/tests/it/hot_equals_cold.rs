//! A reloaded catalog equals a fresh one after any edits.
//!
//! Makes random edits of real files from a seed. After each batch, compares the reloaded catalog
//! with one of a first scan. The night makes more edits than the usual tests.

mod edits;
mod place;
mod view;

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use prowess::registry::{RefreshMode, RefreshPolicy, Refresher};
use prowess::{Catalog, CatalogProvider};
use prowess_testkit::Random;

use edits::{edit, edit_under_watch};
use place::{Place, ROOTS};
use view::{difference, view};

/// The maximum number of edits between two reloads.
const MOST_IN_A_BATCH: usize = 8;

/// Makes the edits of a seed and compares after each batch.
#[track_caller]
pub(crate) fn check(seed: u64, edits: usize) {
    let place = Place::new();
    let hot = place.registry();
    let mut random = Random::new(seed, 0);
    let mut made = 0;
    let mut generations = 0;
    while made < edits {
        let batch: Vec<_> = (0..=random.below(MOST_IN_A_BATCH))
            .filter_map(|_| edit(&place, &mut random).ok())
            .collect();
        made += batch.len();
        place.choose_clock(&mut random);
        let pinned = hot.catalog();
        let before = view(&pinned);
        let reloaded = hot.reload().catalog;
        let cold = place.registry().reload().catalog;
        let story = || format!("seed {seed}, edit {made}, after\n{}", batch.join("\n"));
        let (hot_view, cold_view) = (view(&reloaded), view(&cold));
        let differ = || format!("{}\n{}", story(), difference(&hot_view, &cold_view));
        assert!(hot_view == cold_view, "hot equals cold: {}", differ());
        assert!(view(&pinned) == before, "a pinned catalog stays as it is: {}", story());
        assert!(Arc::ptr_eq(&reloaded, &hot.catalog()), "the reloaded catalog is the current one");
        generations = reloaded.generation();
        place.wait_until_stable();
    }
    let least = u64::try_from(edits / 10).expect("it is small");
    assert!(generations > least, "the edits amount to something: {generations} generations");
}

#[test]
fn reloaded_catalog_equals_a_fresh_one() {
    check(1, 100);
}

/// As [`check`], with a fixed set of directories, so that its names are those of the first scan.
#[track_caller]
pub(crate) fn check_inside(seed: u64, versions: usize) {
    let mut place = Place::new();
    let root = place.path(ROOTS[0]);
    let skill = |at: usize| root.join(format!("skill-{at}/SKILL.md"));
    let text = |at: usize, version: usize| {
        format!("---\nname: skill-{at}\ndescription: Version {version}.\n---\n")
    };
    for at in 0..40 {
        fs::create_dir_all(root.join(format!("skill-{at}/inner"))).expect("room");
        fs::write(skill(at), text(at, 0)).expect("room");
    }
    place.count_changes_as_old();
    let hot = place.registry();
    hot.reload();
    let mut random = Random::new(seed, 2);
    for version in 1..=versions {
        let at = random.below(40);
        let (file, lower) = (skill(at), skill(at).with_file_name("skill.md"));
        let inner = file.with_file_name("inner").join("SKILL.md");
        // An edit of a missing file does nothing.
        let _ = match random.below(6) {
            0 => fs::remove_file(&file),
            1 => fs::rename(&file, &lower),
            2 => fs::rename(&file, &inner),
            3 => fs::write(&file, "spoilt"),
            _ => fs::write(&file, text(at, version)),
        };
        place.choose_clock(&mut random);
        let next_start = place.registry_after(&hot.catalog());
        let hot = view(&hot.reload().catalog);
        let cold = view(&place.registry().reload().catalog);
        let started = view(&next_start.reload().catalog);
        for (what, found) in [("hot", hot), ("started", started)] {
            let differ = || difference(&found, &cold);
            let file = file.display();
            assert!(found == cold, "{what}: seed {seed}, version {version}, {file}\n{}", differ());
        }
        place.wait_until_stable();
    }
}

#[test]
fn catalog_of_a_root_that_is_not_listed_again_equals_a_fresh_one() {
    check_inside(1, 20);
}

/// The longest wait for the report of an edit. A working watch needs a fraction of it.
const LONG: Duration = Duration::from_secs(60);

/// Returns the view of a catalog without `scan-truncated`, which only a walk reports.
fn watched_view(catalog: &Catalog) -> Vec<String> {
    let lines = view(catalog).into_iter();
    lines.filter(|line| !line.contains("scan-truncated")).collect()
}

/// As [`check`], without a call of reload: the operating system reports the packages that are
/// scanned, one by one or all of them.
#[track_caller]
pub(crate) fn check_watch(seed: u64, edits: usize) {
    let place = Place::new();
    let hot = Arc::new(place.registry());
    hot.reload();
    let subscription = hot.subscribe();
    let policy = RefreshPolicy { mode: Some(RefreshMode::Watch), ..RefreshPolicy::default() };
    let refresher = Refresher::start(Arc::clone(&hot), policy, place.clock());
    let _refresher = refresher.expect("a thread can be had");
    let mut random = Random::new(seed, 1);
    let mut made = 0;
    while made < edits {
        let batch: Vec<_> = (0..=random.below(MOST_IN_A_BATCH))
            .filter_map(|_| edit_under_watch(&place, &mut random).ok())
            .collect();
        made += batch.len();
        let cold = watched_view(&place.registry().reload().catalog);
        loop {
            let hot = watched_view(&hot.catalog());
            if hot == cold {
                break;
            }
            if subscription.recv_timeout(LONG).is_none() {
                let (story, differ) = (batch.join("\n"), difference(&hot, &cold));
                panic!(
                    "hot comes to equal cold: seed {seed}, edit {made}, after\n{story}\n{differ}"
                );
            }
        }
    }
}

#[test]
fn watched_catalog_comes_to_equal_a_fresh_one() {
    check_watch(1, 40);
}
