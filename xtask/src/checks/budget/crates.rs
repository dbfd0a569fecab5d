//! How many crates other people's code brings.

use std::collections::{BTreeMap, BTreeSet};

use crate::process::{Failure, cargo_output};
use crate::root;

/// The document with the list of crates that are there in two versions, and the heading above it.
const DOCUMENT: &str = "crates/DEPENDENCIES.md";
const HEADING: &str = "\n## Two versions of one crate\n";

/// The crates of the reader of configurations; skills are read by `prowess-format`.
const SECOND_READER: [&str; 2] = ["yaml_serde", "libyaml-rs"];

const NORMAL: &str = "normal";
const WITH_BUILD: &str = "normal,build";

pub(super) fn default_program() -> Result<f64, Failure> {
    Ok(distinct(&tree(WITH_BUILD, &["prowess-cli"])?).len() as f64)
}

pub(super) fn full_program() -> Result<f64, Failure> {
    Ok(distinct(&tree(WITH_BUILD, &["prowess-cli", "--features", "full"])?).len() as f64)
}

/// The library without its features. A second reader of YAML in it is a failure.
pub(super) fn smallest_library() -> Result<f64, Failure> {
    let tree = tree(NORMAL, &["prowess", "--no-default-features"])?;
    match second_reader(&tree) {
        Some(reader) => Err(Failure(format!("the smallest library brings `{reader}`, too"))),
        None => Ok(distinct(&tree).len() as f64),
    }
}

/// The parts that read skills into a catalog, without their features.
pub(super) fn format_registry_files() -> Result<f64, Failure> {
    let packages = ["prowess-format", "-p", "prowess-registry", "-p", "prowess-source-fs"];
    let bare = [&packages[..], &["--no-default-features"]].concat();
    Ok(distinct(&tree(NORMAL, &bare)?).len() as f64)
}

pub(super) fn lock_entries() -> Result<f64, Failure> {
    let lock = std::fs::read_to_string(root().join("Cargo.lock"))?;
    Ok(lock.lines().filter(|line| *line == "[[package]]").count() as f64)
}

/// Counts the crates of the default program that are there in two versions and are not in the list,
/// and the rows of the list that are not needed any more, and prints both.
pub(super) fn versions_without_a_reason() -> Result<f64, Failure> {
    let document = std::fs::read_to_string(root().join(DOCUMENT))?;
    let explained = explained(&document);
    let tree = tree(WITH_BUILD, &["prowess-cli"])?;
    let twice = in_two_versions(&tree);
    let without: Vec<_> = twice.iter().filter(|name| !explained.contains(*name)).collect();
    for name in &without {
        println!("  `{name}` is there in two versions; {DOCUMENT} has no reason");
    }
    let needless: Vec<_> = explained.iter().filter(|name| !twice.contains(*name)).collect();
    for name in &needless {
        println!("  `{name}` is there in one version now; remove its row from {DOCUMENT}");
    }
    Ok((without.len() + needless.len()) as f64)
}

/// Counts the crates that a program gets with this selection of the library's features.
pub(super) fn library(selection: &[&str]) -> Result<usize, Failure> {
    Ok(distinct(&tree(WITH_BUILD, &[&["prowess"], selection].concat())?).len())
}

/// Returns the lines of a tree of dependencies, a crate on each.
fn tree(edges: &str, selection: &[&str]) -> Result<String, Failure> {
    let tree = ["tree", "--edges", edges, "--prefix", "none", "-p"];
    let printed = cargo_output(&[&tree[..], selection].concat())?;
    Ok(String::from_utf8_lossy(&printed).into_owned())
}

/// Returns the crates of a tree, with their versions. One that comes again is marked with a star.
fn distinct(tree: &str) -> BTreeSet<&str> {
    let lines = tree.lines().map(|line| line.trim_end_matches(" (*)"));
    lines.filter(|line| !line.is_empty()).collect()
}

fn in_two_versions(tree: &str) -> BTreeSet<&str> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in distinct(tree) {
        let mut words = line.split_whitespace();
        if let (Some(name), Some(version)) = (words.next(), words.next()) {
            versions.entry(name).or_default().insert(version);
        }
    }
    versions.retain(|_, versions| versions.len() > 1);
    versions.into_keys().collect()
}

/// Returns the names in the first column of the table below the heading that have a reason.
fn explained(document: &str) -> BTreeSet<&str> {
    let section = document.split_once(HEADING).map_or("", |(_, section)| section);
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let names = rows.filter_map(|row| {
        let (name, rest) = row.split_once("` |")?;
        let reason = rest.trim().trim_end_matches('|').trim();
        (!reason.is_empty()).then_some(name)
    });
    names.collect()
}

/// Returns the second reader of YAML in a tree, which only configurations need.
fn second_reader(tree: &str) -> Option<&'static str> {
    let names = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let names: BTreeSet<String> = tree.lines().filter_map(names).collect();
    SECOND_READER.into_iter().find(|reader| names.contains(*reader))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_counted() {
        assert_eq!(distinct("one v1\ntwo v2\none v1 (*)\ntwo v3\n").len(), 3);
        let tree = "one v1\ntwo v2\none v1 (*)\ntwo v3 (proc-macro)\n";
        assert_eq!(in_two_versions(tree), BTreeSet::from(["two"]));
        let rows = "| crate | reason |\n|---|---|\n| `one` | old macros |\n| `two` | |\n";
        assert_eq!(explained(&format!("{HEADING}\n{rows}")), BTreeSet::from(["one"]));
        assert_eq!(second_reader("one v1\nyaml_serde v0.10.1\n"), Some("yaml_serde"));
        assert_eq!(second_reader("one v1\nlibyaml-rs v0.3.0 (*)\n"), Some("libyaml-rs"));
        assert_eq!(second_reader("granit v1\nyaml_serde_more v1\n"), None, "a whole name");
    }
}
