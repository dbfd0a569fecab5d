//! Real files that change under a runtime, by each policy.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use prowess::registry::{CatalogChange, Notice, Subscription};
use prowess::{Catalog, Clock, Policies, Runtime, RuntimeBuilder};
use prowess_testkit::{ManualClock, Tree};

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
