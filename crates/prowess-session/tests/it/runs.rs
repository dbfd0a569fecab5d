//! The runs of skills, as the audit receives them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use prowess_core::{
    AuditEvent, AuditSink, CallOrigin, CorrelationId, DeactivationCause, LoadMode, RuntimeEvent,
    Unload,
};
use prowess_session::{MemoryStore, SessionHandle, SessionPolicy, Sessions};
use prowess_testkit::ManualClock;

use crate::fixture::{edition, load};

#[derive(Default)]
struct Recorder(Mutex<Vec<RuntimeEvent>>);

impl AuditSink for Recorder {
    fn record(&self, event: &AuditEvent) {
        panic!("a session calls no tool: {event:?}")
    }

    fn report(&self, event: &RuntimeEvent) {
        self.0.lock().expect("no test panics here").push(event.clone());
    }
}

struct Host {
    clock: Arc<ManualClock>,
    audit: Arc<Recorder>,
    sessions: Sessions,
}

impl Host {
    fn new(policy: SessionPolicy) -> Self {
        let clock = Arc::new(ManualClock::default());
        let audit = Arc::new(Recorder::default());
        let store = Arc::new(MemoryStore::new());
        let sessions = Sessions::audited(store, clock.clone(), policy, audit.clone());
        Self { clock, audit, sessions }
    }

    fn open(&self) -> SessionHandle {
        let origin = CallOrigin { task: Some("t".to_owned()), ..CallOrigin::default() };
        self.sessions.open().expect("memory takes a new session").with_origin(origin)
    }

    /// Returns the events since the last call, such as `+a` and `-a unloaded 5s`, and their ids.
    fn take(&self) -> (String, Vec<CorrelationId>) {
        let events = std::mem::take(&mut *self.audit.0.lock().expect("no test panics here"));
        let shown = events.into_iter().map(|event| match event {
            RuntimeEvent::SkillActivated(event) => {
                assert_eq!(event.origin.task.as_deref(), Some("t"), "the handle's task");
                (format!("+{}", event.skill), event.correlation)
            }
            RuntimeEvent::SkillDeactivated(event) => {
                let text = format!("-{} {:?} {:?}", event.skill, event.cause, event.duration);
                (text, event.correlation)
            }
            other => panic!("a session does not cause {other:?}"),
        });
        let (shown, ids): (Vec<_>, _) = shown.unzip();
        (shown.join(", "), ids)
    }
}

#[test]
fn run_has_one_id_from_load_to_unload() {
    let host = Host::new(SessionPolicy::default());
    let session = host.open();
    load(&session, LoadMode::Add, "a b").expect("both may be loaded");
    let (shown, started) = host.take();
    assert_eq!(shown, "+a, +b");
    assert_ne!(started[0], started[1], "each skill has a run");
    host.clock.advance(Duration::from_secs(5));
    session.unload(&Unload::These(vec!["a".to_owned()])).expect("it is loaded");
    let (shown, ended) = host.take();
    assert_eq!(shown, format!("-a Unloaded {}", run_length(5)));
    assert_eq!(ended, started[..1], "the id that it started with");
}

/// The fixture's skills were activated at the beginning of time.
fn run_length(seconds: u64) -> String {
    format!("{:?}", Duration::from_secs(1_767_225_600 + seconds))
}

#[test]
fn replaced_skill_ends_its_run() {
    let host = Host::new(SessionPolicy::default());
    let session = host.open();
    load(&session, LoadMode::Replace, "a").expect("it may be loaded");
    load(&session, LoadMode::Replace, "b").expect("it may be loaded");
    assert_eq!(
        host.take().0,
        format!("+a, -a {:?} {}, +b", DeactivationCause::Replaced, run_length(0))
    );
}

#[test]
fn newer_content_continues_the_run() {
    let host = Host::new(SessionPolicy::default());
    let session = host.open();
    load(&session, LoadMode::Add, "a").expect("it may be loaded");
    let mut newer = edition("a", 2);
    Arc::make_mut(&mut newer).activated_at = prowess_core::Timestamp(77);
    session.load(&[Arc::clone(&newer)], LoadMode::Add).expect("it may be loaded again");
    session.refresh(&[newer]).expect("it is loaded");
    let state = session.state().expect("it is open");
    assert_eq!(*state.active[0].body, *edition("a", 2).body, "the content is the new one");
    assert_eq!(state.active[0].activated_at.0, 0, "the run is the old one");
    assert_eq!(host.take().0, "+a");
}

#[test]
fn close_and_expiry_end_each_run() {
    let policy = SessionPolicy { idle_limit_seconds: Some(1), ..SessionPolicy::default() };
    let host = Host::new(policy);
    let [closed, expired] = [host.open(), host.open()];
    load(&closed, LoadMode::Add, "a").expect("it may be loaded");
    load(&expired, LoadMode::Add, "b").expect("it may be loaded");
    host.take();
    assert_eq!(host.sessions.close(closed.id()), Ok(true));
    assert_eq!(host.take().0, format!("-a SessionClosed {}", run_length(0)));
    host.clock.advance(Duration::from_secs(2));
    assert!(expired.touch().is_err(), "it has expired");
    assert_eq!(host.take().0, format!("-b SessionExpired {}", run_length(2)));
}
