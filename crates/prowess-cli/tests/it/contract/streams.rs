//! What goes to which stream, and in which colours.

use std::io::{BufRead, BufReader};

use prowess_testkit::Tree;

use crate::program::Program;
use crate::run;

use super::{run_in, tree};

/// Each command that prints for people.
const FOR_PEOPLE: [&[&str]; 8] = [
    &[],
    &["list"],
    &["show", "pdf"],
    &["explain", "pdf"],
    &["search", "pdf"],
    &["prompt"],
    &["tour"],
    &["validate", "."],
];

#[test]
fn a_pipe_gets_no_colour_unless_it_is_asked_for() {
    let tree = tree();
    for args in FOR_PEOPLE {
        let plain = run_in(&tree, args, &[]);
        let is_plain = !(plain.stdout + &plain.stderr).contains('\u{1b}');
        assert!(is_plain, "{args:?} has no escape sequence in a pipe");
        if args != ["prompt"] {
            let colored = run_in(&tree, args, &["--color", "always"]);
            let is_colored = (colored.stdout + &colored.stderr).contains('\u{1b}');
            assert!(is_colored, "{args:?} has colours if they are asked for");
        }
    }
}

#[test]
fn a_json_document_has_no_colour_even_if_it_is_asked_for() {
    let ran = run(tree().path(), &["list", "--format", "json", "--color", "always"]);
    assert!(!ran.stdout.contains('\u{1b}'));
    assert!(ran.json().is_object());
}

#[test]
fn quiet_prints_data_without_remarks() {
    let tree = tree();
    for args in [&["list"][..], &["prompt"]] {
        let (loud, quiet) = (run_in(&tree, args, &[]), run_in(&tree, args, &["--quiet"]));
        assert_eq!(loud.stdout, quiet.stdout, "{args:?} prints the same data");
        assert_ne!(loud.stderr, "", "{args:?} has remarks");
        assert_eq!(quiet.stderr, "", "and none with --quiet");
    }
    let failed = run_in(&tree, &["show", "nothing"], &["--quiet"]);
    assert!(failed.stderr.contains("skill-not-found"), "a failure is no remark");
}

#[test]
fn closed_pipe_is_not_an_error() {
    let tree = Tree::new("");
    for at in 0..100 {
        let description = "word ".repeat(200);
        let text = format!("---\nname: skill-{at}\ndescription: {description}\n---\nBody\n");
        tree.write(&format!("skill-{at}/SKILL.md"), text);
    }
    let (mut command, _place) = Program::new().root("user", tree.path()).into_command();
    let mut child = command.args(["list", "--format", "json"]).spawn().expect("the program starts");
    let mut line = String::new();
    // More than a pipe holds is to be written, so that the writer meets the closed end.
    let mut stdout = BufReader::with_capacity(64, child.stdout.take().expect("a pipe"));
    stdout.read_line(&mut line).expect("a line");
    drop(stdout);
    let output = child.wait_with_output().expect("the program ends");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""), "it has read enough");
}
