//! `cargo xtask features`: the features of the facade, each alone, and the size of the smallest facade.

use std::collections::BTreeSet;

use crate::process::{Failure, cargo, cargo_output};

/// How many crates the facade without its features may bring, itself included.
const MOST_CRATES: usize = 80;

/// The crates of the reader of configurations; skills are read by `prowess-format`.
const SECOND_READER: [&str; 2] = ["yaml_serde", "libyaml-rs"];

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

/// Counts the crates of the facade without its features; too many, or a second reader of YAML, are
/// a failure.
pub(crate) fn count() -> Result<(), Failure> {
    let tree =
        ["tree", "-e", "normal", "-p", "prowess", "--no-default-features", "--prefix", "none"];
    let tree = cargo_output(&tree)?;
    let tree = String::from_utf8_lossy(&tree);
    let crates = distinct(&tree);
    println!(
        "the facade without its features brings {crates} crates; at most {MOST_CRATES} may be"
    );
    if crates > MOST_CRATES {
        return Err(Failure("too many crates in the smallest facade".into()));
    }
    match second_reader(&tree) {
        Some(reader) => Err(Failure(format!("the smallest facade brings `{reader}`, too"))),
        None => Ok(()),
    }
}

/// Returns the second reader of YAML in a tree, which only configurations need.
fn second_reader(tree: &str) -> Option<&'static str> {
    let names = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let names: BTreeSet<String> = tree.lines().filter_map(names).collect();
    SECOND_READER.into_iter().find(|reader| names.contains(*reader))
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
    fn second_reader_of_yaml_is_found_by_its_whole_name() {
        assert_eq!(second_reader("one v1\nyaml_serde v0.10.1\n"), Some("yaml_serde"));
        assert_eq!(second_reader("one v1\nlibyaml-rs v0.3.0 (*)\n"), Some("libyaml-rs"));
        assert_eq!(second_reader("serde-saphyr v1\nyaml_serde_more v1\n"), None);
    }

    #[test]
    fn features_are_those_of_the_manifest() {
        let features = features().expect("the manifest is a file of the workspace");
        assert!(features.contains(&"search".to_owned()), "{features:?}");
        assert!(!features.contains(&"default".to_owned()), "{features:?}");
    }
}
