//! The code beside its model.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;

use prowess_audit::{Head, Problem, VerifyError, verify_against};
use prowess_core::AuditSink as _;
use prowess_testkit::replay_model;

use crate::fixture::{Place, intent};

/// Returns the lines of a log with these entries, and its head.
fn written(entries: &[u64]) -> (Vec<String>, Head) {
    let place = Place::new();
    let log = place.open();
    entries.iter().for_each(|entry| log.intend(&intent(*entry)).expect("there is room"));
    let head = log.head();
    drop(log);
    (place.text().split_inclusive('\n').map(str::to_owned).collect(), head)
}

/// Changes lines: drops one, swaps it with the next one, edits it, repeats it, cuts the log before
/// it, or puts the line of another log there.
fn tamper(lines: &mut Vec<String>, other: &[String], act: usize) {
    let (kind, at) = (act % 6, act / 6);
    if at >= lines.len().min(other.len()) {
        return;
    }
    match kind {
        0 => drop(lines.remove(at)),
        1 if at + 1 < lines.len() => lines.swap(at, at + 1),
        1 => {}
        2 => lines[at] = lines[at].replace("Read", "Bash"),
        3 => lines.insert(at, lines[at].clone()),
        4 => lines.truncate(at),
        _ => lines[at].clone_from(&other[at]),
    }
}

#[test]
fn chain_is_checked_as_in_the_model() {
    let logs = RefCell::new(BTreeMap::new());
    let written = |entries: &[u64]| -> (Vec<String>, Head) {
        let mut logs = logs.borrow_mut();
        logs.entry(entries.to_owned()).or_insert_with(|| written(entries)).clone()
    };
    let place = Place::new();
    replay_model(include_str!("../../model/vectors/chain.jsonl"), |question, _| {
        let counts = question.numbers(0);
        let [count, same] = [counts[0], counts[1]].map(i64::unsigned_abs);
        let (mut lines, head) = written(&(0..count).collect::<Vec<_>>());
        let (other, _) = written(&(0..same).chain(50..50 + count).collect::<Vec<_>>());
        for act in question.counts(1) {
            tamper(&mut lines, &other, act);
        }
        fs::write(&place.path, lines.concat()).expect("there is room");
        match verify_against(&place.path, &head) {
            Ok(_) => vec![0],
            Err(VerifyError::Broken { line, problem, .. }) => {
                let kind = match problem {
                    Problem::Changed => 1,
                    Problem::Order { .. } => 2,
                    Problem::Replaced => 3,
                    other => panic!("{other:?}"),
                };
                vec![kind, i64::try_from(line).expect("there are few lines")]
            }
            Err(VerifyError::HeadMissing(_)) => vec![4],
            Err(error) => panic!("{error}"),
        }
    });
}
