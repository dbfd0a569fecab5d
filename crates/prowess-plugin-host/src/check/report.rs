//! The report of a check.

use std::path::PathBuf;

use prowess_core::Digest;
use prowess_plugin_abi::manifest::Manifest;
use serde::{Deserialize, Serialize};

/// The report of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// The plugin's file, as the caller named it.
    pub file: PathBuf,
    /// The digest of the file.
    pub digest: Digest,
    /// The manifest; `None` if it cannot be parsed.
    pub manifest: Option<Manifest>,
    /// The results of all checks, in order.
    pub checks: Vec<CheckResult>,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckResult {
    /// The name of the check, such as `hostile`.
    pub name: &'static str,
    /// The rule that is checked.
    pub rule: &'static str,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: CheckOutcome,
    /// The duration in milliseconds.
    pub duration_ms: u64,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum CheckOutcome {
    /// The plugin follows the rule.
    Passed {
        /// Further notes for the author.
        notes: Vec<String>,
    },
    /// The plugin violates the rule.
    Failed {
        /// The violation.
        reason: String,
        /// How to fix it.
        help: String,
    },
    /// The rule does not apply to the plugin, or an earlier check failed.
    Skipped {
        /// The reason.
        reason: String,
    },
}

/// The number of checks by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckSummary {
    /// The number of passed checks.
    pub passed: usize,
    /// The number of failed checks.
    pub failed: usize,
    /// The number of skipped checks.
    pub skipped: usize,
}

impl CheckOutcome {
    pub(super) fn passed() -> Self {
        Self::Passed { notes: Vec::new() }
    }

    pub(super) fn failed(reason: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Failed { reason: reason.into(), help: help.into() }
    }

    pub(super) fn skipped(reason: impl Into<String>) -> Self {
        Self::Skipped { reason: reason.into() }
    }

    /// Returns whether the check failed.
    pub fn is_failed(&self) -> bool {
        matches!(self, Self::Failed { .. })
    }
}

impl CheckReport {
    /// Returns whether no check failed.
    pub fn is_passed(&self) -> bool {
        !self.checks.iter().any(|check| check.outcome.is_failed())
    }

    /// Returns the number of checks by outcome.
    pub fn summary(&self) -> CheckSummary {
        let mut summary = CheckSummary::default();
        for check in &self.checks {
            *match check.outcome {
                CheckOutcome::Passed { .. } => &mut summary.passed,
                CheckOutcome::Failed { .. } => &mut summary.failed,
                CheckOutcome::Skipped { .. } => &mut summary.skipped,
            } += 1;
        }
        summary
    }
}
