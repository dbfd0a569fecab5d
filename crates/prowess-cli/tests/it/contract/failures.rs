//! What is said where a command fails or is none.

use expect_test::expect;

use crate::run;

use super::{check_failure, tree};

#[test]
fn failures() {
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
    check_failure(
        &["prompt", "--load", "pfd"],
        1,
        &expect![[r#"
        {
          "code": "skill-not-found",
          "message": "no skill named `pfd`; did you mean `pdf`?",
          "help": "see `prowess list` for the ids of the skills"
        }
    "#]],
    );
    check_failure(
        &["read-properties", "/nowhere"],
        1,
        &expect![[r#"
        {
          "code": "path-not-found",
          "message": "`/nowhere` does not exist",
          "help": "name the folder of a skill, or its `SKILL.md`"
        }
    "#]],
    );
    check_failure(
        &["validate", "/nowhere"],
        1,
        &expect![[r#"
            {
              "code": "path-not-found",
              "message": "`/nowhere` does not exist",
              "help": "name a skill, its `SKILL.md` or a folder of skills"
            }
        "#]],
    );
    check_failure(
        &["validate", ".", "/nowhere"],
        1,
        &expect![[r#"
        {
          "code": "path-not-found",
          "message": "`/nowhere` does not exist",
          "help": "name a skill, its `SKILL.md` or a folder of skills"
        }
    "#]],
    );
    check_failure(
        &["to-prompt", "/nowhere"],
        1,
        &expect![[r#"
        {
          "code": "path-not-found",
          "message": "`/nowhere` does not exist",
          "help": "name the folder of a skill, or its `SKILL.md`"
        }
    "#]],
    );
}

#[test]
fn wrong_commands() {
    check_failure(
        &["call", "skills_read", "{"],
        2,
        &expect![[r#"
            {
              "code": "arguments-invalid",
              "message": "the arguments are not JSON: EOF while parsing an object at line 1 column 1",
              "help": "pass one JSON object, in single quotes"
            }
        "#]],
    );
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
    check_failure(
        &["validate"],
        2,
        &expect![[r#"
        {
          "code": "usage",
          "message": "the following required arguments were not provided:\n  <PATH>...",
          "help": "Usage: prowess validate --format <FORMAT> <PATH>...\n\nFor more information, try '--help'."
        }
    "#]],
    );
    check_failure(
        &["validate", ".", "--profile", "loose"],
        2,
        &expect![[r#"
            {
              "code": "usage",
              "message": "invalid value 'loose' for '--profile <PROFILE>': no profile named `loose`; the profiles are `lenient`, `extended`, `spec`, `strict` and `skills-ref`",
              "help": "For more information, try '--help'."
            }
        "#]],
    );
    check_failure(
        &["list", "--color", "pink"],
        2,
        &expect![[r#"
        {
          "code": "usage",
          "message": "invalid value 'pink' for '--color <COLOR>'\n  [possible values: auto, always, never]",
          "help": "For more information, try '--help'."
        }
    "#]],
    );
}

#[test]
fn a_failure_for_people_has_its_help_on_its_own_line() {
    let ran = run(tree().path(), &["show", "nothing"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    expect![[r#"
        error[skill-not-found]: no skill named `nothing`
          help: see `prowess list` for the ids, or `prowess explain` for why it is missing
    "#]]
    .assert_eq(&ran.stderr);
}

#[test]
fn similar_ids_are_suggested() {
    let tree = tree();
    for args in [&["show", "pfd"][..], &["explain", "pfd"], &["prompt", "--load", "pfd"]] {
        let ran = run(tree.path(), args);
        let printed = ran.stdout.clone() + &ran.stderr;
        assert!(printed.contains("did you mean `pdf`?"), "{args:?}: {printed}");
    }
    tree.write("probe.json", r#"[{ "query": "forms", "expect": ["pfd"] }]"#);
    let probe = tree.join("probe.json").display().to_string();
    let probed = run(tree.path(), &["search", "--probe", &probe]);
    assert!(probed.stderr.contains("did you mean `pdf`?"), "{probed:?}");
}
