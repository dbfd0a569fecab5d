//! Every interleaving of hosts that change one session, on the real transitions and store.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, AllowedTools, BodyDelivery, BodyPlace, Digest, LoadMode, LoadRequest, OperationId,
    PutOutcome, SessionId, SessionState, SessionStore as _, StoredSession, Timestamp, Unload,
};
use prowess_session::{Discipline, MemoryStore, SessionPolicy, ledger, operations};
use stateright::{Checker, HasDiscoveries, Model, Property};

const HOSTS: usize = 3;

/// Hosts that each load a skill and then unload another one.
struct Hosts {
    /// Whether a host expects the operation that it has read, and not the stored one.
    compares: bool,
}

/// A session: the skills with the deliveries of their bodies, and the number of its last operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Session {
    skills: Vec<(String, u32)>,
    deliveries: u32,
    operation: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct World {
    session: Session,
    /// The number of operations so far.
    operations: usize,
    /// The state that each host has read, and how many of its changes are done.
    hosts: [(Option<Session>, usize); HOSTS],
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Read(usize),
    Write(usize),
}

fn skill(id: &str) -> Arc<ActiveSkill> {
    Arc::new(ActiveSkill {
        id: id.to_owned(),
        name: id.to_owned(),
        location: format!("memory://notes/{id}/SKILL.md"),
        root_dir: format!("memory://notes/{id}"),
        layer: "user".to_owned(),
        version: None,
        digest: Digest::of(id.as_bytes()),
        properties: serde_json::Value::Null,
        allowed_tools: AllowedTools::Absent,
        body: id.into(),
        loaded_at: Timestamp(0),
        activated_at: Timestamp(0),
    })
}

fn id_of(host: usize) -> String {
    format!("skill-{host}")
}

/// Returns the state that the transition functions work on.
fn decoded(session: &Session) -> SessionState {
    let id = SessionId::new("model").expect("it is a good id");
    let state = SessionState::new(id, Timestamp(0));
    let active: Vec<Arc<ActiveSkill>> = session.skills.iter().map(|(id, _)| skill(id)).collect();
    let mut state = ledger::with_active(&state, active);
    for (entry, (_, number)) in state.ledger.iter_mut().zip(&session.skills) {
        entry.body = BodyPlace::ToolResult(*number);
    }
    SessionState { deliveries: session.deliveries, ..state }
}

fn encoded(state: &SessionState, operation: usize) -> Session {
    let skills = state.ledger.iter().map(|entry| match entry.body {
        BodyPlace::ToolResult(number) => (entry.id.clone(), number),
        other => panic!("no body is in {other:?}"),
    });
    Session { skills: skills.collect(), deliveries: state.deliveries, operation }
}

/// The changes of a host: it loads its skill, unloads it, and loads it again.
fn changed(before: &Session, host: usize, change: usize, operation: usize) -> Session {
    let state = decoded(before);
    let next = if change == 1 {
        let which = Unload::These(vec![id_of(host)]);
        let active = operations::unload(&state.active, &which, Discipline::Set);
        ledger::with_active(&state, active.expect("a set has no order"))
    } else {
        let skills = [skill(&id_of(host))];
        let request = LoadRequest {
            skills: &skills,
            mode: LoadMode::Add,
            delivery: BodyDelivery::ToolResult,
            generation: 1,
            force: false,
        };
        ledger::load(&state, &request, &SessionPolicy::default()).expect("there is room").state
    };
    encoded(&next, operation)
}

/// Stores a session over one that is expected. Its skills are not read again from the store.
fn put(store: &MemoryStore, operation: usize, expected: Option<usize>) -> PutOutcome {
    let number = |operation| OperationId(operation as u64);
    let session = StoredSession {
        id: SessionId::new("model").expect("it is a good id"),
        version: operation as u64,
        operation: number(operation),
        contents: Vec::new(),
        details: Arc::new([]),
        touched: Timestamp(0),
        expires: None,
    };
    store.put(&session, &[], expected.map(number)).expect("it is in memory")
}

/// The number of changes of each host.
const CHANGES: usize = 3;

impl Model for Hosts {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        vec![World::default()]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        for (host, (read, done)) in world.hosts.iter().enumerate() {
            match read {
                None if *done < CHANGES => actions.push(Action::Read(host)),
                None => {}
                Some(_) => actions.push(Action::Write(host)),
            }
        }
    }

    fn next_state(&self, world: &World, action: Action) -> Option<World> {
        let mut next = world.clone();
        match action {
            Action::Read(host) => next.hosts[host].0 = Some(world.session.clone()),
            Action::Write(host) => {
                let (read, done) = &mut next.hosts[host];
                let before = read.take()?;
                let (store, stored) = (MemoryStore::new(), world.session.operation);
                put(&store, stored, None);
                let expected = if self.compares { before.operation } else { stored };
                let operation = world.operations + 1;
                if put(&store, operation, Some(expected)) == PutOutcome::Stored {
                    next.operations = operation;
                    next.session = changed(&before, host, *done, operation);
                    *done += 1;
                }
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("no update is lost", |_, world: &World| {
                world.hosts.iter().enumerate().all(|(host, (_, done))| {
                    let is_loaded = world.session.skills.iter().any(|(id, _)| *id == id_of(host));
                    is_loaded == (done % 2 == 1)
                })
            }),
            Property::always("each delivery has its own number", |_, world: &World| {
                let loads = world.hosts.iter().map(|(_, done)| done.div_ceil(2)).sum::<usize>();
                world.session.deliveries as usize == loads
            }),
            Property::sometimes("every host finishes", |_, world: &World| {
                world.hosts.iter().all(|(_, done)| *done == CHANGES)
            }),
        ]
    }
}

#[test]
fn compare_and_swap_loses_no_update() {
    let checker = Hosts { compares: true }.checker().spawn_bfs().join();
    checker.assert_properties();
    assert!(checker.unique_state_count() > 1_000, "every interleaving is checked");
}

#[test]
fn without_comparison_updates_are_lost() {
    let checker = Hosts { compares: false }.checker().finish_when(HasDiscoveries::AllFailures);
    let checker = checker.spawn_bfs().join();
    for property in ["no update is lost", "each delivery has its own number"] {
        assert!(checker.discovery(property).is_some(), "the model can find that {property}");
    }
}
