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
    use super::super::tests::broken;
    use super::*;

    #[test]
    fn shared_name_is_reported() {
        let both = "crates/left/src/x.rs, crates/left-right/src/x.rs: rename";
        for (left, right, is_shared) in [
            (("bin", "run"), ("bin", "run"), true),
            (("example", "run"), ("example", "run"), true),
            (("cdylib", "run"), ("cdylib", "run"), true),
            (("bin", "run-all"), ("bin", "run_all"), true),
            (("bin", "run"), ("example", "run"), false),
            (("bin", "run"), ("bin", "walk"), false),
            (("test", "it"), ("test", "it"), false),
        ] {
            let add = |repository: &mut Repository| {
                for (package, (kind, name)) in [("left", left), ("left-right", right)] {
                    repository.add_target(
                        package,
                        kind,
                        name,
                        &format!("crates/{package}/src/x.rs"),
                    );
                }
            };
            broken(check, add, &[both][..usize::from(is_shared)]);
        }
    }
}
