//! Reloads by the clock and by reported changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use prowess_core::{
    CatalogProvider, Clock, SourceChange, SourceError, SourceErrorKind, Timestamp, Trust,
};
use prowess_registry::{Notice, RefreshMode, RefreshPolicy, Refresher, Registry, Subscription};
use prowess_testkit::{ManualClock, before_scan};

use crate::fixture::{Changing, Scanned, memory, registry, skill_md};

/// The maximum time that a test waits for an event.
const LONG: Duration = Duration::from_secs(60);

struct Place {
    source: Arc<Changing>,
    clock: Arc<ManualClock>,
    registry: Arc<Registry>,
    refresher: Refresher,
    changes: Subscription,
}

/// Returns a registry with the skill `a`, loaded once and refreshed in this mode.
fn place(source: Arc<Changing>, mode: RefreshMode) -> Place {
    source.set("a", skill_md("a", "first"), 1);
    let registry = Arc::new(registry(vec![("user", Trust::Trusted, source.clone())]));
    registry.reload();
    source.take_scans();
    if mode == RefreshMode::Watch {
        // A change after the first scan is found by the scan after the setup of the watch.
        source.set("late", skill_md("late", "new"), 1);
    }
    let clock = Arc::new(ManualClock::default());
    let policy = RefreshPolicy { mode: Some(mode), ..RefreshPolicy::default() };
    let changes = registry.subscribe();
    let time: Arc<dyn Clock> = clock.clone();
    let refresher =
        Refresher::start(Arc::clone(&registry), policy, time).expect("the thread is started");
    Place { source, clock, registry, refresher, changes }
}

impl Place {
    fn advance(&self, milliseconds: u64) {
        self.clock.advance(Duration::from_millis(milliseconds));
    }

    /// Waits for the next change of the catalog, and returns the description of `a` after it.
    #[track_caller]
    fn next(&self) -> Option<String> {
        let notice = self.changes.recv_timeout(LONG);
        assert!(matches!(notice, Some(Notice::Changed(_))), "the catalog has changed: {notice:?}");
        self.registry.catalog().get("a").map(|skill| skill.description().to_owned())
    }

    /// Waits for the scan after the setup of the watch.
    #[track_caller]
    fn wait_for_watch(&self) {
        self.next();
        let is_found = self.registry.catalog().get("late").is_some();
        assert!(is_found, "the change during the setup is found");
        self.source.take_scans();
    }
}

#[test]
fn turn_reloads_after_the_ttl() {
    let place = place(Arc::default(), RefreshMode::Ttl);
    place.advance(299_999);
    assert!(place.refresher.reload_if_stale().is_none(), "the last reload is too recent");
    place.advance(1);
    assert!(place.refresher.reload_if_stale().is_some(), "the reload is due");
    assert!(place.refresher.reload_if_stale().is_none(), "the last reload is recent again");
    place.advance(299_999);
    assert!(place.refresher.reload_if_stale().is_none());
    assert_eq!(place.source.take_scans(), [Scanned::Everything]);
}

#[test]
fn cool_down_applies_to_refresh_only() {
    for mode in [RefreshMode::Manual, RefreshMode::Ttl] {
        let place = place(Arc::default(), mode);
        place.advance(59_999);
        assert!(place.refresher.refresh().is_none(), "59 s are less than the cool-down");
        assert_eq!(place.source.take_scans(), [], "nothing is scanned");
        place.refresher.reload();
        let scans = place.source.take_scans();
        assert_eq!(scans, [Scanned::Everything], "a reload ignores the cool-down");
        place.advance(59_999);
        assert!(place.refresher.refresh().is_none(), "a reload restarts the cool-down");
        place.advance(1);
        assert!(place.refresher.refresh().is_some(), "the cool-down is over");
    }
}

#[test]
fn nothing_is_watched_before_the_beginning() {
    let source = Changing::watchable();
    source.set("a", skill_md("a", "first"), 1);
    let registry = Arc::new(registry(vec![("user", Trust::Trusted, source.clone())]));
    registry.reload();
    let changes = registry.subscribe();
    let policy = RefreshPolicy { mode: Some(RefreshMode::Watch), ..RefreshPolicy::default() };
    let refresher = Refresher::new(Arc::clone(&registry), policy, Arc::new(ManualClock::default()));
    assert!(!source.tell(SourceChange::Everything), "there is no watch");
    source.set("late", skill_md("late", "new"), 1);
    refresher.begin().expect("the thread is started");
    assert!(matches!(changes.recv_timeout(LONG), Some(Notice::Changed(_))));
    assert!(registry.catalog().get("late").is_some(), "an earlier change is found");
    source.take_scans();
    refresher.begin().expect("it has begun");
    assert_eq!(source.take_scans(), [], "the second beginning does nothing");
}

#[test]
fn manual_mode_does_nothing_by_itself() {
    let place = place(Changing::watchable(), RefreshMode::Manual);
    place.advance(1_000_000);
    assert!(place.refresher.reload_if_stale().is_none(), "no turn reloads");
    assert!(place.refresher.poll_if_due().is_none(), "nothing is polled");
    assert!(!place.source.tell(SourceChange::Everything), "there is no watch");
    assert_eq!(place.source.take_scans(), []);
}

#[test]
fn poll_reads_only_changed_files() {
    let place = place(Arc::default(), RefreshMode::Poll);
    place.source.take_reads();
    place.advance(4_999);
    assert!(place.refresher.poll_if_due().is_none(), "the poll is not due");
    place.advance(1);
    assert!(place.refresher.poll_if_due().is_some(), "the reload is due");
    assert!(place.refresher.poll_if_due().is_none(), "the poll is done");
    assert_eq!(place.source.take_reads(), 0, "unchanged files are not read");
    place.source.set("a", skill_md("a", "second"), 2);
    place.advance(5_000);
    place.refresher.poll_if_due();
    assert_eq!(place.next().as_deref(), Some("second"));
    assert_eq!(place.source.take_reads(), 1);
}

#[test]
fn poll_confirms_a_missing_skill() {
    let place = place(Arc::default(), RefreshMode::Poll);
    place.source.remove("a");
    place.advance(5_000);
    let reload = place.refresher.poll_if_due().expect("the poll is due");
    assert!(reload.catalog.get("a").is_some(), "the file may be being saved");
    assert_eq!(place.next(), None, "the second scan confirms the removal");
}

/// The system clock, set a second ahead after its first reading, so that a poll is due at once.
struct Ahead {
    start: Instant,
    seconds: AtomicU64,
}

impl Ahead {
    fn new() -> Arc<Self> {
        Arc::new(Self { start: Instant::now(), seconds: AtomicU64::new(0) })
    }
}

impl Clock for Ahead {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }

    fn elapsed(&self) -> Duration {
        self.start.elapsed() + Duration::from_secs(self.seconds.fetch_max(1, Ordering::SeqCst))
    }
}

/// Polls each second.
fn polling() -> RefreshPolicy {
    RefreshPolicy { mode: Some(RefreshMode::Poll), poll_seconds: 1, ..RefreshPolicy::default() }
}

#[test]
fn thread_polls_and_confirms_removals() {
    let source = Arc::new(Changing::default());
    for name in ["a", "b"] {
        source.set(name, skill_md(name, "first"), 1);
    }
    let registry = Arc::new(registry(vec![("user", Trust::Trusted, source.clone())]));
    registry.reload();
    source.take_scans();
    let changes = registry.subscribe();
    source.set("a", skill_md("a", "second"), 2);
    source.remove("b");
    let refresher = Refresher::start(Arc::clone(&registry), polling(), Ahead::new());
    let _refresher = refresher.expect("the thread is started");
    assert!(changes.recv_timeout(LONG).is_some(), "the poll finds the change");
    assert_eq!(registry.catalog().get("a").map(|skill| skill.description()), Some("second"));
    assert!(changes.recv_timeout(LONG).is_some(), "the removal is reported");
    assert!(registry.catalog().get("b").is_none());
    let scans = source.take_timed_scans();
    let waited = scans.windows(2).find_map(|pair| match pair {
        [(Scanned::Everything, missed), (Scanned::Packages(_), asked)] => Some(*asked - *missed),
        _ => None,
    });
    assert!(waited.is_some_and(|waited| waited >= Duration::from_millis(40)), "{scans:?}");
}

#[test]
fn longer_cool_down_delays_turns() {
    let source = Arc::new(Changing::default());
    let registry = Arc::new(registry(vec![("user", Trust::Trusted, source)]));
    let policy =
        RefreshPolicy { mode: Some(RefreshMode::Ttl), ttl_seconds: 10, ..RefreshPolicy::default() };
    let clock = Arc::new(ManualClock::default());
    let time: Arc<dyn Clock> = clock.clone();
    let refresher = Refresher::start(registry, policy, time).expect("no thread is needed");
    clock.advance(Duration::from_secs(59));
    assert!(refresher.reload_if_stale().is_none(), "the cool-down is not over");
    clock.advance(Duration::from_secs(1));
    assert!(refresher.reload_if_stale().is_some(), "the reload is due");
}

#[test]
fn watched_change_scans_only_its_package() {
    let place = place(Changing::watchable(), RefreshMode::Watch);
    place.wait_for_watch();
    place.source.set("a", skill_md("a", "second"), 2);
    place.source.tell_of(&["a"]);
    assert_eq!(place.next().as_deref(), Some("second"));
    assert_eq!(place.source.take_scans(), [Scanned::Packages(vec!["a".to_owned()])]);
}

#[test]
fn saved_skill_is_never_removed() {
    let place = place(Changing::watchable(), RefreshMode::Watch);
    place.wait_for_watch();
    place.source.remove("a");
    place.source.tell_of(&["a"]);
    // Waits for that scan, which keeps the missing skill.
    while place.source.take_scans().is_empty() {
        thread::yield_now();
    }
    place.source.set("a", skill_md("a", "second"), 2);
    place.source.tell_of(&["a"]);
    assert_eq!(place.next().as_deref(), Some("second"), "the first change is the new version");
}

#[test]
fn incomplete_file_is_no_change() {
    let place = place(Changing::watchable(), RefreshMode::Watch);
    place.wait_for_watch();
    for (text, stamp) in [("", 2), ("---\nname: a\ndesc", 3)] {
        place.source.set("a", text, stamp);
        place.source.tell_of(&["a"]);
        while place.source.take_scans().is_empty() {
            thread::yield_now();
        }
    }
    place.source.set("a", skill_md("a", "second"), 4);
    place.source.tell_of(&["a"]);
    assert_eq!(place.next().as_deref(), Some("second"), "the first change is the new version");
}

#[test]
fn broken_file_is_reported() {
    let place = place(Changing::watchable(), RefreshMode::Watch);
    place.wait_for_watch();
    place.source.set("a", "", 2);
    place.source.tell_of(&["a"]);
    assert_eq!(place.next().as_deref(), Some("first"), "the last good version is kept");
    let catalog = place.registry.catalog();
    let reported: Vec<_> = catalog.diagnostics().map(|found| found.code.as_str()).collect();
    assert_eq!(reported, ["skill-kept", "file-empty"]);
}

#[test]
fn removed_skill_is_reported() {
    let place = place(Changing::watchable(), RefreshMode::Watch);
    place.wait_for_watch();
    place.source.remove("a");
    place.source.tell_of(&["a"]);
    assert_eq!(place.next(), None);
}

#[test]
fn moved_skill_is_always_offered() {
    let place = place(Changing::watchable(), RefreshMode::Watch);
    place.wait_for_watch();
    place.source.remove("a");
    place.source.set("elsewhere/a", skill_md("a", "first"), 1);
    place.source.tell_of(&["a", "elsewhere/a"]);
    let location = |place: &Place| {
        place.registry.catalog().get("a").map(|skill| skill.package().as_str().to_owned())
    };
    while location(&place).as_deref() != Some("elsewhere/a") {
        assert!(location(&place).is_some(), "the skill is at one of the two paths");
        place.next();
    }
}

/// Checks that a source is polled, and that the catalog has a finding about it.
#[track_caller]
fn check_polled(place: &Place, reason: &str) {
    let reported: Vec<_> =
        place.registry.catalog().diagnostics().map(ToString::to_string).collect();
    let wanted = "changing://: warning[source-not-watched]: source `changing` cannot be watched: ";
    assert_eq!(reported, [format!("{wanted}{reason}")]);
    place.source.set("a", skill_md("a", "second"), 2);
    place.advance(5_000);
    place.refresher.poll_if_due();
    assert_eq!(place.next().as_deref(), Some("second"));
}

#[test]
fn failed_watch_is_polled_with_a_finding() {
    let place = place(Changing::unwatchable(), RefreshMode::Watch);
    place.next();
    check_polled(&place, "there are no watches left");
}

#[test]
fn lost_watch_is_polled_with_a_finding() {
    let place = place(Changing::watchable(), RefreshMode::Watch);
    place.wait_for_watch();
    let error = SourceError::new(SourceErrorKind::Unavailable, "the queue ran over");
    place.source.tell(SourceChange::WatchLost(error));
    place.next();
    check_polled(&place, "the queue ran over");
}

#[test]
fn unwatchable_source_is_polled_silently() {
    let place = place(Arc::default(), RefreshMode::Watch);
    // The thread starts to poll asynchronously.
    while place.refresher.poll_if_due().is_none() {
        place.advance(5_000);
        thread::yield_now();
    }
    place.next();
    assert!(place.registry.catalog().get("late").is_some(), "the poll finds the skill");
    assert_eq!(place.registry.catalog().diagnostics().count(), 0);
}

#[test]
fn refresher_ends_watch_and_thread() {
    let place = place(Changing::watchable(), RefreshMode::Watch);
    place.wait_for_watch();
    drop(place.refresher);
    assert!(!place.source.tell(SourceChange::Everything), "the watch has ended");
    assert_eq!(Arc::strong_count(&place.registry), 1, "the thread has ended");
}

#[test]
fn running_scan_is_cancelled_with_the_refresher() {
    let (begun, has_begun) = channel();
    let (scans, was_cancelled) = (AtomicUsize::new(0), Arc::new(AtomicBool::new(false)));
    let cancelled = Arc::clone(&was_cancelled);
    // Each scan but the first runs until it is cancelled.
    let endless = before_scan(memory("user", &[("a", "first")]), move |cancel| {
        if scans.fetch_add(1, Ordering::SeqCst) > 0 {
            let _ = begun.send(());
            let start = Instant::now();
            while !cancel.is_cancelled() && start.elapsed() < LONG {
                thread::yield_now();
            }
            cancelled.store(cancel.is_cancelled(), Ordering::SeqCst);
        }
    });
    let registry = Arc::new(registry(vec![("user", Trust::Trusted, endless)]));
    registry.reload();
    let refresher =
        Refresher::start(registry, polling(), Ahead::new()).expect("the thread is started");
    has_begun.recv_timeout(LONG).expect("the poll starts a scan");
    drop(refresher);
    assert!(was_cancelled.load(Ordering::SeqCst), "the drop cancels the scan");
}

/// A scan of a package does not cover findings about packages inside of it.
#[test]
fn finding_inside_a_package_is_kept() {
    let source = Changing::watchable();
    source.report("changing://outer/inner/SKILL.md");
    source.set("outer", skill_md("outer", "first"), 1);
    let place = place(source, RefreshMode::Watch);
    place.wait_for_watch();
    let found = |registry: &Registry| {
        let catalog = registry.catalog();
        catalog.diagnostics().map(|found| found.path.clone()).collect::<Vec<_>>()
    };
    let before = found(&place.registry);
    assert_eq!(before, [Some("changing://outer/inner/SKILL.md".into())]);
    place.source.set("outer", skill_md("outer", "second"), 2);
    place.source.tell_of(&["outer"]);
    place.next();
    assert_eq!(found(&place.registry), before, "the inner package was not scanned");
}

#[test]
fn finding_about_a_scanned_package_is_removed() {
    let source = Changing::watchable();
    for place in ["changing://b", "changing://b/SKILL.md"] {
        source.report(place);
    }
    let place = place(source, RefreshMode::Watch);
    place.wait_for_watch();
    assert_eq!(place.registry.catalog().diagnostics().count(), 2);
    place.source.set("b", skill_md("b", "new"), 1);
    place.source.tell_of(&["b"]);
    place.next();
    assert_eq!(place.registry.catalog().diagnostics().count(), 0);
}
