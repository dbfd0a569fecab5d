//! The activation ledger as pure functions: where the body of each loaded skill is, and what the
//! context of the model needs again.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, BodyDelivery, BodyPlace, Discipline, LedgerEntry, LoadMode, LoadOutcome,
    LoadRequest, Receipt, ReinjectionBudget, SessionError, SessionScope, SessionState,
};

use crate::{OnReload, SessionPolicy, operations};

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
    let mut policy = policy.within(&before.scope);
    // What the model has not asked for, or does not have any more, is no repetition.
    let is_missing = |skill: &Arc<ActiveSkill>| {
        let is_it = |it: &LedgerEntry| {
            it.generation == LedgerEntry::NOT_ASKED_FOR || it.body == BodyPlace::Gone
        };
        entry(before, &skill.id).is_none_or(is_it)
    };
    if operations::refuses_again(&policy) && request.skills.iter().all(is_missing) {
        policy.on_reload = OnReload::Refresh;
    }
    let policy = &policy;
    if policy.discipline == Discipline::Stateless {
        let skills = operations::load(&before.active, request.skills, request.mode, policy)?;
        return Ok(stateless(before, &skills));
    }
    let active = operations::loaded(&before.active, request.skills, request.mode, policy)?;
    let is_bound = |id: &str| before.scope.bound.contains(id);
    let active = with_bound(before, active);
    let active = operations::within_limit(active, request.skills, is_bound, policy)?;
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
            let mut known = known.clone();
            if is_requested {
                known.generation = known.generation.min(request.generation);
                already_loaded.push(known.clone());
            }
            ledger.push(known);
            continue;
        }
        let body = if request.delivery.is_in_result() {
            deliver.push(skill.id.clone());
            BodyPlace::ToolResult(number)
        } else {
            BodyPlace::Instructions
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

/// Returns the state after binding skills to the session: they are the first active ones, and their
/// bodies are in the instructions.
///
/// # Errors
///
/// The scope of the session does not allow a skill, or more skills would be active than the policy
/// allows.
pub fn bind(
    before: &SessionState,
    skills: &[Arc<ActiveSkill>],
    generation: u64,
    policy: &SessionPolicy,
) -> Result<SessionState, SessionError> {
    if let Some(refused) = skills.iter().find(|skill| !before.scope.allows(&skill.id)) {
        return Err(SessionError::NotAllowed(refused.id.clone()));
    }
    let is_bound = |id: &str| skills.iter().any(|skill| skill.id == id);
    let others = before.active.iter().filter(|skill| !is_bound(&skill.id)).cloned();
    let skills = operations::without_duplicates(skills);
    let active = within_cap(skills.iter().cloned().chain(others).collect(), policy)?;
    let mut state = with_active(before, active);
    for entry in state.ledger.iter_mut().filter(|entry| is_bound(&entry.id)) {
        *entry = LedgerEntry { generation, body: BodyPlace::Instructions, ..entry.clone() };
    }
    let ids = skills.iter().map(|skill| skill.id.clone());
    let bound = before.scope.bound.iter().cloned().chain(ids).collect();
    state.scope = Arc::new(SessionScope { bound, ..(*before.scope).clone() });
    Ok(state)
}

/// Returns the list with the bound skills in front, also those that it lacks. Their order never
/// changes, so that the instructions begin as before.
pub(crate) fn with_bound(
    before: &SessionState,
    active: Vec<Arc<ActiveSkill>>,
) -> Vec<Arc<ActiveSkill>> {
    if before.scope.bound.is_empty() {
        return active;
    }
    let is_bound = |skill: &&Arc<ActiveSkill>| before.scope.bound.contains(&skill.id);
    let newest = |skill: &Arc<ActiveSkill>| {
        let newer = active.iter().find(|newer| newer.id == skill.id);
        Arc::clone(newer.unwrap_or(skill))
    };
    let bound: Vec<_> = before.active.iter().filter(is_bound).map(newest).collect();
    let others = active.iter().filter(|skill| bound.iter().all(|known| known.id != skill.id));
    bound.iter().chain(others).cloned().collect()
}

fn within_cap(
    active: Vec<Arc<ActiveSkill>>,
    policy: &SessionPolicy,
) -> Result<Vec<Arc<ActiveSkill>>, SessionError> {
    if active.len() > policy.max_active {
        return Err(SessionError::TooManySkills { wanted: active.len(), cap: policy.max_active });
    }
    Ok(active)
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

/// The results of tools that are left after the host compacted a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptDeliveries {
    /// No result of a tool.
    None,
    /// The results of these deliveries.
    These(Vec<u32>),
    /// The bodies of the skills with these ids.
    OfSkills(Vec<String>),
}

/// Returns the state after the host has compacted the conversation. Bodies in the instructions are
/// not affected.
pub fn compacted(before: &SessionState, kept: &KeptDeliveries) -> SessionState {
    let is_kept = |entry: &LedgerEntry, number: &u32| match kept {
        KeptDeliveries::None => false,
        KeptDeliveries::These(numbers) => numbers.contains(number),
        KeptDeliveries::OfSkills(ids) => ids.contains(&entry.id),
    };
    let mut state = before.clone();
    for entry in &mut state.ledger {
        if matches!(&entry.body, BodyPlace::ToolResult(number) if !is_kept(entry, number)) {
            entry.body = BodyPlace::Gone;
        }
    }
    state
}

/// Returns the state after the host has delivered the bodies of these skills again: in the
/// instructions if the delivery moves them there, else in the conversation, as one delivery.
pub fn injected(before: &SessionState, ids: &[String], delivery: BodyDelivery) -> SessionState {
    let number = before.deliveries.saturating_add(1);
    let mut state = before.clone();
    for entry in &mut state.ledger {
        if entry.body == BodyPlace::Gone && ids.contains(&entry.id) {
            if delivery.has_instructions() {
                entry.body = BodyPlace::Instructions;
            } else {
                entry.body = BodyPlace::ToolResult(number);
                state.deliveries = number;
            }
        }
    }
    state
}

/// The bodies that a context needs again after a compaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injection {
    /// The skills whose bodies fit into the budget, the most recent first.
    pub skills: Vec<InjectedSkill>,
    /// The sum of their costs.
    pub tokens: usize,
    /// The ids of the skills whose bodies do not fit.
    pub left_out: Vec<String>,
}

/// One skill of an [`Injection`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InjectedSkill {
    /// The skill.
    pub skill: Arc<ActiveSkill>,
    /// The number of bytes of its body that fit into the budget of one skill.
    pub bytes: usize,
    /// Its cost.
    pub tokens: usize,
}

impl InjectedSkill {
    /// Returns the part of the body that fits.
    pub fn body(&self) -> &str {
        &self.skill.body[..self.bytes]
    }

    /// Returns whether the rest of the body is left out.
    pub fn is_cut(&self) -> bool {
        self.bytes < self.skill.body.len()
    }
}

/// Returns the bodies that are gone from the context and fit into the budget, the most recently
/// loaded first. `cost` returns the tokens of a skill with this part of its body.
///
/// A body over the budget of one skill is cut after a line. One that does not fit into the rest of
/// the whole budget leaves its room to the next one.
pub fn injection(
    state: &SessionState,
    budget: ReinjectionBudget,
    cost: impl Fn(&ActiveSkill, &str) -> usize,
) -> Injection {
    let mut injection = Injection { skills: Vec::new(), tokens: 0, left_out: Vec::new() };
    let is_gone = |skill: &&Arc<ActiveSkill>| {
        entry(state, &skill.id).is_some_and(|entry| entry.body == BodyPlace::Gone)
    };
    for skill in state.active.iter().rev().filter(is_gone) {
        let bytes = fitting(&skill.body, |part| cost(skill, part) <= budget.skill_tokens);
        let tokens = cost(skill, &skill.body[..bytes]);
        let is_empty = bytes == 0 && !skill.body.is_empty();
        if !is_empty && injection.tokens.saturating_add(tokens) <= budget.total_tokens {
            injection.tokens += tokens;
            injection.skills.push(InjectedSkill { skill: Arc::clone(skill), bytes, tokens });
        } else {
            injection.left_out.push(skill.id.clone());
        }
    }
    injection
}

/// Returns the length of the longest part of a text that fits: all of it, or whole lines from its
/// start.
fn fitting(text: &str, fits: impl Fn(&str) -> bool) -> usize {
    if fits(text) {
        return text.len();
    }
    let ends: Vec<_> = text.match_indices('\n').map(|(index, _)| index + 1).collect();
    let lines = ends.partition_point(|end| fits(&text[..*end]));
    lines.checked_sub(1).map_or(0, |last| ends[last])
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
