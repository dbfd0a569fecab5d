//! `cargo xtask features`: the features of the facade, each alone, and the size of the smallest facade.

use std::collections::BTreeSet;

use crate::process::{Failure, cargo, cargo_output};

/// How many crates the facade without its features may bring, itself included.
const MOST_CRATES: usize = 80;

/// The features of the facade. Cargo refuses a name that it does not know, and a test compares the list
/// with the manifest.
const FEATURES: [&str; 14] = [
    "config",
    "database",
    "exact-tokens",
    "filesystem",
    "functions",
    "json-schema",
    "lint",
    "media-types",
    "plugins",
    "scripts",
    "search",
    "semantic",
    "state",
    "vendor",
];

/// Checks the facade without its features and with each alone, and counts its crates.
pub(crate) fn run() -> Result<(), Failure> {
    count()?;
    let bare = ["clippy", "--package", "prowess", "--lib", "--no-default-features"];
    cargo(bare.into_iter().chain(["--", "-D", "warnings"]))?;
    for feature in FEATURES {
        let alone = ["check", "--quiet", "--package", "prowess", "--no-default-features"];
        cargo(alone.into_iter().chain(["--features", feature]))?;
    }
    Ok(())
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
    fn every_feature_of_the_facade_is_listed() -> Result<(), Box<dyn std::error::Error>> {
        let manifest = std::fs::read_to_string(crate::root().join("crates/prowess/Cargo.toml"))?;
        let manifest: toml::Table = manifest.parse()?;
        let features = manifest["features"].as_table().expect("it is a table");
        let declared: BTreeSet<&str> = features.keys().map(String::as_str).collect();
        let listed: BTreeSet<&str> = FEATURES.into_iter().chain(["default"]).collect();
        assert_eq!(declared, listed);
        Ok(())
    }
}
