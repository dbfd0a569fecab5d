//! A simulation of hosts that share one store which fails: calls and answers are lost, arrive twice
//! or late, so that what was read is out of date, and hosts crash between any two calls.
//!
//! All of it happens in one thread, and a seed decides everything. While one host waits for its
//! store, others run: the hooks of the store call them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use prowess_core::{
    ActiveSkill, BodyDelivery, LoadMode, LoadRequest, OperationId, SessionError, SessionId,
    SessionStore, StoreError, StoredContent, StoredSession, Unload,
};
use prowess_session::{MemoryStore, OnReload, SessionHandle, SessionPolicy, Sessions};
use prowess_testkit::{HookedStore, ManualClock, Random, StoreCall, StoreMoment, active_skill};

const HOSTS: usize = 8;

/// How deep hosts run inside the calls of other hosts.
const MOST_NESTED: usize = 4;

/// The outcome of a simulation without violations.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Summary {
    /// The calls of stores.
    pub(crate) steps: u64,
    pub(crate) changes: u64,
    /// The changes whose result no host knows.
    pub(crate) uncertain: u64,
    /// The reads whose answer was out of date when it arrived.
    pub(crate) stale: u64,
}

/// Runs hosts until their stores were called `steps` times.
///
/// # Panics
///
/// Panics if an update is lost or made twice, or a session breaks in another way.
pub(crate) fn simulate(seed: u64, steps: u64) -> Summary {
    let world = World::new(seed);
    while world.steps.load(Ordering::Relaxed) < steps {
        let host = world.below(HOSTS);
        World::run(&world, host);
        world.clock.advance(Duration::from_millis(7));
    }
    world.check_history();
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    Summary {
        steps: count(&world.steps),
        changes: count(&world.changes),
        uncertain: count(&world.uncertain),
        stale: count(&world.stale),
    }
}

type LatePut = (StoredSession, Vec<StoredContent>, Option<OperationId>);

struct World {
    random: Mutex<Random>,
    clock: Arc<ManualClock>,
    store: Arc<MemoryStore>,
    session: SessionId,
    hosts: OnceLock<Vec<Host>>,
    nested: AtomicUsize,
    /// Puts that arrive once more.
    duplicates: Mutex<VecDeque<LatePut>>,
    versions: Mutex<Vec<u64>>,
    steps: AtomicU64,
    changes: AtomicU64,
    uncertain: AtomicU64,
    stale: AtomicU64,
}

/// A host, which alone loads and unloads one skill.
struct Host {
    session: SessionHandle,
    skill: Arc<ActiveSkill>,
    is_busy: AtomicBool,
    is_crashed: Arc<AtomicBool>,
    /// Whether its skill is loaded; `None` after an error.
    is_loaded: Mutex<Option<bool>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl World {
    fn new(seed: u64) -> Arc<Self> {
        let store = Arc::new(MemoryStore::new());
        let clock = Arc::new(ManualClock::default());
        let sessions = Sessions::new(store.clone(), clock.clone(), policy());
        let session = sessions.open().expect("memory takes a session").id().clone();
        let world = Arc::new(Self {
            random: Mutex::new(Random::new(seed, 0)),
            clock,
            store,
            session,
            hosts: OnceLock::new(),
            nested: AtomicUsize::new(0),
            duplicates: Mutex::default(),
            versions: Mutex::default(),
            steps: AtomicU64::new(0),
            changes: AtomicU64::new(0),
            uncertain: AtomicU64::new(0),
            stale: AtomicU64::new(0),
        });
        let hosts = (0..HOSTS).map(|index| Host::new(&world, index)).collect();
        assert!(world.hosts.set(hosts).is_ok(), "hosts are set once");
        world
    }

    fn hosts(&self) -> &[Host] {
        self.hosts.get().map_or(&[], Vec::as_slice)
    }

    fn below(&self, limit: usize) -> usize {
        lock(&self.random).below(limit)
    }

    fn chance(&self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    /// Runs one operation of a host, unless it waits for its store.
    fn run(world: &Arc<Self>, index: usize) {
        let host = &world.hosts()[index];
        if host.is_busy.swap(true, Ordering::SeqCst) {
            return;
        }
        host.run(world);
        host.is_crashed.store(false, Ordering::SeqCst);
        host.is_busy.store(false, Ordering::SeqCst);
    }

    /// Lets other hosts run, and late puts arrive, while a call is on its way.
    fn delay(world: &Arc<Self>) {
        while world.chance(3) && world.nested.load(Ordering::SeqCst) < MOST_NESTED {
            world.nested.fetch_add(1, Ordering::SeqCst);
            World::run(world, world.below(HOSTS));
            world.nested.fetch_sub(1, Ordering::SeqCst);
        }
        let late = if world.chance(4) { lock(&world.duplicates).pop_front() } else { None };
        if let Some((session, new, expected)) = late {
            // A late put may fail: its contents can be gone.
            drop(world.store.put(&session, &new, expected));
        }
    }

    /// Handles one moment of a call of a host.
    fn hook(
        world: &Arc<Self>,
        is_crashed: &AtomicBool,
        call: StoreCall<'_>,
        moment: StoreMoment,
    ) -> Result<(), StoreError> {
        world.steps.fetch_add(u64::from(moment == StoreMoment::Before), Ordering::Relaxed);
        if world.hosts().is_empty() {
            return Ok(());
        }
        let read = world.stored();
        World::delay(world);
        let is_answer = matches!(call, StoreCall::Load(_)) && moment != StoreMoment::Before;
        let is_stale = is_answer && read != world.stored();
        world.stale.fetch_add(u64::from(is_stale), Ordering::Relaxed);
        if world.chance(200) {
            is_crashed.store(true, Ordering::SeqCst);
        }
        let is_lost = is_crashed.load(Ordering::SeqCst) || world.chance(12);
        let is_sent = is_lost || moment != StoreMoment::Before;
        // A copy arrives after its call, or instead of it.
        if let StoreCall::Put { session, new, expected } = call
            && is_sent
            && world.chance(10)
        {
            lock(&world.duplicates).push_back((session.clone(), new.to_vec(), expected));
        }
        if is_lost {
            return Err(StoreError::new("the connection was closed"));
        }
        Ok(())
    }

    /// Returns the operation that is stored, without any fault.
    fn stored(&self) -> Option<OperationId> {
        let stored = self.store.load(&self.session).expect("memory can be read");
        stored.map(|stored| stored.operation)
    }

    /// Returns whether a skill is loaded, without any fault.
    fn truth(&self, id: &str) -> bool {
        let sessions = Sessions::new(self.store.clone(), self.clock.clone(), policy());
        let session = sessions.resume(&self.session).expect("the session is open");
        session.state().expect("the session is open").find(id).is_some()
    }

    fn note_version(&self) {
        let stored = self.store.load(&self.session).expect("memory can be read");
        lock(&self.versions).push(stored.expect("the session is open").version);
    }

    /// Checks that no version was ever older than one that was seen before.
    fn check_history(&self) {
        let versions = lock(&self.versions);
        assert!(versions.is_sorted(), "versions never go back");
    }
}

/// A skill that is loaded twice would be an error.
fn policy() -> SessionPolicy {
    SessionPolicy { max_active: 64, on_reload: OnReload::Error, ..SessionPolicy::default() }
}

impl Host {
    fn new(world: &Arc<World>, index: usize) -> Self {
        let is_crashed = Arc::new(AtomicBool::new(false));
        let crashed = Arc::clone(&is_crashed);
        let weak = Arc::downgrade(world);
        let hook = move |call: StoreCall<'_>, moment| match weak.upgrade() {
            Some(world) => World::hook(&world, &crashed, call, moment),
            None => Ok(()),
        };
        let store = HookedStore::new(world.store.clone(), hook);
        let sessions = Sessions::new(Arc::new(store), world.clock.clone(), policy());
        Self {
            session: sessions
                .resume(&world.session)
                .expect("no fault happens before the hosts run"),
            skill: Arc::new(active_skill("memory://notes", &format!("skill-{index}"), "Body")),
            is_busy: AtomicBool::new(false),
            is_crashed,
            is_loaded: Mutex::new(Some(false)),
        }
    }

    /// Loads the skill of this host, or unloads it if it is loaded.
    fn run(&self, world: &Arc<World>) {
        let known = *lock(&self.is_loaded);
        let is_loaded = known.unwrap_or_else(|| world.truth(&self.skill.id));
        let result = if is_loaded { self.unload() } else { self.load() };
        let after = match result {
            Ok(()) => {
                world.changes.fetch_add(1, Ordering::Relaxed);
                let truth = world.truth(&self.skill.id);
                assert_eq!(truth, !is_loaded, "no update of {} is lost", self.skill.id);
                Some(!is_loaded)
            }
            Err(SessionError::Store(_) | SessionError::Contended(_)) => {
                world.uncertain.fetch_add(1, Ordering::Relaxed);
                None
            }
            // The call before it, which got no answer, has arrived late.
            Err(SessionError::AlreadyActive(_)) if known.is_none() => None,
            Err(error) => panic!("{} with loaded = {is_loaded}: {error}", self.skill.id),
        };
        *lock(&self.is_loaded) = after;
        world.note_version();
    }

    fn load(&self) -> Result<(), SessionError> {
        let skills = [Arc::clone(&self.skill)];
        let outcome = self.session.activate(&LoadRequest {
            skills: &skills,
            mode: LoadMode::Add,
            delivery: BodyDelivery::ToolResult,
            generation: 1,
            force: false,
        })?;
        assert_eq!(
            outcome.deliver,
            std::slice::from_ref(&self.skill.id),
            "a new body is delivered"
        );
        Ok(())
    }

    fn unload(&self) -> Result<(), SessionError> {
        self.session.unload(&Unload::These(vec![self.skill.id.clone()])).map(drop)
    }
}
