//! Checks the beginning of the main file of each target.

use super::repository::{Package, Repository, Target};

/// The packages that may hold `unsafe`, each block with its reason.
const MAY_BE_UNSAFE: [&str; 7] = [
    "prowess-dir",
    "prowess-plugin-abi",
    "prowess-plugin-sdk",
    "prowess-plugin-host",
    "prowess-sandbox",
    "prowess-script",
    // It ships nothing, and measuring memory takes an allocator of its own.
    "benches",
];

/// Each library and program is described first, and forbids `unsafe` unless it is named here.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let mut problems = Vec::new();
    for package in &repository.packages {
        let is_code = |target: &&Target| target.kind != "custom-build";
        for target in package.targets.iter().filter(is_code) {
            problems.extend(target_problems(package, target, repository));
        }
    }
    problems
}

fn target_problems(package: &Package, target: &Target, repository: &Repository) -> Vec<String> {
    let path = &target.path;
    let text = repository.text(path).unwrap_or_default();
    let mut problems = Vec::new();
    if !text.starts_with("//! ") {
        problems.push(format!("{path}: begin with `//!` and say what it is"));
    }
    // Tests, benchmarks and examples are built with the lint of the workspace, which denies it.
    let is_shipped = !matches!(target.kind.as_str(), "test" | "bench" | "example");
    let is_free = MAY_BE_UNSAFE.contains(&package.name.as_str());
    if is_shipped && !is_free && !text.contains("\n#![forbid(unsafe_code)]\n") {
        problems.push(format!("{path}: write `#![forbid(unsafe_code)]`"));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::tests::expect;
    use super::*;

    fn library(package: &str, text: &str, parts: &[&str]) {
        let mut repository = Repository::sample();
        repository.package("low").name = package.into();
        repository.write("crates/low/src/lib.rs", text);
        expect(check, &repository, parts);
    }

    #[test]
    fn a_library_without_documentation_is_reported() {
        library("low", "mod words;\n#![forbid(unsafe_code)]\n", &["begin with `//!`"]);
    }

    #[test]
    fn a_library_that_may_be_unsafe_is_reported() {
        library("low", "//! Words.\n", &["write `#![forbid(unsafe_code)]`"]);
        library("low", "//! Words.\n// #![forbid(unsafe_code)]\n", &["`#![forbid(unsafe_code)]`"]);
        library("prowess-dir", "//! Words.\n", &[]);
    }

    #[test]
    fn a_test_binary_needs_a_story_only() {
        let mut repository = Repository::sample();
        repository.write("crates/low/tests/it/main.rs", "mod a;\n");
        expect(check, &repository, &["crates/low/tests/it/main.rs: begin with `//!`"]);
    }
}
