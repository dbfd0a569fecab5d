//! How often commands list the directories of skills, by `strace`.

use std::fmt::Write as _;
use std::process::Command;

use prowess_testkit::Tree;

use crate::program::Program;

/// Returns the calls by which a command lists directories, over so many skills of two directories.
fn listings(arguments: &[&str], skills: usize) -> usize {
    let mut tree = String::new();
    for number in 0..skills {
        let text = format!("---\nname: s{number}\ndescription: Sorts {number}.\n---\n# Sort\n");
        let _ = write!(tree, "//- /s{number}/SKILL.md\n{text}//- /s{number}/scripts/a.py\n# A\n");
    }
    let tree = Tree::new(&tree);
    // It is about a directory, not about the skills that are found.
    let is_validate = arguments == ["validate"];
    let program = Program::new();
    let program = if is_validate { program } else { program.root("user", tree.path()) };
    let (program, place) = program.into_command();
    let log = place.path().join("calls");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-e", "trace=getdents64", "-o"]).arg(&log);
    command.arg(program.get_program()).args(program.get_args()).args(arguments);
    if is_validate {
        command.arg(tree.path());
    }
    let home = place.path().join("home");
    let output = command.env_clear().env("HOME", home).output();
    assert!(output.expect("`strace` is needed for this test").status.success(), "{arguments:?}");
    let calls = std::fs::read_to_string(log).expect("it was written");
    calls.lines().filter(|line| line.contains("getdents64(")).count()
}

/// A listing takes two calls, of which the last one finds nothing.
#[test]
fn directories_are_listed_once() {
    // Checks and the watch use the listings of the scan.
    for arguments in [&["list"][..], &["validate"], &["doctor"]] {
        // The root itself may be listed once more.
        let (further, once) = (listings(arguments, 110) - listings(arguments, 10), 100 * 2 * 2);
        assert_eq!((further + once / 2) / once, 1, "{arguments:?}: {further} calls");
    }
}
