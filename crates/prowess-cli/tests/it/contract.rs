//! The shapes, streams and exit codes that a program may rely on.

mod commands;
mod documents;
mod failures;
mod streams;

use expect_test::{Expect, expect_file};
use prowess_testkit::Tree;

use crate::program::{Program, Ran};
use crate::run;

/// Two skills of which one has a fault, one that is shadowed, and one that cannot be used.
fn tree() -> Tree {
    Tree::new(include_str!("../data/contract.txt"))
}

const FIELDS: &str = r#"{"path":"references/fields.md"}"#;

/// The JSON document of each command: the name of its snapshot, the command line, the exit code.
const DOCUMENTS: [(&str, &[&str], i32); 10] = [
    ("call", &["call", "skills_read", FIELDS, "--load", "pdf"], 0),
    ("call-refused", &["call", "skills_read", r#"{"path":"../x"}"#, "--load", "pdf"], 1),
    ("doctor", &["doctor"], 1),
    ("explain", &["explain", "pdf"], 0),
    ("list", &["list"], 0),
    ("overview", &[], 0),
    ("prompt", &["prompt", "--load", "pdf"], 0),
    ("read-properties", &["read-properties", "$ROOT/pdf"], 0),
    ("show", &["show", "pdf"], 0),
    ("validate", &["validate", "$ROOT/broken", "$ROOT/pdf"], 1),
];

/// What people read, in the same way.
const TEXTS: [(&str, &[&str], i32); 4] = [
    ("doctor", &["doctor"], 1),
    ("overview", &[], 0),
    ("to-prompt", &["to-prompt", "$ROOT/tables"], 0),
    ("validate", &["validate", "."], 1),
];

#[test]
fn each_document_is_as_reviewed() {
    for (name, args, code) in DOCUMENTS {
        let ran = run_in(&tree(), args, &["--format", "json"]);
        assert_eq!(ran.code, Some(code), "{name}: {}", ran.stderr);
        let mut document = ran.json();
        if let Some(duration) = document.get_mut("duration_ms") {
            assert!(duration.is_u64(), "a duration is a whole number");
            *duration = 0.into();
        }
        let document = without_boundary(format!("{document:#}\n"));
        expect_file![format!("contract/{name}.json")].assert_eq(&document);
    }
}

#[test]
fn each_text_is_as_reviewed() {
    for (name, args, code) in TEXTS {
        let ran = run_in(&tree(), args, &[]);
        assert_eq!(ran.code, Some(code), "{name}: {}", ran.stderr);
        assert_eq!(ran.stderr, "", "{name}: findings are the result");
        expect_file![format!("contract/{name}.txt")].assert_eq(&ran.stdout);
    }
}

/// Returns the document with a fixed word for the boundary around bodies, which is random for each
/// session.
fn without_boundary(document: String) -> String {
    let Some((_, rest)) = document.split_once("<skill_content-") else { return document };
    let (boundary, _) = rest.split_at(16);
    let is_hex = boundary.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(is_hex, "64 random bits in hexadecimal: {boundary}");
    document.replace(boundary, "BOUNDARY")
}

/// Runs a command in a tree, and replaces the tree's path in its arguments and its output, and the
/// names of what keeps the limits of a sandbox, which depend on the machine.
fn run_in(tree: &Tree, args: &[&str], more: &[&str]) -> Ran {
    let root = tree.path().display().to_string();
    let args: Vec<_> = args.iter().map(|arg| arg.replace("$ROOT", &root)).collect();
    let args: Vec<_> = args.iter().map(String::as_str).chain(more.iter().copied()).collect();
    let mut ran = Program::new().root("user", tree.path()).working_in(tree.path()).run(&args);
    let mut text = ran.stdout.replace(&root, "$ROOT");
    for keeper in ["control group v1", "control group v2", "resource limits"] {
        text = text.replace(keeper, "$KEEPER").replace(&keeper.replace(' ', "-"), "$KEEPER");
    }
    ran.stdout = text;
    ran
}

/// Compares the failure of a run.
#[track_caller]
fn check_failure(args: &[&str], code: i32, expected: &Expect) {
    let ran = run(tree().path(), &[args, &["--format", "json"]].concat());
    assert_eq!(ran.code, Some(code), "{}", ran.stderr);
    expected.assert_eq(&format!("{:#}\n", ran.error()));
}
