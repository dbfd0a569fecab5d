//! Checks the names that all packages share in one directory of cargo.

use std::collections::BTreeMap;

use super::repository::Repository;

/// The kinds whose files have no more than the target's name: the second of one name overwrites the
/// first. Files of tests and benchmarks have a hash in their names.
const KINDS: [&str; 3] = ["bin", "example", "cdylib"];

/// Programs, examples and plugins have names of their own in the workspace.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    KINDS.iter().flat_map(|kind| shared_names(repository, kind)).collect()
}

fn shared_names(repository: &Repository, kind: &str) -> Vec<String> {
    let mut paths: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let targets = repository.packages.iter().flat_map(|package| &package.targets);
    for target in targets.filter(|target| target.kind == kind) {
        // The names of their pages have no `-`.
        paths.entry(target.name.replace('-', "_")).or_default().push(&target.path);
    }
    let shared = paths.into_iter().filter(|(_, paths)| paths.len() > 1);
    shared
        .map(|(name, paths)| {
            format!("{}: rename all but one `{kind}` with the name `{name}`", paths.join(", "))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::repository::Target;
    use super::super::tests::expect;
    use super::*;

    /// Adds a target to each of two packages, and compares the problems.
    fn targets(left: (&str, &str), right: (&str, &str), parts: &[&str]) {
        let mut repository = Repository::sample();
        for (package, (kind, name)) in [("left", left), ("left-right", right)] {
            let path = format!("crates/{package}/src/{name}.rs");
            let target = Target { kind: kind.into(), name: name.into(), path, has_tests: true };
            repository.package(package).targets.push(target);
        }
        expect(check, &repository, parts);
    }

    #[test]
    fn a_shared_name_is_reported() {
        for kind in KINDS {
            let both = "crates/left/src/run.rs, crates/left-right/src/run.rs: rename";
            targets((kind, "run"), (kind, "run"), &[both]);
        }
    }

    #[test]
    fn name_with_another_sign_between_its_words_is_shared() {
        let both = "crates/left/src/run-all.rs, crates/left-right/src/run_all.rs: rename";
        targets(("bin", "run-all"), ("bin", "run_all"), &[both]);
    }

    #[test]
    fn names_of_other_kinds_and_other_names_pass() {
        targets(("bin", "run"), ("example", "run"), &[]);
        targets(("bin", "run"), ("bin", "walk"), &[]);
        targets(("test", "it"), ("test", "it"), &[]);
    }
}
