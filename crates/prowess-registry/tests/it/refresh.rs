//! When a registry is reloaded, by the clock and by word of its sources.

use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess_core::{
    CatalogProvider, Clock, SourceChange, SourceError, SourceErrorKind, Timestamp, Trust,
};
use prowess_registry::{Notice, RefreshMode, RefreshPolicy, Refresher, Registry, Subscription};
use prowess_testkit::ManualClock;

use crate::fixture::{Changing, Scanned, registry, skill_md};

/// How long a test waits for what must come. It fails long before it is this late.
const LONG: Duration = Duration::from_secs(60);

struct Place {
    source: Arc<Changing>,
    clock: Arc<ManualClock>,
    registry: Arc<Registry>,
    refresher: Refresher,
    heard: Subscription,
}

/// A registry with the skill `a`, loaded once and kept fresh in this way.
fn place(source: Arc<Changing>, mode: RefreshMode) -> Place {
    source.set("a", skill_md("a", "first"), 1);
    let registry = Arc::new(registry(vec![("user", Trust::Trusted, source.clone())]));
    registry.reload();
    source.take_scans();
    if mode == RefreshMode::Watch {
        // What came after the first scan is found by the one that ends the setting-up of the watch.
        source.set("late", skill_md("late", "new"), 1);
    }
    let clock = Arc::new(ManualClock::default());
    let policy = RefreshPolicy { mode: Some(mode), ..RefreshPolicy::default() };
    let heard = registry.subscribe();
    let time: Arc<dyn Clock> = clock.clone();
    let refresher = Refresher::start(Arc::clone(&registry), policy, time).expect("a thread is had");
    Place { source, clock, registry, refresher, heard }
}

impl Place {
    fn advance(&self, milliseconds: u64) {
        self.clock.advance(Duration::from_millis(milliseconds));
    }

    /// Waits for the next change of the catalog and gives the description of `a` after it.
    #[track_caller]
    fn next(&self) -> Option<String> {
        let notice = self.heard.recv_timeout(LONG);
        assert!(matches!(notice, Some(Notice::Changed(_))), "there is news: {notice:?}");
        self.registry.catalog().get("a").map(|skill| skill.description().to_owned())
    }

    /// Waits until the watch is set up, which one more scan ends.
    #[track_caller]
    fn wait_for_watch(&self) {
        self.next();
        assert!(self.registry.catalog().get("late").is_some(), "nothing is missed in between");
        self.source.take_scans();
    }
}

#[test]
fn a_turn_reloads_what_is_three_hundred_seconds_old() {
    let place = place(Arc::default(), RefreshMode::Ttl);
    place.advance(299_999);
    assert!(place.refresher.turn_begins().is_none(), "it is not old yet");
    place.advance(1);
    assert!(place.refresher.turn_begins().is_some(), "now it is");
    assert!(place.refresher.turn_begins().is_none(), "and young again");
    place.advance(299_999);
    assert!(place.refresher.turn_begins().is_none());
    assert_eq!(place.source.take_scans(), [Scanned::Everything]);
}

#[test]
fn a_refresh_keeps_to_the_cool_down_and_a_reload_does_not() {
    for mode in [RefreshMode::Manual, RefreshMode::Ttl] {
        let place = place(Arc::default(), mode);
        place.advance(59_999);
        assert!(place.refresher.refresh().is_none(), "59 s after the first scan it is too early");
        assert_eq!(place.source.take_scans(), [], "and nothing is scanned");
        place.refresher.reload();
        assert_eq!(place.source.take_scans(), [Scanned::Everything], "who forces it gets it");
        place.advance(59_999);
        assert!(place.refresher.refresh().is_none(), "a forced one counts");
        place.advance(1);
        assert!(place.refresher.refresh().is_some(), "after 60 s it is time");
    }
}

#[test]
fn nothing_happens_by_itself_where_the_host_alone_decides() {
    let place = place(Changing::watchable(), RefreshMode::Manual);
    place.advance(1_000_000);
    assert!(place.refresher.turn_begins().is_none(), "no turn reloads");
    assert!(place.refresher.poll_if_due().is_none(), "nothing is polled");
    assert!(!place.source.tell(SourceChange::Everything), "nobody listens");
    assert_eq!(place.source.take_scans(), []);
}

#[test]
fn a_poll_comes_every_five_seconds_and_reads_nothing_that_has_not_changed() {
    let place = place(Arc::default(), RefreshMode::Poll);
    place.source.take_reads();
    place.advance(4_999);
    assert!(place.refresher.poll_if_due().is_none(), "it is not due yet");
    place.advance(1);
    assert!(place.refresher.poll_if_due().is_some(), "now it is");
    assert!(place.refresher.poll_if_due().is_none(), "and done");
    assert_eq!(place.source.take_reads(), 0, "only stamps are asked for");
    place.source.set("a", skill_md("a", "second"), 2);
    place.advance(5_000);
    place.refresher.poll_if_due();
    assert_eq!(place.next().as_deref(), Some("second"));
    assert_eq!(place.source.take_reads(), 1);
}

#[test]
fn a_poll_does_not_take_a_save_for_a_removal() {
    let place = place(Arc::default(), RefreshMode::Poll);
    place.source.remove("a");
    place.advance(5_000);
    let reload = place.refresher.poll_if_due().expect("it is due");
    assert!(reload.catalog.get("a").is_some(), "it may be between two names");
    assert_eq!(place.next(), None, "it is asked for again, and is gone");
}

/// The machine's own time.
struct Running(Instant);

impl Clock for Running {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

#[test]
fn the_thread_polls_by_itself_and_waits_before_it_believes_that_a_skill_is_gone() {
    let source = Arc::new(Changing::default());
    source.set("a", skill_md("a", "first"), 1);
    let registry = Arc::new(registry(vec![("user", Trust::Trusted, source.clone())]));
    registry.reload();
    let heard = registry.subscribe();
    let policy = RefreshPolicy {
        mode: Some(RefreshMode::Poll),
        poll_seconds: 1,
        ..RefreshPolicy::default()
    };
    let clock = Arc::new(Running(Instant::now()));
    let refresher = Refresher::start(Arc::clone(&registry), policy, clock);
    let _refresher = refresher.expect("a thread is had");
    source.set("a", skill_md("a", "second"), 2);
    assert!(heard.recv_timeout(LONG).is_some(), "a change is found without a word");
    let description = |registry: &Registry| {
        registry.catalog().get("a").map(|skill| skill.description().to_owned())
    };
    assert_eq!(description(&registry).as_deref(), Some("second"));

    source.take_scans();
    source.remove("a");
    assert!(heard.recv_timeout(LONG).is_some(), "its end is told of");
    assert_eq!(description(&registry), None);
    let scans = source.take_timed_scans();
    let waited = scans.windows(2).find_map(|pair| match pair {
        [(Scanned::Everything, missed), (Scanned::Packages(_), asked)] => Some(*asked - *missed),
        _ => None,
    });
    assert!(waited.is_some_and(|waited| waited >= Duration::from_millis(40)), "{scans:?}");
}

#[test]
fn a_turn_keeps_to_the_cool_down_where_that_is_longer() {
    let source = Arc::new(Changing::default());
    let registry = Arc::new(registry(vec![("user", Trust::Trusted, source)]));
    let policy =
        RefreshPolicy { mode: Some(RefreshMode::Ttl), ttl_seconds: 10, ..RefreshPolicy::default() };
    let clock = Arc::new(ManualClock::default());
    let time: Arc<dyn Clock> = clock.clone();
    let refresher = Refresher::start(registry, policy, time).expect("it needs no thread");
    clock.advance(Duration::from_secs(59));
    assert!(refresher.turn_begins().is_none(), "a reload is not made again so soon");
    clock.advance(Duration::from_secs(1));
    assert!(refresher.turn_begins().is_some(), "now it is");
}

#[test]
fn a_watched_change_is_seen_and_nothing_else_is_looked_at() {
    let place = place(Changing::watchable(), RefreshMode::Watch);
    place.wait_for_watch();
    place.source.set("a", skill_md("a", "second"), 2);
    place.source.tell_of(&["a"]);
    assert_eq!(place.next().as_deref(), Some("second"));
    assert_eq!(place.source.take_scans(), [Scanned::Packages(vec!["a".to_owned()])]);
}

#[test]
fn a_watched_skill_that_is_moved_away_and_written_again_is_never_gone() {
    let place = place(Changing::watchable(), RefreshMode::Watch);
    place.wait_for_watch();
    place.source.remove("a");
    place.source.tell_of(&["a"]);
    // Waits for that scan, which keeps what is missing.
    while place.source.take_scans().is_empty() {
        std::thread::yield_now();
    }
    place.source.set("a", skill_md("a", "second"), 2);
    place.source.tell_of(&["a"]);
    assert_eq!(place.next().as_deref(), Some("second"), "the first change is to the new version");
}

#[test]
fn a_watched_file_that_is_half_written_is_no_news() {
    let place = place(Changing::watchable(), RefreshMode::Watch);
    place.wait_for_watch();
    for (text, stamp) in [("", 2), ("---\nname: a\ndesc", 3)] {
        place.source.set("a", text, stamp);
        place.source.tell_of(&["a"]);
        while place.source.take_scans().is_empty() {
            std::thread::yield_now();
        }
    }
    place.source.set("a", skill_md("a", "second"), 4);
    place.source.tell_of(&["a"]);
    assert_eq!(place.next().as_deref(), Some("second"), "the first change is to the new version");
}

#[test]
fn a_watched_file_that_stays_broken_is_reported() {
    let place = place(Changing::watchable(), RefreshMode::Watch);
    place.wait_for_watch();
    place.source.set("a", "", 2);
    place.source.tell_of(&["a"]);
    assert_eq!(place.next().as_deref(), Some("first"), "its last good version stays");
    let catalog = place.registry.catalog();
    let told: Vec<_> = catalog.diagnostics().map(|found| found.code.as_str()).collect();
    assert_eq!(told, ["skill-kept", "file-empty"]);
}

#[test]
fn a_watched_skill_that_is_removed_goes() {
    let place = place(Changing::watchable(), RefreshMode::Watch);
    place.wait_for_watch();
    place.source.remove("a");
    place.source.tell_of(&["a"]);
    assert_eq!(place.next(), None);
}

#[test]
fn a_rename_is_never_without_the_skill() {
    let place = place(Changing::watchable(), RefreshMode::Watch);
    place.wait_for_watch();
    place.source.remove("a");
    place.source.set("elsewhere/a", skill_md("a", "first"), 1);
    place.source.tell_of(&["a", "elsewhere/a"]);
    let location = |place: &Place| {
        place.registry.catalog().get("a").map(|skill| skill.package().as_str().to_owned())
    };
    while location(&place).as_deref() != Some("elsewhere/a") {
        assert!(location(&place).is_some(), "it is in the one place or the other");
        place.next();
    }
}

/// Checks that a source is polled, and that the catalog says so.
#[track_caller]
fn check_polled(place: &Place, reason: &str) {
    let told: Vec<_> = place.registry.catalog().diagnostics().map(ToString::to_string).collect();
    let wanted = "changing://: warning[source-not-watched]: source `changing` cannot be watched: ";
    assert_eq!(told, [format!("{wanted}{reason}")]);
    place.source.set("a", skill_md("a", "second"), 2);
    place.advance(5_000);
    place.refresher.poll_if_due();
    assert_eq!(place.next().as_deref(), Some("second"));
}

#[test]
fn a_source_that_cannot_be_watched_is_polled_and_that_is_said() {
    let place = place(Changing::unwatchable(), RefreshMode::Watch);
    place.next();
    check_polled(&place, "there are no watches left");
}

#[test]
fn a_source_that_loses_its_watch_is_polled_and_that_is_said() {
    let place = place(Changing::watchable(), RefreshMode::Watch);
    place.wait_for_watch();
    let error = SourceError::new(SourceErrorKind::Unavailable, "the queue ran over");
    place.source.tell(SourceChange::WatchLost(error));
    place.next();
    check_polled(&place, "the queue ran over");
}

#[test]
fn a_source_that_has_nothing_to_tell_is_polled_without_a_word() {
    let place = place(Arc::default(), RefreshMode::Watch);
    // The thread decides in its own time that it polls.
    while place.refresher.poll_if_due().is_none() {
        place.advance(5_000);
        std::thread::yield_now();
    }
    place.next();
    assert!(place.registry.catalog().get("late").is_some(), "it is found");
    assert_eq!(place.registry.catalog().diagnostics().count(), 0);
}

#[test]
fn the_watch_and_the_thread_end_with_the_refresher() {
    let place = place(Changing::watchable(), RefreshMode::Watch);
    place.wait_for_watch();
    drop(place.refresher);
    assert!(!place.source.tell(SourceChange::Everything), "nobody listens any more");
    assert_eq!(Arc::strong_count(&place.registry), 1, "nobody holds the registry any more");
}

/// A source may have something to say of what lies in a package, such as a package that is none. A
/// look at the outer one says nothing of it.
#[test]
fn a_finding_inside_a_package_outlives_a_look_at_the_package() {
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
    assert_eq!(found(&place.registry), before, "nobody has looked at it again");
}
