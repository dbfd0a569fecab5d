//! Sessions and a reference model of them, next to each other over any series of operations.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use prowess_core::BodyPlace::{Gone, Instructions, ToolResult};
use prowess_core::{
    ActiveSkill, BodyDelivery, BodyPlace, Clock, LoadMode, LoadRequest, ReinjectionBudget,
    SessionState, Unload,
};
use prowess_session::ledger::{KeptDeliveries, injection};
use prowess_session::operations::unchanged_since;
use prowess_session::{Discipline, OnLimit, OnReload, SessionHandle, SessionPolicy};

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
    Bind(Vec<(usize, u32)>),
    Refresh(usize, u32),
    Compact(Option<u32>),
    Inject { ids: Vec<usize>, into_instructions: bool },
    Revoke(usize),
    Restrict(Vec<usize>),
    Wait(u64),
    Touch,
}

/// One loaded skill of the model: its id, its edition, and where its body is.
type Row = (&'static str, u32, BodyPlace);

/// The reference: what a session is, in as few words as possible.
#[derive(Clone, Debug)]
struct Model {
    policy: SessionPolicy,
    rows: Vec<Row>,
    bound: BTreeSet<&'static str>,
    deliveries: u32,
    allowed: Option<BTreeSet<&'static str>>,
    idle: u64,
    is_gone: bool,
}

impl Model {
    fn new(policy: SessionPolicy) -> Self {
        let bound = BTreeSet::new();
        Self { policy, rows: vec![], bound, deliveries: 0, allowed: None, idle: 0, is_gone: false }
    }

    /// Applies an operation; returns the ids whose bodies are delivered or replaced, or the code of
    /// an error.
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
            Operation::UnloadAll | Operation::EndTask => self.keep(|_| false),
            Operation::Bind(skills) => return self.bind(skills).map(|()| vec![]),
            Operation::Refresh(id, edition) => {
                let row = self.rows.iter_mut().find(|row| row.0 == IDS[*id] && row.1 != *edition);
                return Ok(row.into_iter().map(|row| (row.1 = *edition, row.0.into()).1).collect());
            }
            Operation::Compact(kept) => {
                let is_lost =
                    |row: &&mut Row| matches!(row.2, ToolResult(number) if Some(number) != *kept);
                self.rows.iter_mut().filter(is_lost).for_each(|row| row.2 = Gone);
            }
            Operation::Inject { ids, into_instructions } => {
                let number = self.deliveries + 1;
                let is_chosen =
                    |row: &&mut Row| row.2 == Gone && ids.iter().any(|id| IDS[*id] == row.0);
                for row in self.rows.iter_mut().filter(is_chosen) {
                    row.2 = if *into_instructions { Instructions } else { ToolResult(number) };
                    self.deliveries = if *into_instructions { self.deliveries } else { number };
                }
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
        self.keep(|row| !is_named(row));
        Ok(())
    }

    /// Unloads all but some rows. The bound ones stay, and come first.
    fn keep(&mut self, is_kept: impl Fn(&Row) -> bool) {
        let rows = self.rows.drain(..);
        let (bound, others): (Vec<_>, Vec<_>) = rows.partition(|row| self.bound.contains(row.0));
        self.rows = bound.into_iter().chain(others.into_iter().filter(is_kept)).collect();
    }

    fn bind(&mut self, skills: &[(usize, u32)]) -> Result<(), &'static str> {
        let wanted = self.wanted(skills)?;
        let is_bound = |row: &&Row| wanted.iter().any(|(id, _)| *id == row.0);
        let others = self.rows.iter().filter(|row| !is_bound(row)).copied();
        let bound = wanted.iter().map(|&(id, edition)| (id, edition, Instructions));
        let rows: Vec<_> = bound.chain(others).collect();
        if rows.len() > self.policy.max_active {
            return Err("too-many-skills");
        }
        self.bound.extend(wanted.iter().map(|(id, _)| id));
        self.rows = rows;
        Ok(())
    }

    /// Returns what is asked for, each id once, if all of it is allowed.
    fn wanted(&self, skills: &[(usize, u32)]) -> Result<Vec<(&'static str, u32)>, &'static str> {
        let mut wanted: Vec<(&'static str, u32)> = vec![];
        for &(id, edition) in skills {
            if wanted.iter().all(|known| known.0 != IDS[id]) {
                wanted.push((IDS[id], edition));
            }
        }
        if wanted.iter().any(|(id, _)| self.allowed.as_ref().is_some_and(|set| !set.contains(id))) {
            return Err("skill-not-allowed");
        }
        Ok(wanted)
    }

    fn load(
        &mut self,
        skills: &[(usize, u32)],
        is_add: bool,
        force: bool,
    ) -> Result<Vec<String>, &'static str> {
        let wanted = self.wanted(skills)?;
        let is_stack = self.policy.discipline == Discipline::Stack;
        let mut next: Vec<(&'static str, u32)> = vec![];
        if is_add || is_stack {
            next.extend(self.rows.iter().map(|row| (row.0, row.1)));
        }
        let is_there = |id: &str| self.rows.iter().any(|row| row.0 == id && row.2 != Gone);
        let has_any = wanted.iter().any(|(id, _)| is_there(id));
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
                _ if has_any => return Err("already-active"),
                _ => next[index].1 = edition,
            }
        }
        let mut next = self.bound_first(&next);
        let most = self.policy.max_active;
        let unloads = self.policy.on_limit == OnLimit::UnloadOldest && !is_stack;
        while unloads && wanted.len() <= most && next.len() > most {
            let is_other = |(id, _): &(_, _)| {
                !self.bound.contains(id) && wanted.iter().all(|known| known.0 != *id)
            };
            let Some(oldest) = next.iter().position(is_other) else { break };
            next.remove(oldest);
        }
        if next.len() > most {
            return Err("too-many-skills");
        }
        let mut delivered = vec![];
        let rows = next.into_iter().map(|(id, edition)| {
            let known = self.rows.iter().find(|row| row.0 == id && row.1 == edition);
            let is_wanted = wanted.contains(&(id, edition));
            match known {
                Some(row) if !is_wanted || (row.2 != Gone && !force) => *row,
                _ => {
                    delivered.push(id.to_owned());
                    (id, edition, ToolResult(self.deliveries + 1))
                }
            }
        });
        self.rows = rows.collect();
        self.deliveries += u32::from(!delivered.is_empty());
        Ok(delivered)
    }

    /// Returns a list that has the bound rows in front, those that it lacks as well.
    fn bound_first(&self, next: &[(&'static str, u32)]) -> Vec<(&'static str, u32)> {
        let bound = self.rows.iter().filter(|row| self.bound.contains(row.0));
        let newest = |row: &Row| *next.iter().find(|one| one.0 == row.0).unwrap_or(&(row.0, row.1));
        let mut all: Vec<_> = bound.map(newest).collect();
        let others = next.iter().filter(|one| all.iter().all(|known| known.0 != one.0));
        let others: Vec<_> = others.copied().collect();
        all.extend(others);
        all
    }
}

fn run(
    host: &Host,
    session: &SessionHandle,
    operation: &Operation,
) -> Result<Vec<String>, &'static str> {
    let named = |ids: &[usize]| ids.iter().map(|id| IDS[*id].to_owned()).collect::<Vec<_>>();
    let editions = |skills: &[(usize, u32)]| -> Vec<_> {
        skills.iter().map(|(id, number)| edition(IDS[*id], *number)).collect()
    };
    let result = match operation {
        Operation::Load { skills, is_add, force } => {
            let request = LoadRequest {
                skills: &editions(skills),
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
        Operation::Bind(skills) => {
            let bound = session.bind(&editions(skills), 2);
            let ledger = session.state().map(|state| state.ledger).unwrap_or_default();
            let ids = skills.iter().filter(|_| bound.is_ok()).map(|(id, _)| IDS[*id]);
            let entry = |id| ledger.iter().find(|entry| entry.id == id).map(|it| it.generation);
            ids.for_each(|id| assert_eq!(entry(id), Some(2), "the generation that `{id}` is of"));
            bound.map(|_| vec![])
        }
        Operation::Refresh(id, number) => {
            let refreshed = session.refresh(&[edition(IDS[*id], *number)]);
            refreshed.map(|it| it.replaced.into_iter().map(|one| one.id).collect())
        }
        Operation::Compact(kept) => {
            let kept = KeptDeliveries::These(kept.iter().copied().collect());
            session.compacted(&kept).map(|_| vec![])
        }
        Operation::Inject { ids, into_instructions } => {
            let delivery = [BodyDelivery::ToolResult, BodyDelivery::BothOnce];
            let delivery = delivery[usize::from(*into_instructions)];
            session.injected(&named(ids), delivery).map(|_| vec![])
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
        let entry = entry.expect("the ledger has each skill");
        assert_eq!(entry.digest, skill.digest, "the ledger has the body of `{id}`");
        (id, number.expect("no other edition is loaded"), entry.body)
    };
    Some(state.active.iter().map(row).collect())
}

fn operation() -> impl Strategy<Value = Operation> {
    let ids = || prop::collection::vec(0..IDS.len(), 0..4);
    let skills = || prop::collection::vec((0..IDS.len(), 1_u32..3), 0..4);
    prop_oneof![
        8 => (skills(), any::<bool>(), prop::bool::weighted(0.2))
            .prop_map(|(skills, is_add, force)| Operation::Load { skills, is_add, force }),
        4 => ids().prop_map(Operation::Unload),
        1 => Just(Operation::UnloadAll),
        1 => Just(Operation::EndTask),
        1 => skills().prop_map(Operation::Bind),
        1 => (0..IDS.len(), 1_u32..3).prop_map(|(id, number)| Operation::Refresh(id, number)),
        1 => (ids(), any::<bool>()).prop_map(|(ids, into_instructions)| {
            Operation::Inject { ids, into_instructions }
        }),
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
    let on_limit = prop::sample::select(vec![OnLimit::Error, OnLimit::UnloadOldest]);
    (0_usize..6, on_limit, on_reload, discipline).prop_map(
        |(max_active, on_limit, on_reload, discipline)| {
            let idle_limit_seconds = Some(IDLE_LIMIT);
            let policy = SessionPolicy { max_active, on_limit, on_reload, ..Default::default() };
            SessionPolicy { discipline, idle_limit_seconds, ..policy }
        },
    )
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
            let (before, rows_before) = (session.state(), model.rows.clone());
            let expected = model.apply(operation);
            let found = run(&host, &session, operation);
            prop_assert_eq!(&found, &expected, "step {}, {:?}", number, operation);
            // Another process, which has decoded nothing yet, reads the same.
            let other = Host::with_store(host.store.clone(), policy.clone());
            other.clock.advance(host.clock.elapsed());
            let found = other.sessions.resume(session.id()).ok().and_then(|other| rows(&other));
            if let (Ok(before), Ok(now)) = (before, session.state()) {
                let is_same = |id: &&str| {
                    let edition = |rows: &[Row]| rows.iter().find(|row| row.0 == *id).map(|it| it.1);
                    edition(&model.rows).is_some() && edition(&model.rows) == edition(&rows_before)
                };
                let same: Vec<_> = IDS.into_iter().filter(is_same).collect();
                prop_assert_eq!(unchanged_since(&before, &now, &IDS.map(String::from)), same);
            }
            let expected = (!model.is_gone).then(|| model.rows.clone());
            prop_assert_eq!(rows(&session), expected.clone(), "after step {}", number);
            // Resuming is use of the session, in the model too.
            prop_assert_eq!(found, expected, "in another process after step {}", number);
            model.idle = 0;
        }
    }

    #[test]
    fn bodies_that_are_gone_come_again_within_the_budget(
        bodies in prop::collection::vec("[ab\n]{0,9}", 0..5),
        is_gone in prop::array::uniform5(prop::bool::weighted(0.8)),
        skill_tokens in 0_usize..12,
        total_tokens in 0_usize..30,
    ) {
        let state = compacted(&bodies, is_gone);
        let budget = ReinjectionBudget { skill_tokens, total_tokens };
        let found = injection(&state, budget, |_, part| part.len());
        let (mut parts, mut left_out, mut sum) = (vec![], vec![], 0);
        for (number, body) in bodies.iter().enumerate().rev().filter(|(number, _)| is_gone[*number]) {
            let is_whole = |end: &usize| *end == body.len() || body[..*end].ends_with('\n');
            let part = &body[..(0..=skill_tokens.min(body.len())).rfind(is_whole).unwrap_or(0)];
            if (part.is_empty() && !body.is_empty()) || sum + part.len() > total_tokens {
                left_out.push(IDS[number]);
            } else {
                sum += part.len();
                parts.push((IDS[number], part, part.len(), part != body));
            }
        }
        let found_parts: Vec<_> = found
            .skills
            .iter()
            .map(|one| (&*one.skill.id, one.body(), one.tokens, one.is_cut()))
            .collect();
        prop_assert_eq!(found_parts, parts);
        prop_assert_eq!((found.tokens, found.left_out), (sum, left_out.iter().map(|id| (*id).to_owned()).collect()));
    }
}

/// Returns the state of a session that has loaded skills with these bodies, some of which a
/// compaction has removed.
fn compacted(bodies: &[String], is_gone: [bool; 5]) -> SessionState {
    let session = Host::new(SessionPolicy::default()).open();
    let skill = |(number, body): (usize, &String)| {
        let known = (*edition(IDS[number], 1)).clone();
        Arc::new(ActiveSkill { body: body.as_str().into(), ..known })
    };
    let skills: Vec<_> = bodies.iter().enumerate().map(skill).collect();
    let (mode, delivery) = (LoadMode::Add, BodyDelivery::ToolResult);
    let request = LoadRequest { skills: &skills, mode, delivery, generation: 1, force: false };
    session.activate(&request).expect("there is room");
    let kept = IDS.into_iter().zip(is_gone).filter(|(_, is_gone)| !is_gone);
    let kept = KeptDeliveries::OfSkills(kept.map(|(id, _)| id.to_owned()).collect());
    session.compacted(&kept).expect("the session is open")
}
