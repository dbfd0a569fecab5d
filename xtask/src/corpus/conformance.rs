//! Compares the output of the command line with that of the reference tool, byte for byte.

use std::fs;
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::{Programs, text};
use crate::process::{Failure, output};

/// The reference tool's commands, which are ours too.
const COMMANDS: [&str; 3] = ["validate", "read-properties", "to-prompt"];

/// The recorded answers, next to the corpus.
const RECORDED: &str = "../conformance/skills-ref.json";

pub(super) fn run(directory: &Path, programs: &Programs) -> Result<(), Failure> {
    let file = directory.join(RECORDED);
    let missing = |error| Failure(format!("cannot read `{}`: {error}", file.display()));
    let recorded: Value = serde_json::from_slice(&fs::read(&file).map_err(missing)?)?;
    let cases = recorded["cases"].as_array().filter(|cases| !cases.is_empty());
    let cases = cases.ok_or_else(|| Failure(format!("`{}` has no cases", file.display())))?;
    let mut failed = 0;
    for case in cases {
        for command in COMMANDS {
            let differences = play(&programs.prowess, case, command)?;
            let id = text(case, "id");
            differences.iter().for_each(|difference| println!("{id} {command}: {difference}"));
            failed += usize::from(!differences.is_empty());
        }
    }
    println!("{} passed, {failed} failed", cases.len() * COMMANDS.len() - failed);
    if failed == 0 {
        return Ok(());
    }
    Err(Failure("the command line differs from the reference tool".into()))
}

/// Creates the case's tree, runs a command on it, and returns the differences.
fn play(program: &Path, case: &Value, command: &str) -> Result<Vec<String>, Failure> {
    let parent = tempfile::tempdir()?;
    let parent = parent.path().canonicalize()?;
    let skill = parent.join(text(case, "dir"));
    fs::create_dir(&skill)?;
    fs::write(skill.join(text(case, "file")), content(case)?)?;
    let mut process = Command::new(program);
    let ran = output(process.args([command, "--profile", "skills-ref"]).arg(&skill))?;
    let streams = [ran.stdout, ran.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
    Ok(differences(&case[command], &parent.to_string_lossy(), ran.status.code(), &streams))
}

fn content(case: &Value) -> Result<Vec<u8>, Failure> {
    let written = text(case, "content");
    match text(case, "encoding") {
        "utf-8" => Ok(written.into()),
        "base64" => Ok(STANDARD.decode(written)?),
        other => Err(Failure(format!("`{other}` is no encoding of a case"))),
    }
}

/// Returns how an answer differs from the recorded one, in which `$T` is the parent directory.
/// Where the reference tool dies, an error that the program reports itself is expected.
fn differences(
    recorded: &Value,
    parent: &str,
    exit: Option<i32>,
    streams: &[String; 2],
) -> Vec<String> {
    let [_, stderr] = streams;
    let mut differences = Vec::new();
    if recorded["crash"] == true {
        let beginnings = ["Error: ", "error[", "Validation failed for ", "{"];
        let is_worded = beginnings.iter().any(|beginning| stderr.starts_with(beginning));
        if !matches!(exit, Some(1 | 2)) || !is_worded || stderr.contains("panicked at") {
            differences.push(format!("an error message expected, got {exit:?} and {stderr:?}"));
        }
        return differences;
    }
    if exit.map(i64::from) != recorded["exit"].as_i64() || exit.is_none() {
        differences.push(format!("exit {} expected, got {exit:?}", recorded["exit"]));
    }
    for (name, observed) in ["stdout", "stderr"].into_iter().zip(streams) {
        let expected = recorded[name].as_str().map(|text| text.replace("$T", parent));
        if expected.as_ref() != Some(observed) {
            differences.push(format!("{name}\n  expected {expected:?}\n  got      {observed:?}"));
        }
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(recorded: &Value, exit: Option<i32>, streams: [&str; 2], expected: usize) {
        let found = differences(recorded, "/tmp/x", exit, &streams.map(str::to_owned));
        assert_eq!(found.len(), expected, "{recorded}, {exit:?} and {streams:?}: {found:?}");
    }

    #[test]
    fn exit_and_both_streams_are_compared() {
        let recorded = json!({"exit": 1, "stdout": "$T/a\n", "stderr": "no\n"});
        check(&recorded, Some(1), ["/tmp/x/a\n", "no\n"], 0);
        check(&recorded, Some(1), ["/tmp/x/a", "no\n"], 1);
        check(&recorded, Some(0), ["$T/a\n", "no"], 3);
        check(&recorded, None, ["/tmp/x/a\n", "no\n"], 1);
        check(&json!({}), None, ["", ""], 3);
    }

    #[test]
    fn where_the_reference_dies_an_error_is_expected() {
        let recorded = json!({"crash": true});
        check(&recorded, Some(1), ["", "Error: not text\n"], 0);
        check(&recorded, Some(1), ["", "{\"error\": {}}\n"], 0);
        check(&recorded, Some(0), ["", "Error: not text\n"], 1);
        check(&recorded, Some(101), ["", "thread 'main' panicked at x\n"], 1);
        check(&recorded, Some(1), ["", "error[x]: thread 'main' panicked at x\n"], 1);
        check(&recorded, Some(1), ["", ""], 1);
        check(&recorded, None, ["", "Error: killed\n"], 1);
    }

    #[test]
    fn case_may_hold_bytes() {
        let case = json!({"encoding": "base64", "content": "//4A"});
        assert_eq!(content(&case).expect("it is base64"), [0xFF, 0xFE, 0]);
        let case = json!({"encoding": "utf-16", "content": ""});
        assert!(content(&case).is_err(), "an unknown encoding is an error");
    }
}
