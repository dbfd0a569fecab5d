//! The report of a run, as data.

use std::path::PathBuf;

use prowess_core::Digest;
use prowess_plugin_abi::manifest::Manifest;
use serde::{Deserialize, Serialize};

/// The report of one plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// The file, as it was named.
    pub file: PathBuf,
    /// The digest of its bytes.
    pub digest: Digest,
    /// Its manifest; `None` if that cannot be read.
    pub manifest: Option<Manifest>,
    /// Every check of the kit, in its order.
    pub checks: Vec<CheckResult>,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckResult {
    /// Its name, such as `hostile`.
    pub name: &'static str,
    /// The rule.
    pub rule: &'static str,
    /// How it ended.
    #[serde(flatten)]
    pub outcome: CheckOutcome,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum CheckOutcome {
    /// The rule holds.
    Passed {
        /// Further notes for the author.
        notes: Vec<String>,
    },
    /// The rule is broken.
    Failed {
        /// How.
        reason: String,
        /// The next step.
        help: String,
    },
    /// There is nothing that the rule is about, or an earlier check failed.
    Skipped {
        /// Why.
        reason: String,
    },
}

/// How many checks ended in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckSummary {
    /// Whose rule holds.
    pub passed: usize,
    /// Whose rule is broken.
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

    /// Whether the rule is broken.
    pub fn is_failed(&self) -> bool {
        matches!(self, Self::Failed { .. })
    }
}

impl CheckReport {
    /// Whether no rule is broken.
    pub fn is_passed(&self) -> bool {
        !self.checks.iter().any(|check| check.outcome.is_failed())
    }

    /// How many checks ended in which way.
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
