//! The result of a kit: each rule, kept or broken.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The outcome of each rule that a kit checks.
#[derive(Clone, Debug)]
pub struct KitReport {
    /// The rules, in the order of the checks.
    pub rules: Vec<RuleOutcome>,
}

/// The outcome of one rule.
#[derive(Clone, Debug)]
pub struct RuleOutcome {
    /// The name of the rule.
    pub rule: &'static str,
    /// The reason of a failure.
    pub outcome: Result<(), String>,
}

impl KitReport {
    /// Runs the check of each rule, which panics if the rule is broken.
    pub(crate) fn of<C>(rules: &[(&'static str, C)], run: impl Fn(&'static str, &C)) -> Self {
        let outcome = |(rule, check): &(&'static str, C)| {
            let checked = catch_unwind(AssertUnwindSafe(|| run(rule, check)));
            RuleOutcome { rule, outcome: checked.map_err(|panic| reason(&*panic)) }
        };
        Self { rules: rules.iter().map(outcome).collect() }
    }

    /// Returns whether every rule is kept.
    pub fn is_passed(&self) -> bool {
        self.failures().next().is_none()
    }

    /// Returns the names of the broken rules.
    pub fn failures(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.rules.iter().filter(|rule| rule.outcome.is_err()).map(|rule| rule.rule)
    }
}

/// Returns the message of a panic.
fn reason(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it panics").to_owned()
}

/// Writes one line for each rule.
impl fmt::Display for KitReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for RuleOutcome { rule, outcome } in &self.rules {
            match outcome {
                Ok(()) => writeln!(formatter, "ok      {rule}")?,
                Err(reason) => writeln!(formatter, "FAILED  {rule}: {reason}")?,
            }
        }
        Ok(())
    }
}
