//! Sessions and a reference model of them, next to each other over any series of operations.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use prowess_core::{ActiveSkill, BodyDelivery, BodyPlace, Clock, LoadMode, LoadRequest, Unload};
use prowess_session::ledger::KeptDeliveries;
use prowess_session::{Discipline, OnReload, SessionHandle, SessionPolicy};

use crate::fixture::{Host, edition};

/// The idle limit in seconds, of which time passes in steps.
const IDLE_LIMIT: u64 = 60;

const IDS: [&str; 5] = ["a", "b", "c", "d", "e"];

#[derive(Clone, Debug)]
enum Operation {
    Load { skills: Vec<(usize, u32)>, is_add: bool, force: bool },
    Unload(Vec<usize>),
    UnloadAll,
    EndTask,
    Compact(Option<u32>),
    Revoke(usize),
    Restrict(Vec<usize>),
    Wait(u64),
    Touch,
}

/// One loaded skill of the model: its id, its edition, and the delivery that its body is in.
type Row = (&'static str, u32, Option<u32>);

/// The reference: what a session is, in as few words as possible.
#[derive(Clone, Debug)]
struct Model {
    policy: SessionPolicy,
    rows: Vec<Row>,
    deliveries: u32,
    allowed: Option<BTreeSet<&'static str>>,
    idle: u64,
    is_gone: bool,
}

impl Model {
    fn new(policy: SessionPolicy) -> Self {
        Self { policy, rows: vec![], deliveries: 0, allowed: None, idle: 0, is_gone: false }
    }

    /// Applies an operation; returns the ids whose bodies are delivered, or the code of an error.
    fn apply(&mut self, operation: &Operation) -> Result<Vec<String>, &'static str> {
        if let Operation::Wait(seconds) = operation {
            self.idle += seconds;
            self.is_gone |= self.idle >= IDLE_LIMIT;
            return Ok(vec![]);
        }
        if self.is_gone {
            return Err("session-not-found");
        }
        let result = self.change(operation);
        if result.is_ok() {
            self.idle = 0;
        }
        result
    }

    fn change(&mut self, operation: &Operation) -> Result<Vec<String>, &'static str> {
        match operation {
            Operation::Load { skills, is_add, force } => return self.load(skills, *is_add, *force),
            Operation::Unload(ids) => return self.unload(ids).map(|()| vec![]),
            Operation::UnloadAll | Operation::EndTask => self.rows.clear(),
            Operation::Compact(kept) => {
                let is_lost = |row: &&mut Row| row.2.is_some() && row.2 != *kept;
                self.rows.iter_mut().filter(is_lost).for_each(|row| row.2 = None);
            }
            Operation::Revoke(id) => self.rows.retain(|row| row.0 != IDS[*id]),
            Operation::Restrict(ids) => {
                let only: BTreeSet<_> = ids.iter().map(|id| IDS[*id]).collect();
                let before = self.allowed.take().unwrap_or_else(|| BTreeSet::from(IDS));
                let allowed: BTreeSet<_> = before.intersection(&only).copied().collect();
                self.rows.retain(|row| allowed.contains(row.0));
                self.allowed = Some(allowed);
            }
            Operation::Wait(_) | Operation::Touch => {}
        }
        Ok(vec![])
    }

    fn unload(&mut self, ids: &[usize]) -> Result<(), &'static str> {
        let is_named = |row: &Row| ids.iter().any(|id| IDS[*id] == row.0);
        if self.policy.discipline == Discipline::Stack {
            if self.rows.is_empty() {
                return Err("nothing-active");
            }
            let above = self.rows.iter().skip_while(|row| !is_named(row));
            if above.clone().any(|row| !is_named(row)) {
                return Err("not-on-top");
            }
        }
        self.rows.retain(|row| !is_named(row));
        Ok(())
    }

    fn load(
        &mut self,
        skills: &[(usize, u32)],
        is_add: bool,
        force: bool,
    ) -> Result<Vec<String>, &'static str> {
        let mut wanted: Vec<(&'static str, u32)> = vec![];
        for &(id, edition) in skills {
            if wanted.iter().all(|known| known.0 != IDS[id]) {
                wanted.push((IDS[id], edition));
            }
        }
        if wanted.iter().any(|(id, _)| self.allowed.as_ref().is_some_and(|set| !set.contains(id))) {
            return Err("skill-not-allowed");
        }
        let is_stack = self.policy.discipline == Discipline::Stack;
        let mut next: Vec<(&'static str, u32)> = vec![];
        if is_add || is_stack {
            next.extend(self.rows.iter().map(|row| (row.0, row.1)));
        }
        for (id, edition) in wanted.clone() {
            let Some(index) = next.iter().position(|row| row.0 == id) else {
                next.push((id, edition));
                continue;
            };
            match self.policy.on_reload {
                OnReload::Keep => {}
                OnReload::Refresh => next[index].1 = edition,
                OnReload::MoveToEnd if !is_stack => {
                    next.remove(index);
                    next.push((id, edition));
                }
                OnReload::MoveToEnd | OnReload::Error => return Err("already-active"),
            }
        }
        if next.len() > self.policy.max_active {
            return Err("too-many-skills");
        }
        let mut delivered = vec![];
        let rows = next.into_iter().map(|(id, edition)| {
            let known = self.rows.iter().find(|row| row.0 == id && row.1 == edition);
            let is_wanted = wanted.contains(&(id, edition));
            match known {
                Some(row) if !is_wanted || (row.2.is_some() && !force) => *row,
                _ => {
                    delivered.push(id.to_owned());
                    (id, edition, Some(self.deliveries + 1))
                }
            }
        });
        self.rows = rows.collect();
        self.deliveries += u32::from(!delivered.is_empty());
        Ok(delivered)
    }
}

fn run(
    host: &Host,
    session: &SessionHandle,
    operation: &Operation,
) -> Result<Vec<String>, &'static str> {
    let named = |ids: &[usize]| ids.iter().map(|id| IDS[*id].to_owned()).collect::<Vec<_>>();
    let result = match operation {
        Operation::Load { skills, is_add, force } => {
            let skills: Vec<_> =
                skills.iter().map(|(id, number)| edition(IDS[*id], *number)).collect();
            let request = LoadRequest {
                skills: &skills,
                mode: if *is_add { LoadMode::Add } else { LoadMode::Replace },
                delivery: BodyDelivery::ToolResult,
                generation: 1,
                force: *force,
            };
            session.activate(&request).map(|outcome| outcome.deliver)
        }
        Operation::Unload(ids) => session.unload(&Unload::These(named(ids))).map(|_| vec![]),
        Operation::UnloadAll => session.unload(&Unload::All).map(|_| vec![]),
        Operation::EndTask => session.end_task().map(|_| vec![]),
        Operation::Compact(kept) => {
            let kept = KeptDeliveries::These(kept.iter().copied().collect());
            session.compacted(&kept).map(|_| vec![])
        }
        Operation::Revoke(id) => {
            session.revoke(|skill: &ActiveSkill| skill.id == IDS[*id]).map(|_| vec![])
        }
        Operation::Restrict(ids) => {
            session.restrict(&named(ids).into_iter().collect()).map(|_| vec![])
        }
        Operation::Wait(seconds) => {
            host.clock.advance(Duration::from_secs(*seconds));
            Ok(vec![])
        }
        Operation::Touch => session.touch().map(|_| vec![]),
    };
    result.map_err(|error| error.code())
}

/// Returns the rows of a session; none if it is gone.
fn rows(session: &SessionHandle) -> Option<Vec<Row>> {
    let state = session.state().ok()?;
    let row = |skill: &Arc<ActiveSkill>| {
        let id = IDS.into_iter().find(|id| *id == skill.id).expect("no other skill is loaded");
        let number = (1..4).find(|number| edition(id, *number).digest == skill.digest);
        let entry = state.ledger.iter().find(|entry| entry.id == skill.id);
        let delivery = match entry.expect("the ledger has each skill").body {
            BodyPlace::ToolResult(number) => Some(number),
            BodyPlace::Instructions | BodyPlace::Gone => None,
        };
        (id, number.expect("no other edition is loaded"), delivery)
    };
    Some(state.active.iter().map(row).collect())
}

fn operation() -> impl Strategy<Value = Operation> {
    let ids = || prop::collection::vec(0..IDS.len(), 0..4);
    let skills = prop::collection::vec((0..IDS.len(), 1_u32..3), 0..4);
    prop_oneof![
        8 => (skills, any::<bool>(), prop::bool::weighted(0.2))
            .prop_map(|(skills, is_add, force)| Operation::Load { skills, is_add, force }),
        4 => ids().prop_map(Operation::Unload),
        1 => Just(Operation::UnloadAll),
        1 => Just(Operation::EndTask),
        2 => prop::option::of(1_u32..6).prop_map(Operation::Compact),
        1 => (0..IDS.len()).prop_map(Operation::Revoke),
        1 => ids().prop_map(Operation::Restrict),
        2 => (1..IDLE_LIMIT + 2).prop_map(Operation::Wait),
        1 => Just(Operation::Touch),
    ]
}

fn policy() -> impl Strategy<Value = SessionPolicy> {
    let on_reload = prop::sample::select(vec![
        OnReload::MoveToEnd,
        OnReload::Keep,
        OnReload::Error,
        OnReload::Refresh,
    ]);
    let discipline = prop::sample::select(vec![Discipline::Set, Discipline::Stack]);
    (0_usize..6, on_reload, discipline).prop_map(|(max_active, on_reload, discipline)| {
        let idle_limit_seconds = Some(IDLE_LIMIT);
        let policy = SessionPolicy { max_active, on_reload, discipline, ..Default::default() };
        SessionPolicy { idle_limit_seconds, ..policy }
    })
}

proptest! {
    #[test]
    fn session_follows_the_model(
        policy in policy(),
        operations in prop::collection::vec(operation(), 0..40),
    ) {
        let host = Host::new(policy.clone());
        let session = host.open();
        let mut model = Model::new(policy.clone());
        for (number, operation) in operations.iter().enumerate() {
            let expected = model.apply(operation);
            let found = run(&host, &session, operation);
            prop_assert_eq!(&found, &expected, "step {}, {:?}", number, operation);
            // Another process, which has decoded nothing yet, reads the same.
            let other = Host::with_store(host.store.clone(), policy.clone());
            other.clock.advance(host.clock.elapsed());
            let found = other.sessions.resume(session.id()).ok().and_then(|other| rows(&other));
            let expected = (!model.is_gone).then(|| model.rows.clone());
            prop_assert_eq!(rows(&session), expected.clone(), "after step {}", number);
            // Resuming is use of the session, in the model too.
            prop_assert_eq!(found, expected, "in another process after step {}", number);
            model.idle = 0;
        }
    }
}
