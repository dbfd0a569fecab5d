//! `cargo xtask features`: the features of the facade, each alone, and the size of the smallest facade.

use std::collections::BTreeSet;

use crate::process::{Failure, cargo, cargo_output};

/// How many crates the facade without its features may bring, itself included.
const MOST_CRATES: usize = 80;

/// Checks the facade without its features and with each alone, and counts its crates.
pub(crate) fn run() -> Result<(), Failure> {
    count()?;
    let bare = ["clippy", "--package", "prowess", "--lib", "--no-default-features"];
    cargo(bare.into_iter().chain(["--", "-D", "warnings"]))?;
    for feature in &features()? {
        let alone = ["check", "--quiet", "--package", "prowess", "--no-default-features"];
        cargo(alone.into_iter().chain(["--features", feature]))?;
    }
    Ok(())
}

/// Returns the features of the facade, except the default ones together.
fn features() -> Result<Vec<String>, Failure> {
    let manifest = std::fs::read_to_string(crate::root().join("crates/prowess/Cargo.toml"))?;
    let manifest: toml::Table =
        manifest.parse().map_err(|error| Failure(format!("crates/prowess/Cargo.toml: {error}")))?;
    let features = manifest.get("features").and_then(toml::Value::as_table);
    let names = features.into_iter().flat_map(toml::Table::keys);
    Ok(names.filter(|name| *name != "default").cloned().collect())
}

/// Counts the crates of the facade without its features; too many are a failure.
pub(crate) fn count() -> Result<(), Failure> {
    let tree =
        ["tree", "-e", "normal", "-p", "prowess", "--no-default-features", "--prefix", "none"];
    let crates = distinct(&String::from_utf8_lossy(&cargo_output(&tree)?));
    println!(
        "the facade without its features brings {crates} crates; at most {MOST_CRATES} may be"
    );
    if crates > MOST_CRATES {
        return Err(Failure("too many crates in the smallest facade".into()));
    }
    Ok(())
}

/// Counts the crates of a tree. A crate that comes again is marked with a star.
fn distinct(tree: &str) -> usize {
    tree.lines().map(|line| line.trim_end_matches(" (*)")).collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_crates_count_once() {
        assert_eq!(distinct("one v1\ntwo v2\none v1 (*)\ntwo v3\n"), 3);
    }

    #[test]
    fn features_are_those_of_the_manifest() {
        let features = features().expect("the manifest is a file of the workspace");
        assert!(features.contains(&"search".to_owned()), "{features:?}");
        assert!(!features.contains(&"default".to_owned()), "{features:?}");
    }
}
