//! Tests of every interleaving of hosts whose session expires, by a model checker:
//! `cargo xtask loom`.
//!
//! The calls of the store are the steps. Each is atomic, as the store's contract demands.

use std::sync::Arc;
use std::time::Duration;

use loom::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use loom::thread;
use prowess_core::{
    ActiveSkill, AuditEvent, AuditSink, Clock, DeactivationCause, LoadMode, RuntimeEvent,
    SessionStore, Timestamp,
};
use prowess_testkit::{HookedStore, StoreMoment};

use crate::{MemoryStore, SessionHandle, SessionPolicy, Sessions};

/// The idle limit of the sessions in milliseconds.
const LIMIT: u64 = 1_000;

/// A clock that a thread moves.
struct LoomClock(AtomicU64);

impl Clock for LoomClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }

    fn elapsed(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// Counts the ends of runs.
struct Ends(AtomicUsize);

impl AuditSink for Ends {
    fn record(&self, event: &AuditEvent) {
        panic!("a session calls no tool: {event:?}")
    }

    fn report(&self, event: &RuntimeEvent) {
        if let RuntimeEvent::SkillDeactivated(event) = event {
            assert_eq!(event.cause, DeactivationCause::SessionExpired);
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// Hosts that share a session with one loaded skill.
struct World {
    store: Arc<MemoryStore>,
    clock: Arc<LoomClock>,
    ends: Arc<Ends>,
    sessions: Sessions,
    session: SessionHandle,
}

impl World {
    fn new() -> Self {
        let store = Arc::new(MemoryStore::new());
        let clock = Arc::new(LoomClock(AtomicU64::new(0)));
        let ends = Arc::new(Ends(AtomicUsize::new(0)));
        let step = AtomicUsize::new(0);
        let stepped = HookedStore::new(store.clone(), move |_, moment| {
            if moment == StoreMoment::Before {
                step.fetch_add(1, Ordering::SeqCst);
            }
            Ok(())
        });
        let policy =
            SessionPolicy { idle_limit_seconds: Some(LIMIT / 1_000), ..SessionPolicy::default() };
        let sessions = Sessions::audited(Arc::new(stepped), clock.clone(), policy, ends.clone());
        let session = sessions.open().expect("memory takes a session");
        session.load(&[Arc::new(skill())], LoadMode::Add).expect("it may be loaded");
        Self { store, clock, ends, sessions, session }
    }

    /// Checks that the run has ended exactly if the session was deleted.
    fn check(&self) -> bool {
        let stored = self.store.load(self.session.id()).expect("memory can be read");
        let ends = usize::from(stored.is_none());
        assert_eq!(self.ends.0.load(Ordering::SeqCst), ends, "the end of a run is reported once");
        stored.is_some()
    }
}

fn skill() -> ActiveSkill {
    prowess_testkit::active_skill("memory://notes", "a", "Body")
}

/// The search for orders with at most this many switches away from a thread that could go on.
fn model(check: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(check);
}

#[test]
fn used_session_is_never_deleted_as_expired() {
    model(|| {
        let world = World::new();
        let sessions = world.sessions.clone();
        let clock = world.clock.clone();
        let cleaner = thread::spawn(move || {
            clock.0.store(LIMIT, Ordering::SeqCst);
            sessions.expire().expect("memory does not fail")
        });
        let used = world.session.touch();
        let expired = cleaner.join().expect("no assertion fails");
        let is_stored = world.check();
        assert!(expired <= usize::from(!is_stored), "a deleted session is not stored");
        if used.is_ok_and(|state| state.touched.0 == LIMIT) {
            assert!(is_stored, "a use at the limit keeps the session");
        }
    });
}

#[test]
fn expiry_is_reported_by_one_host() {
    model(|| {
        let world = World::new();
        world.clock.0.store(LIMIT, Ordering::SeqCst);
        let sessions = world.sessions.clone();
        let id = world.session.id().clone();
        let other = thread::spawn(move || sessions.resume(&id).is_err());
        let expired = world.sessions.expire().expect("memory does not fail");
        assert!(expired <= 1, "there is one session");
        assert!(other.join().expect("no assertion fails"), "it is not resumed");
        assert!(!world.check(), "it is gone");
    });
}
