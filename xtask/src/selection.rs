//! Which packages and features cargo builds together.
//!
//! The features of a dependency depend on the selected packages, so two tasks with one selection
//! share everything that is compiled, and two selections compile much of it twice.

use std::path::PathBuf;

use crate::process::{Failure, built, cargo};

/// A set of packages with their features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    /// The packages whose tests run with each change, with their default features.
    Tested,
    /// The same, with the network server.
    Http,
    /// The virtual shell.
    Shell,
    /// The whole workspace with every feature that tests need.
    Full,
}

/// Packages that the tests of a change leave out. `xtask` is built by itself: cargo has built it so
/// before it runs. The others depend on an interpreter that takes minutes to compile.
const LEFT_OUT: [&str; 3] = ["xtask", "prowess-shell", "virtual-shell"];

/// The features that no package of the workspace turns on.
const FEATURES: [&str; 7] = [
    "benches/mcp",
    "prowess-audit/opentelemetry",
    "prowess-cli/full",
    "prowess-cli/postgres",
    "prowess-plugin-remote/sigstore",
    "prowess-prompt/exact-tokens",
    "prowess-search/semantic",
];

impl Selection {
    pub(crate) fn arguments(self) -> Vec<String> {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let left_out = LEFT_OUT.iter().flat_map(|name| words(&["--exclude", name]));
        let all = words(&["--workspace"]);
        match self {
            Self::Tested => all.into_iter().chain(left_out).collect(),
            Self::Http => {
                let features = words(&["--features", "prowess-mcp/http"]);
                Self::Tested.arguments().into_iter().chain(features).collect()
            }
            Self::Shell => words(&["--package", "prowess-shell", "--package", "virtual-shell"]),
            Self::Full => {
                all.into_iter().chain(words(&["--features", &FEATURES.join(",")])).collect()
            }
        }
    }

    /// Returns a command line of cargo with this selection.
    pub(crate) fn cargo(self, arguments: &[&str]) -> Vec<String> {
        let mut all: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let end = all.iter().position(|argument| argument == "--").unwrap_or(all.len());
        all.splice(end..end, self.arguments());
        all
    }

    /// Builds all programs, plugins and examples, and returns the path of one of them.
    ///
    /// With the examples, dependencies have the features that they have in tests.
    pub(crate) fn program(self, program: &str) -> Result<PathBuf, Failure> {
        cargo(self.cargo(&["build", "--lib", "--bins", "--examples"]))?;
        built("debug", program)
    }

    /// As [`Self::program`], with further features, which are written `PACKAGE/FEATURE`.
    pub(crate) fn program_with(self, features: &str, program: &str) -> Result<PathBuf, Failure> {
        cargo(self.cargo(&["build", "--lib", "--bins", "--examples", "--features", features]))?;
        built("debug", program)
    }
}

/// The number of tests of one program that run at once. Many wait, for a deadline or for the
/// kernel.
pub(crate) const TEST_THREADS: &str = "4";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_the_program_stay_behind_the_selection() {
        let line = Selection::Full.cargo(&["test", "--doc", "--", "name"]);
        assert_eq!(line[..3], ["test", "--doc", "--workspace"], "{line:?}");
        assert_eq!(line[line.len() - 2..], ["--", "name"], "{line:?}");
    }

    #[test]
    fn left_out_packages_exist() {
        for name in LEFT_OUT {
            let is_found = ["", "crates", "examples"]
                .iter()
                .any(|folder| crate::root().join(folder).join(name).join("Cargo.toml").is_file());
            assert!(is_found, "`{name}` is a package of the workspace");
        }
    }
}
