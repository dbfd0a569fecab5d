//! What is printed where a command fails or is none.

use expect_test::expect;
use serde_json::json;

use crate::program::Program;
use crate::run;

use super::{check_failure, tree};

#[test]
fn unknown_skills_and_paths() {
    let folder = "name the folder of a skill, or its `SKILL.md`";
    let skill = "name a skill, its directory or `SKILL.md`, or a folder of skills";
    for (args, help) in [
        (&["read-properties", "/nowhere"][..], folder),
        (&["to-prompt", "/nowhere"], folder),
        (&["validate", "/nowhere"], skill),
        (&["validate", ".", "/nowhere"], skill),
    ] {
        let ran = run(tree().path(), &[args, &["--format", "json"]].concat());
        let message = "`/nowhere` does not exist";
        let expected = json!({ "code": "path-not-found", "message": message, "help": help });
        assert_eq!((ran.code, ran.error()), (Some(1), expected), "{args:?}");
    }
    check_failure(
        &["show", "nothing"],
        1,
        &expect![[r#"
            {
              "code": "skill-not-found",
              "message": "no skill named `nothing`",
              "help": "see `prowess list` for the ids, or `prowess explain` for why it is missing"
            }
        "#]],
    );
}

#[test]
fn wrong_commands() {
    for (args, code, part) in [
        (&["call", "skills_read", "{"][..], "arguments-invalid", "the arguments are not JSON: EOF"),
        (&["validate"], "usage", "arguments were not provided:\\n  <PATH>..."),
        (&["validate", ".", "--profile", "loose"], "usage", "no profile named `loose`; the"),
        (&["list", "--color", "pink"], "usage", "[possible values: auto, always, never]"),
    ] {
        let ran = run(tree().path(), &[args, &["--format", "json"]].concat());
        let error = ran.error();
        assert_eq!((ran.code, &error["code"]), (Some(2), &code.into()), "{args:?}");
        assert!(error.to_string().contains(part), "{args:?}: {error}");
    }
    check_failure(
        &["lits"],
        2,
        &expect![[r#"
        {
          "code": "usage",
          "message": "unrecognized subcommand 'lits'",
          "help": "tip: a similar subcommand exists: 'list'\n\nUsage: prowess [OPTIONS] [COMMAND]\n\nFor more information, try '--help'."
        }
    "#]],
    );
}

#[test]
fn failure_for_people_has_its_help_on_its_own_line() {
    let ran = run(tree().path(), &["show", "nothing"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    expect![[r#"
        error[skill-not-found]: no skill named `nothing`
          help: see `prowess list` for the ids, or `prowess explain` for why it is missing
    "#]]
    .assert_eq(&ran.stderr);
}

/// A tip is a name of another tool for it, or near to what was written, and never of another level.
#[test]
fn unknown_command_has_a_tip_only_if_it_is_meant() {
    let cases = include_str!("../../data/tips.txt").lines();
    for (line, tip) in cases.filter_map(|case| case.split_once(" =>")) {
        let tip = tip.trim_start();
        let ran = Program::new().run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!((ran.code, ran.stderr.contains("tip:")), (Some(2), !tip.is_empty()), "{ran:?}");
        assert!(ran.stderr.contains(tip), "{line}: {}", ran.stderr);
    }
}

#[test]
fn similar_ids_are_suggested() {
    let tree = tree();
    tree.write("probe.json", r#"[{ "query": "forms", "expect": ["pfd"] }]"#);
    let probe = tree.join("probe.json").display().to_string();
    for args in [
        &["show", "pfd"][..],
        &["explain", "pfd"],
        &["prompt", "--load", "pfd"],
        &["search", "--probe", &probe],
    ] {
        let ran = run(tree.path(), args);
        let printed = ran.stdout + &ran.stderr;
        assert!(printed.contains("did you mean `pdf`?"), "{args:?}: {printed}");
    }
}
