//! Turns during reloads.

use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use prowess_core::{Catalog, Ranked, Ranker};
use prowess_registry::{RefreshMode, RefreshPolicy, Refresher};
use prowess_testkit::ManualClock;

use crate::fixture::{Changing, skill_md, user};

/// The maximum time that a test waits for a turn.
const LONG: Duration = Duration::from_secs(60);

#[derive(Default)]
struct TurnDuringReload {
    refresher: OnceLock<Arc<Refresher>>,
    has_reloaded: Mutex<Vec<bool>>,
}

impl Ranker for TurnDuringReload {
    fn rank<'c>(&self, _: &'c Arc<Catalog>, _: &str, _: usize) -> Vec<Ranked<'c>> {
        Vec::new()
    }

    fn prepare(&self, _: &Arc<Catalog>, _: &Catalog) {
        let Some(refresher) = self.refresher.get().cloned() else { return };
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(refresher.reload_if_stale().is_some()));
        let has_reloaded = receiver.recv_timeout(LONG).expect("the turn does not wait");
        self.has_reloaded.lock().expect("the lock is not poisoned").push(has_reloaded);
    }
}

#[test]
fn turn_during_a_reload_does_not_wait() {
    let (source, ranker) = (Arc::new(Changing::default()), Arc::new(TurnDuringReload::default()));
    let builder = user(source.clone()).ranker(ranker.clone());
    let registry = Arc::new(builder.build().expect("the layer is valid"));
    let clock = Arc::new(ManualClock::default());
    let policy = RefreshPolicy { mode: Some(RefreshMode::Ttl), ..RefreshPolicy::default() };
    let refresher = Refresher::start(Arc::clone(&registry), policy, clock.clone());
    let refresher = Arc::new(refresher.expect("no thread is needed"));
    assert!(ranker.refresher.set(refresher).is_ok(), "it is set once");
    source.set("a", skill_md("a", "first"), 1);
    clock.advance(Duration::from_secs(300));
    registry.reload();
    let has_reloaded = ranker.has_reloaded.lock().expect("the lock is not poisoned");
    assert_eq!(*has_reloaded, [false], "the turn uses the current catalog");
}
