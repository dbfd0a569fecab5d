//! `prowess run --shell`: commands over files in memory, by `-c` and from a file.

use prowess_testkit::Tree;

use crate::program::{Program, Ran};

const FILES: &str = include_str!("../data/shell.txt");

fn program(tree: &Tree) -> Program {
    let program = Program::new().at_home_in(&tree.join("home"));
    program.root("user", &tree.join("skills"))
}

#[track_caller]
fn check(ran: &Ran, code: i32, stdout: &str, stderr: &str) {
    let found = (ran.code, ran.stdout.as_str(), ran.stderr.as_str());
    assert_eq!(found, (Some(code), stdout, stderr));
}

#[test]
fn command_runs_a_script_of_a_skill() {
    let tree = Tree::new(FILES);
    let command = "sh /.sandbox/skills/report/scripts/report.sh rivers; cat /tmp/report.txt";
    let ran = program(&tree).run(&["run", "--shell", "--load", "report", "-c", command]);
    check(&ran, 0, "wrote rivers\nAbout rivers.\n", "");
}

#[test]
fn exit_code_and_both_streams_are_those_of_the_command() {
    let tree = Tree::new(FILES);
    let run = |command: &str| program(&tree).run(&["run", "--shell", "-c", command]);
    check(&run("echo out; echo err >&2; exit 3"), 3, "out\n", "err\n");
    let stopped = run("while :; do :; done");
    assert_eq!(stopped.code, Some(124), "a limit ends the command: {stopped:?}");
    assert!(stopped.stderr.starts_with("ended: "), "the limit is named: {stopped:?}");
    let escapes = run("printf '\\033[31mred'");
    check(&escapes, 0, "[31mred\n", "");
}

#[test]
fn standard_input_is_one_script() {
    let tree = Tree::new(FILES);
    let script = "x=1\nif [ $x = 1 ]; then\n  cat <<END\nfrom here\nEND\nfi\nexit 4\n";
    check(&program(&tree).with_input(script).run(&["run", "--shell"]), 4, "from here\n", "");
    check(&program(&tree).run(&["run", "--shell"]), 0, "", "");
}

#[test]
fn document_has_the_result_of_the_tool() {
    let tree = Tree::new(FILES);
    let ran = program(&tree).run(&["run", "--shell", "--format", "json", "-c", "echo out; exit 3"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let document = ran.json();
    assert_eq!((&document["output"], &document["exitCode"]), (&"out".into(), &3.into()));
    assert!(document["sandbox"].is_string(), "{document}");
}

#[test]
fn gate_and_audit_are_those_of_the_tool() {
    let tree = Tree::new(FILES);
    let run = |config: &str, command: &str| {
        program(&tree).config(&tree.join(config)).run(&["run", "--shell", "-c", command])
    };
    let denied = run("deny.yaml", "rm -r /tmp");
    assert_eq!((denied.code, denied.stdout.as_str()), (Some(125), ""), "{denied:?}");
    assert!(denied.stderr.contains("tool-denied"), "{denied:?}");
    assert_eq!(run("deny.yaml", "echo on").code, Some(0), "other commands run");
    let asked = run("ask.yaml", "ls /");
    assert_eq!(asked.code, Some(125), "{asked:?}");
    assert!(asked.stderr.contains("prowess approvals"), "the next step is named: {asked:?}");
    assert_eq!(run("audit.yaml", "ls /").code, Some(0));
    let story = program(&tree).run(&["audit", "show"]);
    assert!(story.text().contains("sandbox_execute"), "{}", story.text());
}
