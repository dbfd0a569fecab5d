//! Checks the transition functions and the store of approvals in all orders of calls by several
//! hosts and a person, with lost answers, by a model checker.

use prowess_core::{
    ApprovalDecision, ApprovalEntry, ApprovalId, ApprovalQuery, ApprovalRequest, ApprovalScope,
    ApprovalStore as _, ApprovalVerdict, ArgumentPattern, NewApproval, OperationId, SessionId,
    Spend, SpendStep, Timestamp,
};
use prowess_session::MemoryApprovals;
use stateright::{Checker, Model, Property};

const HOSTS: usize = 3;

/// A model with hosts that spend one approval, and a person that grants and revokes it.
struct Approvals {
    compares: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    stored: ApprovalEntry,
    hosts: [Host; HOSTS],
    /// The entry that the person has loaded.
    person: Option<ApprovalEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Host {
    phase: Phase,
    /// Whether an answer was lost. It happens once for each host, so that the model is finite.
    has_lost: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Starts,
    HasLoaded(Box<ApprovalEntry>),
    Ends(Spend),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Action {
    Load(usize),
    Spend(usize),
    /// The store is changed, but the answer is lost, so the host retries.
    SpendWithoutAnswer(usize),
    Look,
    Grant,
    Revoke,
}

impl State {
    /// Returns the number of hosts whose call may run.
    fn allowed(&self) -> usize {
        let allowed = |host: &&Host| host.phase == Phase::Ends(Spend::Allowed);
        self.hosts.iter().filter(allowed).count()
    }
}

fn session() -> SessionId {
    SessionId::new("s").expect("the id is valid")
}

/// Returns a store with the request of a call.
fn asked() -> MemoryApprovals {
    let request = ApprovalRequest {
        tool: "Bash".into(),
        arguments: ArgumentPattern::Any,
        skill: None,
        package: None,
        tenant: None,
    };
    let new = NewApproval {
        id: ApprovalId::new("a"),
        request,
        session: session(),
        preview: String::new(),
        now: Timestamp(1),
        expires: Timestamp(10),
        log: None,
    };
    let store = MemoryApprovals::new();
    store.ask(new).expect("the limit is not reached");
    store
}

fn decision(verdict: ApprovalVerdict) -> ApprovalDecision {
    ApprovalDecision { verdict, by: "ada".into(), at: Timestamp(2) }
}

impl Approvals {
    /// Stores an entry over the stored one. The fault is to expect what is stored now.
    fn replace(&self, state: &mut State, next: ApprovalEntry, expected: u64) -> bool {
        let expected = if self.compares { expected } else { state.stored.version };
        let (store, id) = (asked(), next.id.clone());
        let first = store.load(&id).expect("it is in memory").expect("it was asked for").version;
        assert_eq!(store.replace(state.stored.clone(), first), Ok(true), "the entry of the state");
        let is_stored = store.replace(next, expected).expect("it is in memory");
        state.stored = store.load(&id).expect("it is in memory").expect("none is removed");
        is_stored
    }

    fn spend(&self, state: &mut State, host: usize) -> Phase {
        let Phase::HasLoaded(loaded) = &state.hosts[host].phase else { return Phase::Starts };
        let session = session();
        let query =
            ApprovalQuery { tool: "Bash", tenant: None, session: &session, now: Timestamp(3) };
        let loaded = loaded.clone();
        match loaded.spend(&query, OperationId(host as u64)) {
            SpendStep::Answer(answer) => Phase::Ends(answer),
            SpendStep::Store(next) => {
                let expected = loaded.version;
                let is_stored = self.replace(state, *next, expected);
                if is_stored { Phase::Ends(Spend::Allowed) } else { Phase::Starts }
            }
        }
    }

    fn decide(&self, state: &mut State, verdict: ApprovalVerdict) -> Option<()> {
        let seen = state.person.take()?;
        let next = seen.decide(&decision(verdict)).ok()?;
        self.replace(state, next, seen.version);
        Some(())
    }
}

impl Model for Approvals {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let stored = asked().load(&ApprovalId::new("a")).expect("it is in memory");
        let stored = stored.expect("it was asked for");
        let host = Host { phase: Phase::Starts, has_lost: false };
        let hosts = std::array::from_fn(|_| host.clone());
        vec![State { stored, hosts, person: None }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (index, host) in state.hosts.iter().enumerate() {
            match host.phase {
                Phase::Starts => actions.push(Action::Load(index)),
                Phase::HasLoaded(_) => {
                    actions.push(Action::Spend(index));
                    if !host.has_lost {
                        actions.push(Action::SpendWithoutAnswer(index));
                    }
                }
                Phase::Ends(_) => {}
            }
        }
        match state.person {
            None => actions.push(Action::Look),
            Some(_) => actions.extend([Action::Grant, Action::Revoke]),
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Load(host) => {
                state.hosts[host].phase = Phase::HasLoaded(state.stored.clone().into());
            }
            Action::Spend(host) => state.hosts[host].phase = self.spend(&mut state, host),
            Action::SpendWithoutAnswer(host) => {
                self.spend(&mut state, host);
                state.hosts[host] = Host { phase: Phase::Starts, has_lost: true };
            }
            Action::Look => state.person = Some(state.stored.clone()),
            Action::Grant => {
                let expires = Some(Timestamp(10));
                self.decide(
                    &mut state,
                    ApprovalVerdict::Grant { scope: ApprovalScope::Once, expires },
                )?;
            }
            Action::Revoke => self.decide(&mut state, ApprovalVerdict::Revoke)?,
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let has_recovered = |_: &Self, state: &State| {
            let recovered = Host { phase: Phase::Ends(Spend::Allowed), has_lost: true };
            state.hosts.contains(&recovered)
        };
        vec![
            Property::always(ONCE, |_, state: &State| state.allowed() <= 1),
            Property::sometimes("a host is allowed", |_, state: &State| state.allowed() == 1),
            Property::sometimes("a host is allowed after a lost answer", has_recovered),
        ]
    }
}

/// The property that compare-and-set ensures.
const ONCE: &str = "an approval for one call is spent once";

#[test]
fn no_order_spends_twice() {
    let checker = Approvals { compares: true }.checker().spawn_bfs().join();
    assert!(
        checker.unique_state_count() > 1_000,
        "the model has {} states",
        checker.unique_state_count()
    );
    checker.assert_properties();
}

#[test]
fn without_comparison_an_order_spends_twice() {
    let checker = Approvals { compares: false }.checker().spawn_bfs().join();
    let path = checker.discovery(ONCE).expect("the checker finds an order that spends twice");
    let spends = path.into_actions();
    let spends = spends.iter().filter(|action| matches!(action, Action::Spend(_))).count();
    assert!(spends >= 2, "two hosts spend in it");
}
