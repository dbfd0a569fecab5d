//! Tests of the store kit: the memory store passes it, and a store that breaks any one rule fails
//! it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ThreadId};

use dashmap::DashMap;
use prowess_core::{SessionId, SessionState, SessionStore, StoreError, Timestamp};
use prowess_session::MemoryStore;
use prowess_testkit::check_store;

#[test]
fn memory_store_passes() {
    check_store(&MemoryStore::new());
}

/// The defect of a broken store.
#[derive(Clone, Copy, Debug)]
enum Defect {
    LoadsAnotherConversation,
    LoadsNothing,
    StoresInSilence,
    OverwritesWhatIsNew,
    AcceptsAnyVersion,
    AcceptsNewerVersions,
    StoresWhatItRefuses,
    ChecksBeforeItLocks,
    DeletesNothing,
    AlwaysSaysDeleted,
    NeverSaysDeleted,
    BringsBackTheDead,
    RemembersTheDead,
    HidesFromOtherThreads,
    TouchesNothing,
    TouchesBackwards,
    TouchesTheVersion,
    NeverSaysTouched,
    AlwaysSaysTouched,
    CreatesByTouch,
}

struct Broken {
    inner: MemoryStore,
    defect: Defect,
    inside: AtomicUsize,
    dead: DashMap<SessionId, u64>,
    home: ThreadId,
}

impl Broken {
    fn overwrite(&self, state: SessionState) -> Result<bool, StoreError> {
        self.inner.delete(&state.id)?;
        self.inner.put(state, None)
    }

    fn died_at(&self, id: &SessionId) -> Option<u64> {
        self.dead.get(id).map(|version| *version)
    }

    /// Yields to another thread between the comparison and the swap.
    fn dawdle(&self) {
        self.inside.fetch_add(1, Ordering::SeqCst);
        for _ in 0..5_000 {
            if self.inside.load(Ordering::SeqCst) > 1 {
                break;
            }
            thread::yield_now();
        }
    }

    fn racing_put(&self, state: SessionState, expected: Option<u64>) -> Result<bool, StoreError> {
        let stored = self.inner.load(&state.id)?.map(|stored| stored.version);
        if stored != expected {
            return Ok(false);
        }
        if state.id.as_str() == "race" && expected.is_some() {
            self.dawdle();
        }
        self.overwrite(state).map(|_| true)
    }
}

impl SessionStore for Broken {
    fn load(&self, id: &SessionId) -> Result<Option<SessionState>, StoreError> {
        match self.defect {
            Defect::LoadsNothing => Ok(None),
            Defect::HidesFromOtherThreads if thread::current().id() != self.home => Ok(None),
            Defect::LoadsAnotherConversation if id.as_str() == "load-other" => {
                self.inner.load(&SessionId::new("load").expect("it is a good id"))
            }
            _ => self.inner.load(id),
        }
    }

    fn put(&self, state: SessionState, expected: Option<u64>) -> Result<bool, StoreError> {
        let stored = self.inner.load(&state.id)?.map(|stored| stored.version);
        match self.defect {
            Defect::StoresInSilence => self.inner.put(state, expected).map(|_| false),
            Defect::OverwritesWhatIsNew if expected.is_none() => self.overwrite(state),
            Defect::AcceptsAnyVersion if stored.is_some() && expected.is_some() => {
                self.overwrite(state)
            }
            Defect::AcceptsNewerVersions if stored.is_some() && expected > stored => {
                self.overwrite(state)
            }
            Defect::StoresWhatItRefuses if stored.is_some() && expected != stored => {
                self.overwrite(state).map(|_| false)
            }
            Defect::ChecksBeforeItLocks => self.racing_put(state, expected),
            Defect::BringsBackTheDead if stored.is_none() => self.inner.put(state, None),
            Defect::RemembersTheDead if self.died_at(&state.id) == expected => {
                self.inner.put(state, None)
            }
            _ => self.inner.put(state, expected),
        }
    }

    fn touch(&self, id: &SessionId, at: Timestamp) -> Result<bool, StoreError> {
        let stored = self.inner.load(id)?;
        let at_once = |state: SessionState| SessionState { touched: at, ..state };
        match (self.defect, stored) {
            (Defect::TouchesNothing, stored) => Ok(stored.is_some()),
            (Defect::TouchesBackwards, Some(state)) => self.overwrite(at_once(state)),
            (Defect::TouchesTheVersion, Some(state)) => {
                self.overwrite(SessionState { version: state.version + 1, ..at_once(state) })
            }
            (Defect::NeverSaysTouched, _) => self.inner.touch(id, at).map(|_| false),
            (Defect::AlwaysSaysTouched, _) => self.inner.touch(id, at).map(|_| true),
            (Defect::CreatesByTouch, None) => {
                self.inner.put(SessionState::new(id.clone(), at), None).map(|_| false)
            }
            _ => self.inner.touch(id, at),
        }
    }

    fn delete(&self, id: &SessionId) -> Result<bool, StoreError> {
        if let Some(state) = self.inner.load(id)? {
            self.dead.insert(id.clone(), state.version);
        }
        match self.defect {
            Defect::DeletesNothing => Ok(self.inner.load(id)?.is_some()),
            Defect::AlwaysSaysDeleted => self.inner.delete(id).map(|_| true),
            Defect::NeverSaysDeleted => self.inner.delete(id).map(|_| false),
            _ => self.inner.delete(id),
        }
    }
}

/// Checks that the kit reports this defect with these words.
fn check(defect: Defect, rule: &str) {
    let broken = Broken {
        inner: MemoryStore::new(),
        defect,
        inside: AtomicUsize::new(0),
        dead: DashMap::new(),
        home: thread::current().id(),
    };
    let verdict = catch_unwind(AssertUnwindSafe(|| check_store(&broken)));
    let panic = verdict.expect_err(&format!("the kit finds a store that {defect:?}"));
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or_default();
    assert!(message.contains(rule), "{defect:?} breaks `{rule}`, the kit says: {message}");
}

#[test]
fn each_broken_store_fails() {
    use Defect::*;
    check(LoadsNothing, "`load` gives what the last `put` stored");
    check(LoadsAnotherConversation, "`load` keeps conversations apart");
    check(StoresInSilence, "`put` stores what nobody contends");
    check(OverwritesWhatIsNew, "`put` refuses a new state where one is stored");
    check(AcceptsAnyVersion, "`put` refuses an older version");
    check(AcceptsNewerVersions, "`put` refuses a newer version");
    check(StoresWhatItRefuses, "a refused `put` stores nothing");
    check(ChecksBeforeItLocks, "of racing puts with one expectation just one succeeds");
    check(DeletesNothing, "`delete` forgets the state");
    check(AlwaysSaysDeleted, "`delete` of nothing says that there was nothing");
    check(NeverSaysDeleted, "`delete` says that there was something");
    check(BringsBackTheDead, "`put` refuses a version where nothing is stored");
    check(RemembersTheDead, "a `put` that expects a version of a deleted state is refused");
    check(TouchesNothing, "`touch` changes the last use alone");
    check(TouchesBackwards, "`touch` never moves the last use back");
    check(TouchesTheVersion, "`touch` changes the last use alone");
    check(NeverSaysTouched, "`touch` reports that there is a state");
    check(AlwaysSaysTouched, "`touch` reports that there is no state");
    check(CreatesByTouch, "`touch` creates no state");
    check(HidesFromOtherThreads, "`load` gives the same from any thread");
}
