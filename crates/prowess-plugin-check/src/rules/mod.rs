//! The rules that need the plugin opened, each with the check that looks at it.

mod ends;
mod foreign;
mod init;
mod load;
mod packages;
mod rounds;
mod surroundings;
mod tools;

use super::probe::{Checked, Probe};

/// The name of the check that all others wait for.
pub(super) const BEGIN: &str = "begin";

/// A rule and the check that looks at it.
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) rule: &'static str,
    /// Whether it is about plugins that do not begin, too.
    pub(super) is_for_beginnings: bool,
    /// Whether the plugin may start processes meanwhile.
    pub(super) allows_processes: bool,
    pub(super) check: fn(&Probe) -> Checked,
}

const fn rule(name: &'static str, rule: &'static str, check: fn(&Probe) -> Checked) -> Rule {
    Rule { name, rule, is_for_beginnings: false, allows_processes: false, check }
}

/// Every rule, in the order in which they are looked at.
pub(super) const RULES: [Rule; 20] = [
    Rule {
        is_for_beginnings: true,
        ..rule(
            BEGIN,
            "It begins with its configuration and offers what its manifest says",
            init::begins,
        )
    },
    Rule {
        is_for_beginnings: true,
        ..rule(
            "config",
            "A configuration that does not fit is refused with a sentence, by no panic",
            init::refuses_bad_configurations,
        )
    },
    rule(
        "scan",
        "A scan reports each package once, by a path in normal form, and each problem with a code, a \
         message and a help",
        packages::scan,
    ),
    rule(
        "stable",
        "Two scans report the same, and what is known by its stamp is reported as unchanged",
        packages::stable,
    ),
    rule(
        "read",
        "Each file that is reported can be read whole and within its limit, and a listing is sorted, \
         complete or cut, with true sizes",
        packages::read,
    ),
    rule("skills", "Each `SKILL.md` is UTF-8 text that a host can use", packages::skills),
    rule("unknown", "What does not exist is \"not found\"", foreign::unknown),
    rule(
        "hostile",
        "No path leads out of a package, and none of a stranger's disturbs the plugin",
        foreign::hostile,
    ),
    rule("threads", "Eight threads see what one sees", load::threads),
    rule("cancel", "A scan or a tool's call that was cancelled ends soon", load::cancel),
    rule("budget", "A scan takes at most a second for each 1,000 packages", load::budget),
    rule(
        "tools",
        "Each tool has a name of its own, a description and schemas, the same each time",
        tools::described,
    ),
    rule(
        "arguments",
        "A call of a tool that does not exist is \"not found\", and arguments that do not fit are \
         answered with a result or an error, by no panic",
        tools::bad_arguments,
    ),
    rule("deadline", "A tool's call that was cancelled ends soon", tools::deadline),
    rule(
        "lifecycle",
        "An instance ends soon, whatever is asked of it twice, leaves no thread, and lets go of its \
         host",
        ends::lifecycle,
    ),
    rule("reload", "A further instance offers the same and disturbs no other", ends::reload),
    rule("stdout", "It prints nothing to standard output", surroundings::stdout),
    rule(
        "surroundings",
        "It leaves the working directory, the environment and the handling of signals as they are",
        surroundings::unchanged,
    ),
    Rule {
        allows_processes: true,
        ..rule(
            "processes",
            "It leaves no process behind, and makes no copy of the host's",
            surroundings::processes,
        )
    },
    rule("memory", "It does not grow with each instance and each call", load::memory),
];
