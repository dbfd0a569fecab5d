//! Compares the output of the command line with that of the reference tool, byte for byte.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::Programs;
use crate::process::{Failure, output};

/// The reference tool's commands, which are ours too.
const COMMANDS: [&str; 3] = ["validate", "read-properties", "to-prompt"];

/// The recorded answers, next to the corpus.
const RECORDED: &str = "../conformance/skills-ref.json";

/// Plays every recorded case and prints each difference.
pub(super) fn run(directory: &Path, programs: &Programs) -> Result<(), Failure> {
    let file = directory.join(RECORDED);
    let missing = |error| Failure(format!("cannot read `{}`: {error}", file.display()));
    let recorded: Value = serde_json::from_slice(&fs::read(&file).map_err(missing)?)?;
    let cases = recorded["cases"].as_array().filter(|cases| !cases.is_empty());
    let cases = cases.ok_or_else(|| Failure(format!("`{}` has no cases", file.display())))?;
    let mut passed = 0;
    let mut failed = 0;
    for case in cases {
        for (command, differences) in play(&programs.prowess, case)? {
            let id = text(case, "id")?;
            differences.iter().for_each(|difference| println!("{id} {command}: {difference}"));
            passed += usize::from(differences.is_empty());
            failed += usize::from(!differences.is_empty());
        }
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 {
        Ok(())
    } else {
        Err(Failure("the command line differs from the reference tool".into()))
    }
}

/// Makes the case's tree and runs each command on it.
fn play(program: &Path, case: &Value) -> Result<Vec<(&'static str, Vec<String>)>, Failure> {
    let parent = tempfile::tempdir()?;
    let parent = parent.path().canonicalize()?;
    let skill = parent.join(text(case, "dir")?);
    fs::create_dir(&skill)?;
    fs::write(skill.join(text(case, "file")?), content(case)?)?;
    let mut results = Vec::new();
    for command in COMMANDS {
        let mut process = Command::new(program);
        process.args([command, "--profile", "skills-ref"]).arg(&skill);
        let observed = Observed::new(&output(&mut process)?);
        let expected = Expected::new(&case[command], &parent.to_string_lossy())?;
        results.push((command, expected.differences(&observed)));
    }
    Ok(results)
}

fn content(case: &Value) -> Result<Vec<u8>, Failure> {
    let written = text(case, "content")?;
    match text(case, "encoding")? {
        "utf-8" => Ok(written.into()),
        "base64" => Ok(STANDARD.decode(written)?),
        other => Err(Failure(format!("`{other}` is no encoding of a case"))),
    }
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, Failure> {
    let found = value[key].as_str();
    found.ok_or_else(|| Failure(format!("a case has no text `{key}`")))
}

/// The behavior of the program.
#[derive(Debug)]
struct Observed {
    /// None after a signal.
    exit: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Observed {
    fn new(output: &Output) -> Self {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Self {
            exit: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }
}

/// The recorded behavior.
#[derive(Debug)]
enum Expected {
    /// The same answer.
    Answer { exit: i64, stdout: String, stderr: String },
    /// The reference tool dies here; an error that says so is wanted.
    TypedError,
}

impl Expected {
    fn new(recorded: &Value, parent: &str) -> Result<Self, Failure> {
        if recorded["crash"] == true {
            return Ok(Self::TypedError);
        }
        let exit = recorded["exit"].as_i64();
        Ok(Self::Answer {
            exit: exit.ok_or_else(|| Failure("a case has no number `exit`".into()))?,
            stdout: text(recorded, "stdout")?.replace("$T", parent),
            stderr: text(recorded, "stderr")?.replace("$T", parent),
        })
    }

    fn differences(&self, observed: &Observed) -> Vec<String> {
        match self {
            Self::Answer { exit, stdout, stderr } => {
                let mut differences = Vec::new();
                if observed.exit.map(i64::from) != Some(*exit) {
                    differences.push(format!("exit {exit} expected, got {:?}", observed.exit));
                }
                differences.extend(difference("stdout", stdout, &observed.stdout));
                differences.extend(difference("stderr", stderr, &observed.stderr));
                differences
            }
            Self::TypedError => typed_error(observed).into_iter().collect(),
        }
    }
}

fn difference(stream: &str, expected: &str, observed: &str) -> Option<String> {
    let differs = expected != observed;
    differs.then(|| format!("{stream}\n  expected {expected:?}\n  got      {observed:?}"))
}

/// Returns the reason why an answer is not an error that the program reports itself.
fn typed_error(observed: &Observed) -> Option<String> {
    let Observed { exit, stderr, .. } = observed;
    let is_worded = ["Error: ", "error[", "Validation failed for ", "{"]
        .iter()
        .any(|beginning| stderr.starts_with(beginning));
    if !matches!(exit, Some(1 | 2)) {
        Some(format!("exit 1 or 2 expected, got {exit:?}"))
    } else if stderr.contains("panicked at") {
        Some(format!("a panic: {stderr:?}"))
    } else if !is_worded {
        Some(format!("an error message expected, got {stderr:?}"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(recorded: &Value, exit: Option<i32>, stdout: &str, stderr: &str, differences: usize) {
        let observed = Observed { exit, stdout: stdout.to_owned(), stderr: stderr.to_owned() };
        let expected = Expected::new(recorded, "/tmp/x").expect("a whole case");
        let found = expected.differences(&observed);
        assert_eq!(found.len(), differences, "{recorded} and {observed:?}: {found:?}");
    }

    #[test]
    fn exit_and_both_streams_are_compared() {
        let recorded = json!({"exit": 1, "stdout": "$T/a\n", "stderr": "no\n"});
        check(&recorded, Some(1), "/tmp/x/a\n", "no\n", 0);
        check(&recorded, Some(1), "/tmp/x/a", "no\n", 1);
        check(&recorded, Some(0), "$T/a\n", "no", 3);
        check(&recorded, None, "/tmp/x/a\n", "no\n", 1);
    }

    #[test]
    fn where_the_reference_dies_an_error_is_wanted() {
        let recorded = json!({"crash": true});
        check(&recorded, Some(1), "", "Error: not text\n", 0);
        check(&recorded, Some(1), "", "{\"error\": {}}\n", 0);
        check(&recorded, Some(0), "", "Error: not text\n", 1);
        check(&recorded, Some(101), "", "thread 'main' panicked at x\n", 1);
        check(&recorded, Some(1), "", "error: thread 'main' panicked at x\n", 1);
        check(&recorded, Some(1), "", "", 1);
        check(&recorded, None, "", "Error: killed\n", 1);
    }

    #[test]
    fn a_case_may_hold_bytes() {
        let case = json!({"encoding": "base64", "content": "//4A"});
        assert_eq!(content(&case).expect("it is base64"), [0xFF, 0xFE, 0]);
        let case = json!({"encoding": "utf-16", "content": ""});
        assert!(content(&case).is_err(), "an unknown encoding is an error");
    }
}
