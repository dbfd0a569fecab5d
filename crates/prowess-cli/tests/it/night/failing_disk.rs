//! A root on a disk that fails, by `strace`.

use std::path::Path;
use std::process::Command;

use crate::bad_input::tree;
use crate::program::{Program, Ran};

/// Lists a root whose disk fails at one call of this kind.
fn list_with_fault(root: &Path, call: &str, number: usize) -> Ran {
    let (program, place) = Program::new().root("user", root).into_command();
    let fault = format!("inject={call}:error=EIO:when={number}");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o"]).arg(place.path().join("calls")).args(["-e", &fault]);
    command.arg(program.get_program()).args(program.get_args()).args(["--format", "json", "list"]);
    let home = place.path().join("home");
    let output = command.env_clear().env("HOME", home).output();
    let output = output.expect("`strace` is needed for this test");
    let text = |bytes| String::from_utf8(bytes).expect("what is printed is UTF-8");
    Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[test]
fn a_root_whose_disk_fails() {
    let tree = tree();
    let root = tree.path().display().to_string();
    for call in ["openat2", "getdents64"] {
        let mut failures = 0;
        for number in 1..=6 {
            let ran = list_with_fault(tree.path(), call, number);
            if ran.code == Some(0) {
                let listed = ran.json();
                let is_there = listed["skills"][0]["id"] == "good";
                let path = tree.join("good/SKILL.md").display().to_string();
                let mut found = listed["diagnostics"].as_array().unwrap().iter();
                let is_reported = found.any(|found| found["path"].as_str() == Some(&path));
                assert!(is_there || is_reported, "{call} {number}: no skill is lost silently");
            } else {
                let error = ran.error();
                assert_eq!(error["code"], "source-failed", "{call} {number}: {error}");
                let message = error["message"].as_str().expect("a sentence");
                assert!(message.contains(&root), "{call} {number} names the root: {message}");
                failures += 1;
            }
        }
        assert!(failures > 0, "a root that cannot be read with `{call}` is an error");
    }
}
