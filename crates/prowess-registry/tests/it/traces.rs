//! Events of reloads and of reported changes.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::thread;

use prowess_core::{PackagePath, SourceChange, SourceError, SourceErrorKind, Trust};
use prowess_registry::{RefreshMode, RefreshPolicy, Refresher};
use prowess_testkit::{ManualClock, with_subscriber};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::fixture::{Changing, registry};

/// Collects events, each as its message with one field.
#[derive(Clone)]
struct Collector {
    field: &'static str,
    events: Arc<Mutex<Vec<String>>>,
}

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "prowess"
    }

    fn new_span(&self, _span: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields { field: self.field, message: String::new(), value: String::new() };
        event.record(&mut fields);
        let line = format!("{} {}", fields.message, fields.value).trim_end().to_owned();
        self.events.lock().expect("no test panics inside").push(line);
    }

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}

struct Fields {
    field: &'static str,
    message: String,
    value: String,
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            name if name == self.field => self.value = format!("{value:?}"),
            _ => {}
        }
    }
}

/// Returns the events of `work`.
fn traced(field: &'static str, work: impl FnOnce()) -> Vec<String> {
    let events = Arc::default();
    with_subscriber(Collector { field, events: Arc::clone(&events) }, work);
    std::mem::take(&mut *events.lock().expect("no test panics inside"))
}

#[test]
fn each_new_finding_is_traced_once() {
    let source = Arc::new(Changing::default());
    let registry = registry(vec![("user", Trust::Trusted, source.clone())]);
    let findings = |place: &str| {
        source.report(place);
        let mut events = traced("path", || drop(registry.reload()));
        events.retain(|event| event.starts_with("finding"));
        events
    };
    assert_eq!(findings("changing://a"), [r#"finding "changing://a""#]);
    assert_eq!(findings("changing://b"), [r#"finding "changing://b""#], "the first is known");
}

#[test]
fn reported_changes_are_traced() {
    let source = Changing::watchable();
    let registry = Arc::new(registry(vec![("user", Trust::Trusted, source.clone())]));
    registry.reload();
    let policy = RefreshPolicy { mode: Some(RefreshMode::Watch), ..RefreshPolicy::default() };
    let clock = Arc::new(ManualClock::default());
    let _refresher = Refresher::start(registry, policy, clock).expect("the thread is started");
    // The thread sets the watch up.
    while !source.tell(SourceChange::Everything) {
        thread::yield_now();
    }
    let packages = ["a", "b"].map(|package| PackagePath::new(package).expect("it is a path"));
    let error = SourceError::new(SourceErrorKind::Unavailable, "no watches are left");
    for (change, field, expected) in [
        (SourceChange::Packages(packages.to_vec()), "packages", "packages changed 2"),
        (SourceChange::Everything, "source", r#"source changed "changing""#),
        (SourceChange::WatchLost(error), "source", r#"watch lost "changing""#),
    ] {
        assert_eq!(traced(field, || assert!(source.tell(change))), [expected]);
    }
}
