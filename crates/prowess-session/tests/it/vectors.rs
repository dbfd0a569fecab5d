//! The code beside its model.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, AllowedTools, BodyDelivery, Digest, LoadMode, LoadRequest, SessionError,
    SessionId, SessionScope, SessionState, Timestamp, Unload,
};
use prowess_session::{Discipline, OnLimit, OnReload, SessionPolicy, ledger, operations};
use prowess_testkit::replay_model;

use crate::fixture::edition;

const DISCIPLINES: [Discipline; 3] = [Discipline::Set, Discipline::Stack, Discipline::Stateless];
const RELOADS: [OnReload; 4] =
    [OnReload::MoveToEnd, OnReload::Keep, OnReload::Error, OnReload::Refresh];
const LIMITS: [OnLimit; 2] = [OnLimit::Error, OnLimit::UnloadOldest];
const IDS: [&str; 5] = ["a", "b", "c", "d", "e"];

fn index(number: i64) -> usize {
    usize::try_from(number).expect("no number is negative")
}

fn skill(number: i64) -> Arc<ActiveSkill> {
    edition(IDS[index(number / 2)], u32::from(number % 2 == 1))
}

fn number((id, digest): (&str, Digest)) -> i64 {
    let is_it = |number: &i64| skill(*number).id == *id && skill(*number).digest == digest;
    (0..10).find(is_it).expect("no other skill is loaded")
}

/// Returns the skills without those whose id an earlier one has.
fn distinct(numbers: &[i64]) -> Vec<Arc<ActiveSkill>> {
    let mut skills: Vec<Arc<ActiveSkill>> = Vec::new();
    for skill in numbers.iter().map(|number| skill(*number)) {
        if skills.iter().all(|known| known.id != skill.id) {
            skills.push(skill);
        }
    }
    skills
}

/// Returns the loaded skills after an operation.
fn after(
    active: &[Arc<ActiveSkill>],
    named: &[Arc<ActiveSkill>],
    operation: i64,
    policy: &SessionPolicy,
) -> Result<Vec<(String, Digest)>, SessionError> {
    if operation == 3 {
        let ids = named.iter().map(|skill| skill.id.clone()).collect();
        let kept = operations::unload(active, &Unload::These(ids), policy.discipline)?;
        return Ok(kept.iter().map(|skill| (skill.id.clone(), skill.digest)).collect());
    }
    let bound = active.first().filter(|_| operation > 1).map(|skill| skill.id.clone());
    let scope = SessionScope { bound: bound.into_iter().collect(), ..SessionScope::default() };
    let state = SessionState::new(SessionId::new("s").expect("the id is valid"), Timestamp(0));
    let state = SessionState { scope: Arc::new(scope), ..state };
    let request = LoadRequest {
        skills: named,
        mode: if operation % 4 > 0 { LoadMode::Add } else { LoadMode::Replace },
        delivery: BodyDelivery::Instructions,
        generation: 1,
        force: false,
    };
    let loaded = ledger::load(&ledger::with_active(&state, active.to_vec()), &request, policy)?;
    let entries = loaded.outcome.receipt.active_skills.into_iter();
    Ok(entries.map(|entry| (entry.id, entry.digest)).collect())
}

#[test]
fn stack_changes_as_in_the_model() {
    replay_model(include_str!("../../model/vectors/stack.jsonl"), |question, _| {
        let call = question.numbers(0);
        let policy = SessionPolicy {
            discipline: DISCIPLINES[index(call[0])],
            on_reload: RELOADS[index(call[1])],
            on_limit: LIMITS[index(call[2])],
            max_active: index(call[3]),
            ..SessionPolicy::default()
        };
        let named: Vec<_> = question.numbers(2).into_iter().map(skill).collect();
        match after(&distinct(&question.numbers(1)), &named, call[4], &policy) {
            Ok(skills) => {
                let numbers = skills.iter().map(|(id, digest)| number((id, *digest)));
                std::iter::once(0).chain(numbers).collect()
            }
            Err(SessionError::TooManySkills { .. }) => vec![1],
            Err(SessionError::AlreadyActive(_)) => vec![2],
            Err(SessionError::NotOnTop(_)) => vec![3],
            Err(SessionError::NothingActive) => vec![4],
            Err(error) => panic!("{error}"),
        }
    });
}

/// A newer edition that is loaded for an active skill neither widens nor narrows its rights.
#[test]
fn refreshed_skill_keeps_its_tools() {
    let lists = [AllowedTools::Absent, AllowedTools::Empty];
    let with = |number, list: &AllowedTools| {
        let mut skill = skill(number);
        Arc::make_mut(&mut skill).allowed_tools = list.clone();
        skill
    };
    for (own, other) in lists.iter().flat_map(|own| lists.iter().map(move |other| (own, other))) {
        let refreshed = operations::refresh(&[with(0, own)], &[with(1, other)]);
        assert_eq!((&refreshed[0].allowed_tools, refreshed[0].digest), (own, skill(1).digest));
    }
}

/// Returns every list of at most so many of four skills; one may occur several times.
fn lists(most: usize) -> Vec<Vec<Arc<ActiveSkill>>> {
    let all: Vec<_> = (0..4).map(|number| skill(number * 2)).collect();
    let mut lists = vec![Vec::new()];
    let mut longest = lists.clone();
    for _ in 0..most {
        let longer = |list: &Vec<_>| {
            let list = list.clone();
            all.iter().map(move |skill| [&list[..], std::slice::from_ref(skill)].concat())
        };
        longest = longest.iter().flat_map(longer).collect();
        lists.extend(longest.iter().cloned());
    }
    lists
}

fn has(skills: &[Arc<ActiveSkill>], id: &str) -> bool {
    skills.iter().any(|skill| skill.id == id)
}

/// Lemmas S1 to S5, for each stack of at most four skills and each operation.
#[test]
fn every_operation_on_a_short_list_keeps_the_rules() {
    let distinct = |list: &Vec<Arc<ActiveSkill>>| {
        list.iter().enumerate().all(|(at, skill)| !has(&list[..at], &skill.id))
    };
    let stacks: Vec<_> = lists(4).into_iter().filter(distinct).collect();
    let named = lists(2);
    let is_start = |start: &[Arc<ActiveSkill>], of: &[Arc<ActiveSkill>]| {
        start.iter().map(|skill| &skill.id).eq(of.iter().take(start.len()).map(|skill| &skill.id))
    };
    let mut cases = 0_usize;
    for number in 0..3 * 4 * 2 * 4 {
        let policy = SessionPolicy {
            discipline: DISCIPLINES[number % 3],
            on_reload: RELOADS[number / 3 % 4],
            on_limit: LIMITS[number / 12 % 2],
            max_active: number / 24 + 1,
            ..SessionPolicy::default()
        };
        let is_stack = policy.discipline == Discipline::Stack;
        for (active, wanted) in stacks.iter().flat_map(|it| named.iter().map(move |n| (it, n))) {
            cases += 2;
            for mode in [LoadMode::Add, LoadMode::Replace] {
                let Ok(next) = operations::load(active, wanted, mode, &policy) else { continue };
                let text = || format!("{policy:?} {mode:?}: {next:?}");
                assert!(next.len() <= policy.max_active, "{} is over the cap", text());
                assert!(distinct(&next), "{} has one twice", text());
                let is_whole = wanted.iter().all(|skill| has(&next, &skill.id));
                assert!(is_whole, "{} is not all that was wanted", text());
                assert!(!is_stack || is_start(active, &next), "{} moved one", text());
            }
            let ids: Vec<_> = wanted.iter().map(|skill| skill.id.clone()).collect();
            let which = Unload::These(ids.clone());
            if let Ok(left) = operations::unload(active, &which, policy.discipline) {
                assert!(!is_stack || is_start(&left, active), "{left:?} is not below the rest");
                let is_right =
                    |skill: &Arc<ActiveSkill>| has(&left, &skill.id) != ids.contains(&skill.id);
                assert!(active.iter().all(is_right), "{left:?} after {ids:?}");
            }
        }
    }
    assert_eq!(cases, 262_080);
}
