//! Counts in the repository and in the program.

use std::process::Command;

use serde_json::Value;

use crate::checks::tidy::repository::{Repository, TextFile};
use crate::process::{Failure, built, cargo, cargo_output, succeed};
use crate::root;

/// Counts the executables that hold tests: those of the libraries and programs that have some, and
/// of the folders `tests`.
pub(super) fn test_executables() -> Result<f64, Failure> {
    let metadata = cargo_output(&["metadata", "--format-version", "1", "--no-deps"])?;
    let metadata: Value = serde_json::from_slice(&metadata)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let targets = packages.filter_map(|package| package["targets"].as_array()).flatten();
    Ok(targets.filter(|target| is_test_executable(target)).count() as f64)
}

fn is_test_executable(target: &Value) -> bool {
    let is_other = |kind: &Value| kind == "example" || kind == "bench" || kind == "custom-build";
    target["test"] == true && !target["kind"].as_array().into_iter().flatten().any(is_other)
}

pub(super) fn lines_of_rust() -> Result<f64, Failure> {
    let is_rust = |file: &&TextFile| file.path.ends_with(".rs");
    let repository = Repository::read(&root())?;
    let files = repository.files.iter().filter(is_rust);
    Ok(files.map(|file| file.text.lines().count()).sum::<usize>() as f64)
}

/// The documents at the top, without the licences.
pub(super) fn documents() -> Result<f64, Failure> {
    let repository = Repository::read(&root())?;
    Ok(kilobytes(&repository, |path| !path.contains('/') && path.ends_with(".md")))
}

pub(super) fn snapshots() -> Result<f64, Failure> {
    let repository = Repository::read(&root())?;
    let is_snapshot =
        |path: &str| path.ends_with("/public-api.txt") || path.ends_with("/public-traits.txt");
    Ok(kilobytes(&repository, is_snapshot))
}

fn kilobytes(repository: &Repository, is_counted: impl Fn(&str) -> bool) -> f64 {
    let files = repository.files.iter().filter(|file| is_counted(&file.path));
    files.map(|file| file.text.len()).sum::<usize>().div_ceil(1_000) as f64
}

/// `shell.mount` and `shell.materialize`: the crate that has them is not in the default program.
const BEHIND_FEATURES: f64 = 2.0;

/// Counts the keys that `config show` has.
pub(super) fn common_keys() -> Result<f64, Failure> {
    some_keys(keys_of(&schema()?, Some("common")))
}

/// Counts all keys, with those that only `full` has.
pub(super) fn keys() -> Result<f64, Failure> {
    Ok(some_keys(keys_of(&schema()?, None))? + BEHIND_FEATURES)
}

/// None at all means that the schema has another form than is read here.
fn some_keys(count: usize) -> Result<f64, Failure> {
    if count == 0 {
        return Err(Failure("`prowess config schema` has no key with a tier".into()));
    }
    Ok(count as f64)
}

fn schema() -> Result<Value, Failure> {
    Ok(serde_json::from_slice(&prowess(&["config", "schema"])?)?)
}

/// Counts the leaves of a tier in a schema, or of all.
fn keys_of(schema: &Value, tier: Option<&str>) -> usize {
    let own = match (&schema["x-tier"], tier) {
        (Value::Null, _) => 0,
        (found, Some(tier)) => usize::from(found == tier),
        (_, None) => 1,
    };
    let inner: usize = match schema {
        Value::Object(fields) => fields.values().map(|value| keys_of(value, tier)).sum(),
        Value::Array(values) => values.iter().map(|value| keys_of(value, tier)).sum(),
        _ => 0,
    };
    own + inner
}

pub(super) fn commands() -> Result<f64, Failure> {
    let help = prowess(&["-h"])?;
    Ok(commands_of(&String::from_utf8_lossy(&help)) as f64)
}

/// Counts the names between the line `Usage` and the options: each line of a group has a title, two
/// blanks and names with commas, or continues the names of the line above.
fn commands_of(help: &str) -> usize {
    let groups = help.split_once("\nUsage: ").map_or("", |(_, rest)| rest);
    let groups = groups.split("\nOptions:").next().unwrap_or_default();
    let names = groups.lines().skip(1).filter_map(|line| Some(line.rsplit_once("  ")?.1));
    names.flat_map(|names| names.split(',')).filter(|name| !name.trim().is_empty()).count()
}

fn prowess(arguments: &[&str]) -> Result<Vec<u8>, Failure> {
    cargo(["build", "--quiet", "--package", "prowess-cli"])?;
    succeed(Command::new(built("debug", "prowess")?).args(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn commands_of_the_overview_are_counted() {
        let help = "Find skills\n\nUsage: prowess [OPTIONS] [COMMAND]\n\nStart        tour, new\nGive skills  prompt,\n             \
                    serve\n\nOptions:\n  -h, --help  This, and more\n";
        assert_eq!(commands_of(help), 4);
    }

    #[test]
    fn keys_are_counted_by_tier() {
        let schema = json!({ "properties": {
            "a": { "x-tier": "common" },
            "b": { "items": { "properties": { "c": { "x-tier": "advanced" } } } },
            "d": { "x-tier": "advanced" },
        }});
        assert_eq!(keys_of(&schema, Some("common")), 1);
        assert_eq!(keys_of(&schema, None), 3);
    }

    #[test]
    fn benchmarks_and_examples_are_no_test_executables() {
        let is_counted =
            |kind: &str, test| is_test_executable(&json!({ "kind": [kind], "test": test }));
        assert!(is_counted("lib", true) && is_counted("test", true));
        assert!(
            !is_counted("lib", false) && !is_counted("bench", true) && !is_counted("example", true)
        );
    }
}
