//! The result of a kit: each rule, kept or broken.

use std::fmt;

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
    /// Returns whether every rule is kept.
    pub fn is_passed(&self) -> bool {
        self.failures().next().is_none()
    }

    /// Returns the names of the broken rules.
    pub fn failures(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.rules.iter().filter(|rule| rule.outcome.is_err()).map(|rule| rule.rule)
    }
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
