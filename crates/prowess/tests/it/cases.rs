//! Cases as data, under every preset that they apply to.
//!
//! A case does not name presets: each of its steps has the results that are expected under values
//! of the policies, and a preset has the values that it has.

pub(crate) mod data;
mod place;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use prowess::Policies;

use data::{Case, Outcome, Step, Suite};
use place::Place;

/// Runs each case of a file under each preset that it applies to: at least one.
fn check(text: &str) {
    let suite = Suite::read(text, "{root}");
    let ids: BTreeSet<_> = suite.cases.iter().map(|case| &case.id).collect();
    assert_eq!(ids.len(), suite.cases.len(), "each case has an id of its own");
    let mut failures = Vec::new();
    let mut run_cases = BTreeSet::new();
    for (case, preset) in
        suite.cases.iter().flat_map(|case| Policies::presets().map(move |preset| (case, preset)))
    {
        match catch_unwind(AssertUnwindSafe(|| run(preset, text, &suite.tree, case))) {
            Ok(Ran::Yes) => drop(run_cases.insert(&case.id)),
            Ok(Ran::No) => {}
            Err(panic) => {
                let reason =
                    panic.downcast::<String>().map_or_else(|_| String::new(), |text| *text);
                failures.push(format!("{preset}, {}: {reason}", case.id));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(run_cases, ids, "each case applies to a preset");
}

/// Returns whether a case applies to a preset.
enum Ran {
    Yes,
    No,
}

/// Runs a case, unless the preset has no expected result for a step, or lacks a tool.
fn run(preset: &str, text: &str, tree: &str, case: &Case) -> Ran {
    if !place::has_results(preset, case) {
        return Ran::No;
    }
    let mut place = Place::new(preset, tree, case);
    if !place.has_tools(case) {
        return Ran::No;
    }
    // The directory of the tree is known only now.
    let suite = Suite::read(text, &place.root());
    let case = suite.cases.iter().find(|other| other.id == case.id).expect("it is the same file");
    place.load(&case.loaded);
    for (index, step) in case.steps.iter().enumerate() {
        let expected = step.expected(&place.facts());
        let before = place.active();
        let outcome = place.perform(&step.operation);
        let step = format!("step {}", index + 1);
        compare(&step, expected, &outcome, before.as_deref(), place.active().as_deref());
    }
    Ran::Yes
}

fn compare(
    step: &str,
    expected: Option<&data::Expected>,
    outcome: &Outcome,
    before: Option<&[String]>,
    after: Option<&[String]>,
) {
    let Some(expected) = expected else { return };
    assert_eq!(outcome.code, expected.code, "{step}: code of {outcome:?}");
    if expected.decision.is_some() {
        assert_eq!(outcome.decision, expected.decision, "{step}: decision");
    }
    if let Some(text) = &expected.text {
        assert_eq!(outcome.text, *text, "{step}: text");
    }
    for part in &expected.has {
        assert!(outcome.text.contains(part), "{step}: `{part}` is in `{}`", outcome.text);
    }
    if let Some(data) = &expected.data {
        assert!(data::includes(&outcome.data, data), "{step}: {data} is in {}", outcome.data);
    }
    match &expected.active {
        Some(active) => assert_eq!(after, Some(&active[..]), "{step}: active"),
        None if expected.code.is_some() => {
            assert_eq!(after, before, "{step}: a refused call changes nothing");
        }
        None => {}
    }
}

#[test]
fn sessions() {
    check(include_str!("cases/sessions.yaml"));
}

#[cfg(unix)]
#[test]
fn tools() {
    check(include_str!("cases/tools.yaml"));
}

#[test]
fn steps_are_compared() {
    let step = Step::of(r#"{ "do": "reload", "expect": { "code": "x" } }"#);
    let expected = step.expected(&[]).expect("it has one");
    let compared = catch_unwind(AssertUnwindSafe(|| {
        compare("a step", Some(expected), &Outcome::default(), None, None);
    }));
    assert!(compared.is_err(), "another result than the expected one fails");
}
