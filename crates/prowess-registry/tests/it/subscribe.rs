//! Subscriptions to changes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use prowess_core::{CatalogProvider, Facts, SkillSource, Trust};
use prowess_registry::{CatalogChange, IdList, Notice, Registry, Subscription};

use crate::fixture::{Changing, registry, skill_md, user};

fn two_layers() -> (Arc<Changing>, Arc<Changing>, Registry) {
    let (low, high) = (Arc::new(Changing::default()), Arc::new(Changing::default()));
    let sources: [Arc<dyn SkillSource>; 2] = [low.clone(), high.clone()];
    let layers = ["user", "project"].into_iter().zip(sources);
    let layers = layers.map(|(name, source)| (name, Trust::Trusted, source)).collect();
    (low, high, registry(layers))
}

#[track_caller]
fn check(changes: &Subscription, from: u64, added: &[&str], changed: &[&str], removed: &[&str]) {
    let [added, changed, removed] =
        [added, changed, removed].map(|ids| ids.iter().copied().collect());
    let wanted = CatalogChange { from, to: from + 1, added, changed, removed };
    assert_eq!(changes.try_recv(), Some(Notice::Changed(Arc::new(wanted))));
}

#[test]
fn change_lists_ids() {
    let (low, high, registry) = two_layers();
    let changes = registry.subscribe();
    for skill in ["a", "b", "c"] {
        low.set(skill, skill_md(skill, "first"), 1);
    }
    registry.reload();
    check(&changes, 0, &["a", "b", "c"], &[], &[]);

    low.remove("a");
    low.set("b", skill_md("b", "second"), 2);
    low.set("d", skill_md("d", "first"), 1);
    registry.reload();
    check(&changes, 1, &["d"], &["b"], &["a"]);

    high.set("c", skill_md("c", "first"), 1);
    registry.reload();
    check(&changes, 2, &[], &["c"], &[]);
    high.remove("c");
    let reload = registry.reload();
    check(&changes, 3, &[], &["c"], &[]);
    assert_eq!(reload.change.to, 4, "the reload returns the same change");

    let unchanged = registry.reload().change;
    assert!(unchanged.is_none(), "nothing has changed");
    assert_eq!((unchanged.from, unchanged.to), (4, 4), "the catalog is the same");
    assert_eq!(changes.try_recv(), None, "no notification is sent");
}

#[test]
fn changed_body_is_a_change() {
    let (low, _, registry) = two_layers();
    low.set("a", skill_md("a", "same"), 1);
    registry.reload();
    let changes = registry.subscribe();
    low.set("a", skill_md("a", "same") + "More\n", 2);
    registry.reload();
    check(&changes, 1, &[], &["a"], &[]);
}

#[test]
fn change_of_any_kind_is_a_change() {
    let ids = || ["a"].into_iter().collect::<IdList>();
    assert!(CatalogChange::default().is_none());
    for change in [
        CatalogChange { added: ids(), ..CatalogChange::default() },
        CatalogChange { changed: ids(), ..CatalogChange::default() },
        CatalogChange { removed: ids(), ..CatalogChange::default() },
    ] {
        assert!(!change.is_none(), "{change:?}");
        let lists = [&change.added, &change.changed, &change.removed];
        assert_eq!(lists.map(IdList::len).iter().sum::<usize>(), 1);
        assert!(lists.into_iter().flat_map(IdList::iter).eq(["a"]));
        assert_ne!(change, CatalogChange::default());
    }
    assert_eq!(format!("{:?}", ids()), r#"["a"]"#);
}

/// Has the programs that a test installs.
#[derive(Default)]
struct Machine(Mutex<Vec<&'static str>>);

impl Facts for Machine {
    fn system(&self) -> &str {
        "linux"
    }

    fn has_program(&self, name: &str) -> bool {
        self.0.lock().expect("the lock is not poisoned").contains(&name)
    }

    fn has_variable(&self, _name: &str) -> bool {
        false
    }

    fn has_config(&self, _key: &str) -> bool {
        false
    }
}

#[test]
fn another_skill_of_the_same_source_is_a_change() {
    let (source, machine) = (Arc::new(Changing::default()), Arc::new(Machine::default()));
    let needs = "---\nname: a\ndescription: It.\nmetadata:\n  openclaw:\n    requires:\n      bins: [jq]\n---\n";
    source.set("one/a", needs, 1);
    source.set("two/a", skill_md("a", "It."), 1);
    let registry = user(source.clone()).facts(machine.clone()).build();
    let registry = registry.expect("the layer is valid");
    registry.reload();
    let package = || registry.catalog().get("a").map(|skill| skill.package().to_string());
    assert_eq!(package().as_deref(), Some("two/a"));
    let changes = registry.subscribe();
    machine.0.lock().expect("the lock is not poisoned").push("jq");
    registry.reload();
    assert_eq!(package().as_deref(), Some("one/a"));
    check(&changes, 1, &[], &["a"], &[]);
}

/// Makes this number of changes.
fn make_changes(source: &Changing, registry: &Registry, changes: u64) {
    for version in 1..=changes {
        source.set("a", skill_md("a", &version.to_string()), version);
        registry.reload();
    }
}

#[test]
fn slow_subscriber_lags_without_blocking() {
    let (low, _, registry) = two_layers();
    let (slow, quick) = (registry.subscribe(), registry.subscribe());
    make_changes(&low, &registry, 60);
    let drain = |changes: &Subscription| std::iter::from_fn(|| changes.try_recv()).count();
    assert_eq!(drain(&quick), 60);
    make_changes(&low, &registry, 10);
    assert_eq!(drain(&quick), 10, "other subscribers are not affected");
    assert_eq!(slow.try_recv(), Some(Notice::Lagged(6)), "64 changes are queued and 6 are dropped");
    check(&slow, 6, &[], &["a"], &[]);
    assert_eq!(drain(&slow), 63);
}

#[test]
fn subscriber_receives_changes_and_the_end() {
    let (low, _, registry) = two_layers();
    let changes = registry.subscribe();
    assert_eq!(format!("{changes:?}"), "Subscription");
    assert_eq!(changes.recv_timeout(Duration::from_millis(1)), None, "there is no change yet");
    thread::scope(|scope| {
        let listener = scope.spawn(|| [changes.recv().is_some(), changes.recv().is_some()]);
        make_changes(&low, &registry, 1);
        drop(registry);
        assert_eq!(listener.join().expect("the listener does not panic"), [true, false]);
    });
}

#[test]
fn wake_is_called_once_per_change() {
    let (low, _, registry) = two_layers();
    let woken = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&woken);
    let changes = registry.subscribe_with(move || {
        count.fetch_add(1, Ordering::SeqCst);
    });
    make_changes(&low, &registry, 3);
    assert_eq!(woken.load(Ordering::SeqCst), 3);
    drop(changes);
    low.set("b", skill_md("b", "new"), 1);
    registry.reload();
    assert_eq!(woken.load(Ordering::SeqCst), 3, "a dropped subscription is not woken");
    assert_eq!(Arc::strong_count(&woken), 1, "a dropped subscription is removed");
    assert_eq!(registry.catalog().len(), 2);
}
