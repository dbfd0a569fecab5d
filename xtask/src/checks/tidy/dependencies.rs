//! The reasons for the dependencies, against the dependencies that there are.

use std::collections::BTreeSet;

use super::repository::Repository;

/// The page with a row for each external dependency.
const PAGE: &str = "crates/DEPENDENCIES.md";

/// Each external dependency of a package has a row with its reason, and each row begins with a
/// dependency of a package.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let text = repository.text(PAGE).unwrap_or_default();
    // The purpose is the first cell, the choice the second.
    let choices: Vec<_> = text.lines().filter_map(|line| line.split('|').nth(2)).collect();
    let named: BTreeSet<_> = choices.iter().flat_map(|choice| names(choice)).collect();
    let used = external(repository);
    let missing = used.difference(&named);
    let missing = missing.map(|name| format!("{PAGE}: add a row with the reason for `{name}`"));
    let rows = choices.iter().filter_map(|choice| names(choice).next());
    let unused = rows.filter(|name| !used.contains(name));
    let unused =
        unused.map(|name| format!("{PAGE}: remove the row of `{name}`: no package uses it"));
    missing.chain(unused).collect()
}

/// Returns the texts in backticks.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn external(repository: &Repository) -> BTreeSet<&str> {
    let is_own = |name: &str| repository.packages.iter().any(|package| package.name == name);
    let dependencies = repository.packages.iter().flat_map(|package| &package.dependencies);
    let names = dependencies.map(|dependency| dependency.name.as_str());
    names.filter(|name| !is_own(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::broken;
    use super::*;

    #[test]
    fn rows_and_dependencies_belong_together() {
        for (rows, parts) in [
            ("", &["add a row with the reason for `serde`"][..]),
            ("| `serde` | none | words |\n", &["add a row with the reason for `serde`"]),
            ("| a | `serde` | b |\n| c | `tar`, `serde` | d |\n", &["remove the row of `tar`"]),
            ("| a | `serde`, behind `tar` | b |\n", &[]),
        ] {
            let page = format!("| purpose | choice | reason |\n|---|---|---|\n{rows}");
            broken(check, |repository| repository.write(PAGE, &page), parts);
        }
    }
}
