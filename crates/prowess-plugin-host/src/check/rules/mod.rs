//! The rules whose checks open the plugin.

mod hostile;
mod init;
mod lifecycle;
mod load;
mod packages;
mod process_state;
mod tools;

use std::sync::LazyLock;

use super::probe::{Probe, RuleResult};

/// The name of the check that the others depend on.
pub(super) const BEGIN: &str = "begin";

/// A rule and its check.
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) rule: &'static str,
    /// Whether the check also runs if the plugin does not start.
    pub(super) runs_without_start: bool,
    /// Whether the plugin may start processes during the check.
    pub(super) allows_processes: bool,
    pub(super) check: Check,
}

type Check = fn(&Probe) -> RuleResult;

/// The checks, in their order.
const CHECKS: [(&str, Check); 20] = [
    (BEGIN, init::starts),
    ("config", init::refuses_bad_configurations),
    ("scan", packages::scan),
    ("stable", packages::stable),
    ("read", packages::read),
    ("skills", packages::skills),
    ("unknown", hostile::unknown),
    ("hostile", hostile::hostile),
    ("threads", load::threads),
    ("cancel", load::cancel),
    ("budget", load::budget),
    ("tools", tools::described),
    ("arguments", tools::bad_arguments),
    ("deadline", tools::deadline),
    ("lifecycle", lifecycle::lifecycle),
    ("reload", lifecycle::reload),
    ("stdout", process_state::stdout),
    ("surroundings", process_state::unchanged),
    ("processes", process_state::processes),
    ("memory", load::memory),
];

/// All rules, in the order of their checks.
pub(super) static RULES: LazyLock<[Rule; 20]> = LazyLock::new(|| {
    CHECKS.map(|(name, check)| {
        let mut lines = include_str!("rules.txt").lines();
        let rule = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        let rule = rule.expect("each check has a rule");
        let runs_without_start = matches!(name, BEGIN | "config");
        Rule { name, rule, runs_without_start, allows_processes: name == "processes", check }
    })
});
