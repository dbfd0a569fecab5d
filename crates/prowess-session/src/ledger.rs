//! The activation ledger as pure functions: where the body of each loaded skill is, and what the
//! context of the model needs again.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, BodyDelivery, BodyPlace, LedgerEntry, LoadMode, LoadOutcome, LoadRequest, Receipt,
    SessionError, SessionState, TokenCounter,
};

use crate::{Discipline, SessionPolicy, operations};

/// A state after a load, with what the model receives.
pub struct Loaded {
    /// The next state. Version and last use are those of the state before.
    pub state: SessionState,
    /// The result of the call.
    pub outcome: LoadOutcome,
}

/// Returns the state after a load, and the bodies that belong into its result: those that the
/// context of the model does not have.
///
/// # Errors
///
/// The scope of the session does not allow a skill, or as [`operations::load`].
pub fn load(
    before: &SessionState,
    request: &LoadRequest<'_>,
    policy: &SessionPolicy,
) -> Result<Loaded, SessionError> {
    if let Some(refused) = request.skills.iter().find(|skill| !before.scope.allows(&skill.id)) {
        return Err(SessionError::NotAllowed(refused.id.clone()));
    }
    let active = operations::load(&before.active, request.skills, request.mode, policy)?;
    if policy.discipline == Discipline::Stateless {
        return Ok(stateless(before, &active));
    }
    let number = before.deliveries.saturating_add(1);
    let mut already_loaded = Vec::new();
    let mut deliver = Vec::new();
    let mut ledger = Vec::with_capacity(active.len());
    for skill in &active {
        let known = entry(before, &skill.id).filter(|entry| entry.digest == skill.digest);
        // The policy may keep another content than the requested one.
        let requested = request.skills.iter().find(|requested| requested.id == skill.id);
        let is_requested = requested.is_some_and(|requested| requested.digest == skill.digest);
        let is_there = known.is_some_and(|entry| entry.body != BodyPlace::Gone);
        if let Some(known) = known.filter(|_| !is_requested || (is_there && !request.force)) {
            if is_requested {
                already_loaded.push(known.clone());
            }
            ledger.push(known.clone());
            continue;
        }
        let body = match request.delivery {
            BodyDelivery::Instructions => BodyPlace::Instructions,
            BodyDelivery::ToolResult => {
                deliver.push(skill.id.clone());
                BodyPlace::ToolResult(number)
            }
        };
        ledger.push(new_entry(skill, request.generation, body));
    }
    let deliveries = if deliver.is_empty() { before.deliveries } else { number };
    let receipt = Receipt::of(&active);
    let state = SessionState { active, ledger, deliveries, ..before.clone() };
    Ok(Loaded { state, outcome: LoadOutcome { receipt, deliver, already_loaded } })
}

/// A session without active skills delivers what it is asked for.
fn stateless(before: &SessionState, skills: &[Arc<ActiveSkill>]) -> Loaded {
    let deliver = skills.iter().map(|skill| skill.id.clone()).collect();
    let outcome = LoadOutcome { receipt: Receipt::of(skills), deliver, already_loaded: Vec::new() };
    Loaded { state: before.clone(), outcome }
}

/// Returns the state with other active skills, none of which was not active before. An entry of the
/// ledger has the digest of its skill afterwards: a refreshed body replaces the earlier one.
pub fn with_active(before: &SessionState, active: Vec<Arc<ActiveSkill>>) -> SessionState {
    let entries = active.iter().map(|skill| match entry(before, &skill.id) {
        Some(known) => LedgerEntry { digest: skill.digest, ..known.clone() },
        None => new_entry(skill, 0, BodyPlace::Instructions),
    });
    let ledger = entries.collect();
    SessionState { active, ledger, ..before.clone() }
}

/// The deliveries that the host kept when it compacted a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptDeliveries {
    /// No result of a tool.
    None,
    /// The results of these deliveries.
    These(Vec<u32>),
}

/// Returns the state after the host has compacted the conversation. Bodies in the instructions are
/// not affected.
pub fn compacted(before: &SessionState, kept: &KeptDeliveries) -> SessionState {
    let is_kept = |number: &u32| match kept {
        KeptDeliveries::None => false,
        KeptDeliveries::These(numbers) => numbers.contains(number),
    };
    let mut state = before.clone();
    for entry in &mut state.ledger {
        if matches!(&entry.body, BodyPlace::ToolResult(number) if !is_kept(number)) {
            entry.body = BodyPlace::Gone;
        }
    }
    state
}

/// Returns the state after the host has put the bodies of these skills into the context again, as
/// one delivery.
pub fn injected(before: &SessionState, ids: &[String]) -> SessionState {
    let number = before.deliveries.saturating_add(1);
    let mut state = before.clone();
    for entry in &mut state.ledger {
        if entry.body == BodyPlace::Gone && ids.contains(&entry.id) {
            entry.body = BodyPlace::ToolResult(number);
            state.deliveries = number;
        }
    }
    state
}

/// The bodies that a context needs again after a compaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injection {
    /// The skills whose bodies fit into the budget, the most recent first.
    pub skills: Vec<Arc<ActiveSkill>>,
    /// The tokens of these bodies.
    pub tokens: usize,
    /// The ids of the skills whose bodies do not fit.
    pub left_out: Vec<String>,
}

/// Returns the bodies that are gone from the context and fit into `budget` tokens, the most
/// recently loaded first. A body that does not fit leaves its room to the next one.
pub fn injection(state: &SessionState, budget: usize, counter: &dyn TokenCounter) -> Injection {
    let mut injection = Injection { skills: Vec::new(), tokens: 0, left_out: Vec::new() };
    let is_gone = |skill: &&Arc<ActiveSkill>| {
        entry(state, &skill.id).is_some_and(|entry| entry.body == BodyPlace::Gone)
    };
    for skill in state.active.iter().rev().filter(is_gone) {
        let tokens = counter.count(&skill.body);
        if injection.tokens.saturating_add(tokens) <= budget {
            injection.tokens += tokens;
            injection.skills.push(Arc::clone(skill));
        } else {
            injection.left_out.push(skill.id.clone());
        }
    }
    injection
}

/// Returns the state of a fork, without the limits of its own: of the active skills those that
/// `is_inherited` accepts. The messages of the other session are not in its context.
pub(crate) fn inherited(
    parent: &SessionState,
    is_inherited: impl Fn(&ActiveSkill) -> bool,
) -> SessionState {
    let active = parent.active.iter().filter(|skill| is_inherited(skill)).cloned().collect();
    compacted(&with_active(parent, active), &KeptDeliveries::None)
}

/// Returns the request of a load whose bodies are in the instructions.
pub(crate) fn in_instructions(skills: &[Arc<ActiveSkill>], mode: LoadMode) -> LoadRequest<'_> {
    let delivery = BodyDelivery::Instructions;
    LoadRequest { skills, mode, delivery, generation: 0, force: false }
}

fn new_entry(skill: &ActiveSkill, generation: u64, body: BodyPlace) -> LedgerEntry {
    LedgerEntry { id: skill.id.clone(), digest: skill.digest, generation, body }
}

fn entry<'s>(state: &'s SessionState, id: &str) -> Option<&'s LedgerEntry> {
    state.ledger.iter().find(|entry| entry.id == id)
}
