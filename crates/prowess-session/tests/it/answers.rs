//! Tests of lost answers of a store, and of the bytes that a turn writes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use prowess_core::{
    ActiveSkill, BodyDelivery, ContentKey, LoadMode, LoadRequest, PutOutcome, SessionStore,
    StoreError, StoredSession, Unload,
};
use prowess_session::{Discipline, MemoryStore, SessionPolicy};
use prowess_testkit::{HookedStore, StoreCall, StoreMoment};

use crate::fixture::{Host, active, edition, load};

/// Returns a store that loses the answers of the next `lost` puts that store something, and calls
/// `meanwhile` with the session after each.
fn losing(
    lost: &Arc<AtomicUsize>,
    meanwhile: impl Fn(&Arc<MemoryStore>, &StoredSession) + Send + Sync + 'static,
) -> Arc<dyn SessionStore> {
    let inner = Arc::new(MemoryStore::new());
    let store = Arc::clone(&inner);
    let lost = Arc::clone(lost);
    Arc::new(HookedStore::new(inner, move |call, moment| {
        let (StoreCall::Put { session, .. }, StoreMoment::After(Some(outcome))) = (call, moment)
        else {
            return Ok(());
        };
        let order = Ordering::SeqCst;
        let is_lost = outcome == PutOutcome::Stored
            && lost.fetch_update(order, order, |left| left.checked_sub(1)).is_ok();
        if !is_lost {
            return Ok(());
        }
        meanwhile(&store, session);
        Err(StoreError::new("the connection was closed"))
    }))
}

/// A skill that is active already would be refused.
fn stack() -> SessionPolicy {
    SessionPolicy { discipline: Discipline::Stack, ..SessionPolicy::default() }
}

#[test]
fn writer_recognizes_its_own_put() {
    let lost = Arc::new(AtomicUsize::new(0));
    let host = Host::with_store(losing(&lost, |_, _| {}), stack());
    let session = host.open();
    lost.store(1, Ordering::SeqCst);
    load(&session, LoadMode::Add, "a").expect("the answer was lost, not the change");
    assert_eq!(active(&session), "a");
    assert_eq!(session.state().expect("the session is open").version, 1, "it was stored once");
}

#[test]
fn writer_recognizes_an_overwritten_put() {
    for others in 1..=2 {
        let lost = Arc::new(AtomicUsize::new(0));
        let meanwhile = move |store: &Arc<MemoryStore>, stored: &StoredSession| {
            let other = Host::with_store(store.clone(), stack()).sessions;
            let other = other.resume(&stored.id).expect("the session is open");
            for number in 0..others {
                load(&other, LoadMode::Add, &format!("x{number}")).expect("there is room");
            }
        };
        let session = Host::with_store(losing(&lost, meanwhile), stack()).open();
        lost.store(1, Ordering::SeqCst);
        load(&session, LoadMode::Add, "a").expect("it was stored before the others");
        assert!(active(&session).starts_with("a x0"), "{}", active(&session));
    }
}

#[test]
fn uncertain_put_is_an_error() {
    let lost = Arc::new(AtomicUsize::new(0));
    let meanwhile = |store: &Arc<MemoryStore>, stored: &StoredSession| {
        let other = Host::with_store(store.clone(), stack()).sessions;
        let other = other.resume(&stored.id).expect("the session is open");
        for id in ["x", "y", "z"] {
            load(&other, LoadMode::Add, id).expect("there is room");
        }
    };
    let session = Host::with_store(losing(&lost, meanwhile), stack()).open();
    lost.store(1, Ordering::SeqCst);
    let error = load(&session, LoadMode::Add, "a").expect_err("three others wrote since");
    assert_eq!(error.code(), "session-store-failed", "no guess is made");
}

/// A put does not arrive, and three others do before it is repeated: as many as still show it.
#[test]
fn put_that_never_arrived_is_made_again() {
    let inner = Arc::new(MemoryStore::new());
    let others = Host::with_store(inner.clone(), stack()).sessions;
    let failures = Arc::new(AtomicUsize::new(0));
    let left = Arc::clone(&failures);
    let store = HookedStore::new(inner, move |call, moment| {
        let (StoreCall::Put { session, .. }, StoreMoment::Before) = (call, moment) else {
            return Ok(());
        };
        if left.swap(0, Ordering::SeqCst) == 0 {
            return Ok(());
        }
        let other = others.resume(&session.id).expect("the session is open");
        for id in ["x", "y", "z"] {
            load(&other, LoadMode::Add, id).expect("there is room");
        }
        Err(StoreError::new("the connection was closed"))
    });
    let session = Host::with_store(Arc::new(store), stack()).open();
    failures.store(1, Ordering::SeqCst);
    load(&session, LoadMode::Add, "a").expect("nothing was stored, so it is stored now");
    assert_eq!(active(&session), "x y z a");
}

#[test]
fn deleted_session_is_not_repeated() {
    let lost = Arc::new(AtomicUsize::new(0));
    let meanwhile = |store: &Arc<MemoryStore>, stored: &StoredSession| {
        store.delete(&stored.id, stored.operation).expect("memory");
    };
    let host = Host::with_store(losing(&lost, meanwhile), stack());
    let session = host.open();
    lost.store(1, Ordering::SeqCst);
    load(&session, LoadMode::Add, "a").expect_err("the session is gone");
    assert_eq!(host.store.load(session.id()), Ok(None), "it does not come back");
}

/// Another writer unloads the text of a skill between the two reads of a session.
#[test]
fn overtaken_reader_reads_again() {
    let inner = Arc::new(MemoryStore::new());
    let writer = Host::with_store(inner.clone(), SessionPolicy::default());
    let session = writer.open();
    load(&session, LoadMode::Add, "a b").expect("there is room");
    let is_first = AtomicUsize::new(0);
    let overtaking = session.clone();
    let store = HookedStore::new(inner, move |call, moment| {
        if let (StoreCall::Contents(_), StoreMoment::Before) = (call, moment)
            && is_first.fetch_add(1, Ordering::SeqCst) == 0
        {
            let gone = Unload::These(vec!["a".to_owned()]);
            overtaking.unload(&gone).expect("the session is open");
        }
        Ok(())
    });
    let reader = Host::with_store(Arc::new(store), SessionPolicy::default());
    let session = reader.sessions.resume(session.id()).expect("the session is open");
    assert_eq!(active(&session), "b", "the state of the other writer");
}

#[test]
fn put_passes_only_texts_that_the_session_lacks() {
    let passed = Arc::new(Mutex::new(Vec::new()));
    let recorder = Arc::clone(&passed);
    let store = HookedStore::new(Arc::new(MemoryStore::new()), move |call, moment| {
        if let (StoreCall::Put { new, .. }, StoreMoment::Before) = (call, moment) {
            recorder.lock().expect("no writer panics").push(new.len());
        }
        Ok(())
    });
    let host = Host::with_store(Arc::new(store), SessionPolicy::default());
    let allowed = ["a", "b"].map(str::to_owned).into();
    let session = host.sessions.open_allowing(allowed).expect("memory takes a session");
    load(&session, LoadMode::Add, "a").expect("it is allowed");
    load(&session, LoadMode::Add, "b").expect("it is allowed");
    let passed = passed.lock().expect("no writer panics");
    assert_eq!(*passed, [1, 1, 1], "the limit, then one skill each");
}

/// Counts what is written with each put: the details, and each reference and content that the
/// stored session did not have.
#[derive(Default)]
struct Written {
    known: Vec<ContentKey>,
    state: Vec<usize>,
    contents: usize,
}

/// The size of an integer in a row of SQLite.
fn integer(value: u64) -> usize {
    let bits = u64::BITS - value.leading_zeros() + 1;
    [1, 2, 3, 4, 6].into_iter().find(|bytes| bits <= 8 * bytes).map_or(8, |bytes| bytes as usize)
}

impl Written {
    fn put(&mut self, session: &StoredSession, contents: usize) {
        let references = session.contents.len() * ContentKey::LENGTH;
        let expires = session.expires.map_or(0, |expires| integer(expires.0));
        let columns = [session.version, session.operation.0, session.touched.0].map(integer);
        let columns = columns.iter().sum::<usize>() + expires;
        self.state.push(columns + references + session.details.len());
        self.contents += contents;
        self.known.clone_from(&session.contents);
    }
}

#[test]
fn turn_writes_at_most_300_bytes() {
    let written = Arc::new(Mutex::new(Written::default()));
    let recorder = Arc::clone(&written);
    let store = HookedStore::new(Arc::new(MemoryStore::new()), move |call, moment| {
        if let (StoreCall::Put { session, new, .. }, StoreMoment::Before) = (call, moment) {
            let contents = new.iter().map(|content| content.text().len()).sum();
            recorder.lock().expect("no writer panics").put(session, contents);
        }
        Ok(())
    });
    let policy = SessionPolicy { idle_limit_seconds: Some(86_400), ..SessionPolicy::default() };
    let host = Host::with_store(Arc::new(store), policy);
    let session = host.open();
    let large = |number: u32| {
        let body = "x".repeat(8 * 1024).into();
        Arc::new(ActiveSkill { body, ..(*edition(&format!("skill-{number}"), number)).clone() })
    };
    let skills: Vec<_> = (0..9).map(large).collect();
    let load = |skills: &[Arc<ActiveSkill>]| {
        host.clock.advance(std::time::Duration::from_secs(600));
        let loaded: Vec<_> = skills
            .iter()
            .map(|skill| {
                let loaded_at = prowess_core::Clock::now(&*host.clock);
                Arc::new(ActiveSkill { loaded_at, activated_at: loaded_at, ..(**skill).clone() })
            })
            .collect();
        let request = LoadRequest {
            skills: &loaded,
            mode: LoadMode::Add,
            delivery: BodyDelivery::ToolResult,
            generation: 300,
            force: true,
        };
        session.activate(&request).expect("there is room");
    };
    load(&skills[..8]);
    let contents = written.lock().expect("no writer panics").contents;
    assert!(contents > 8 * 8 * 1024, "the bodies are written when they are loaded");
    for turn in 0..100 {
        session.touch().expect("the session is open");
        load(&skills[turn % 8..=turn % 8]);
        session.unload(&Unload::These(vec!["absent".to_owned()])).expect("it is no error");
    }
    let written = written.lock().expect("no writer panics");
    let most = written.state.iter().max().copied().unwrap_or_default();
    assert!(most <= 300, "a turn with eight loaded bodies writes {most} bytes of state");
    assert_eq!(written.known.len(), 8, "eight bodies are loaded");
    assert_eq!(written.state.len(), 2 + 100, "an ordinary turn writes no state");
}
