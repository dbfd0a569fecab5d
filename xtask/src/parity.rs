//! Does the profile `skills-ref` say what the real tool says, package by package?

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::process::{Failure, build_prowess, output};
use crate::python::environment;
use crate::root;

/// The version whose answers the profile gives.
const TOOL: &str = "skills-ref==0.1.0";

/// Prints the messages of the real tool for each package that a line of standard input names.
const ASK: &str = "\
import json, sys
from pathlib import Path
from agentskills.validator import validate
answers = {}
for line in sys.stdin:
    path = line.rstrip('\\n')
    try:
        answers[path] = validate(Path(path))
    except Exception as error:
        answers[path] = ['crash: ' + type(error).__name__]
json.dump(answers, sys.stdout)
";

/// What one of the two says of each package.
type Answers = BTreeMap<String, Vec<String>>;

/// Validates a tree with both and fails if they differ anywhere.
pub(crate) fn run(directory: &Path) -> Result<(), Failure> {
    let directory = directory.canonicalize()?;
    let ours = ours(&directory)?;
    let theirs = theirs(ours.keys())?;
    let differing = differences(&ours, &theirs);
    for (path, (ours, theirs)) in &differing {
        println!("{path}\n  ours:   {ours:?}\n  theirs: {theirs:?}");
    }
    println!("{} packages, {} differences", ours.len(), differing.len());
    match differing.is_empty() && !ours.is_empty() {
        true => Ok(()),
        false => Err(Failure("the profile `skills-ref` differs from the tool".into())),
    }
}

/// The packages of which the two say different things.
fn differences<'a>(
    ours: &'a Answers,
    theirs: &'a Answers,
) -> BTreeMap<&'a str, (&'a [String], &'a [String])> {
    let both = ours.iter().map(|(path, ours)| {
        let theirs = theirs.get(path).map_or(&[][..], Vec::as_slice);
        (path.as_str(), (ours.as_slice(), theirs))
    });
    both.filter(|(_, (ours, theirs))| ours != theirs).collect()
}

fn ours(directory: &Path) -> Result<Answers, Failure> {
    let mut command = Command::new(build_prowess()?);
    command.args(["validate", "--profile", "skills-ref", "--format", "json"]).arg(directory);
    let printed: Value = serde_json::from_slice(&output(&mut command)?.stdout)
        .map_err(|error| Failure(format!("`prowess validate` printed no JSON: {error}")))?;
    let texts = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let packages = printed["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let messages = |package: &Value| {
        let found = package["diagnostics"].as_array().map_or(&[][..], Vec::as_slice);
        found.iter().map(|diagnostic| texts(diagnostic, "message")).collect()
    };
    Ok(packages.iter().map(|package| (texts(package, "path"), messages(package))).collect())
}

fn theirs<'a>(packages: impl Iterator<Item = &'a String>) -> Result<Answers, Failure> {
    let python = environment(&root().join("target/parity/environment"), &[TOOL])?;
    let list = root().join("target/parity/packages");
    std::fs::write(&list, packages.map(|path| format!("{path}\n")).collect::<String>())?;
    let mut command = Command::new(python);
    command.args(["-c", ASK]).stdin(std::fs::File::open(list)?);
    let answers = output(&mut command)?;
    serde_json::from_slice(&answers.stdout).map_err(|error| {
        let said = String::from_utf8_lossy(&answers.stderr);
        Failure(format!("`{TOOL}` gave no answers ({error}): {said}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(said: &[(&str, &[&str])]) -> Answers {
        let owned = |messages: &[&str]| messages.iter().map(ToString::to_string).collect();
        said.iter().map(|(path, messages)| ((*path).to_owned(), owned(messages))).collect()
    }

    #[test]
    fn another_message_another_order_and_silence_are_differences() {
        let ours = answers(&[("a", &[]), ("b", &["x", "y"]), ("c", &["x"]), ("d", &["x"])]);
        let theirs = answers(&[("a", &[]), ("b", &["y", "x"]), ("c", &["z"])]);
        let differing: Vec<_> = differences(&ours, &theirs).into_keys().collect();
        assert_eq!(differing, ["b", "c", "d"]);
    }
}
