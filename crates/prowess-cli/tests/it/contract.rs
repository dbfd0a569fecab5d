//! What a program may rely on: shapes, streams and exit codes.

use std::io::{BufRead, BufReader};

use expect_test::{Expect, expect};
use prowess_testkit::Tree;
use serde_json::Value;

use crate::program::{Program, Ran};
use crate::run;

/// Two skills of which one has a fault, one that is shadowed, and one that cannot be used.
fn tree() -> Tree {
    Tree::new(
        "
//- /pdf/SKILL.md
---
name: pdf
description: Fills forms. Use when the user has a PDF.
metadata:
  tags: forms, pdf
---
# Forms

Read `references/fields.md` first.
//- /pdf/references/fields.md
Each field has a name.
//- /tables/SKILL.md
---
name: sheets
description: Makes tables.
---
Rows and columns.
//- /zpdf/SKILL.md
---
name: pdf
description: Another.
---
Body
//- /broken/SKILL.md
---
name: broken
---
Body
",
    )
}

/// The JSON document of a run, with the tree's place and durations replaced.
#[track_caller]
fn check(args: &[&str], code: i32, expected: &Expect) {
    let tree = tree();
    let args: Vec<_> = args.iter().map(|arg| arg.replace("$ROOT", &place(&tree))).collect();
    let mut args: Vec<_> = args.iter().map(String::as_str).collect();
    args.extend(["--format", "json"]);
    let ran = run(tree.path(), &args);
    assert_eq!(ran.code, Some(code), "{}", ran.stderr);
    let mut document = ran.json();
    if let Some(duration) = document.get_mut("duration_ms") {
        assert!(duration.is_u64(), "a duration is a whole number");
        *duration = 0.into();
    }
    expected.assert_eq(&format!("{document:#}\n").replace(&place(&tree), "$ROOT"));
}

fn place(tree: &Tree) -> String {
    tree.path().display().to_string()
}

/// The failure of a run, with the tree's place replaced.
#[track_caller]
fn check_failure(args: &[&str], code: i32, expected: &Expect) {
    let tree = tree();
    let mut args = args.to_vec();
    args.extend(["--format", "json"]);
    let ran = run(tree.path(), &args);
    assert_eq!(ran.code, Some(code), "{}", ran.stderr);
    expected.assert_eq(&format!("{:#}\n", ran.error()).replace(&place(&tree), "$ROOT"));
}

#[test]
fn bare() {
    check(
        &[],
        0,
        &expect![[r#"
            {
              "generation": 1,
              "layers": [
                {
                  "layer": "project",
                  "trust": "prompt",
                  "skills": 0,
                  "roots": []
                },
                {
                  "layer": "user",
                  "trust": "trusted",
                  "skills": 2,
                  "roots": [
                    "$ROOT"
                  ]
                },
                {
                  "layer": "embedded",
                  "trust": "trusted",
                  "skills": 0,
                  "roots": []
                }
              ],
              "skills": 2,
              "shadowed": 1,
              "hidden": 0,
              "not_ready": 0,
              "errors": 1,
              "warnings": 3
            }
        "#]],
    );
}

#[test]
fn list() {
    check(
        &["list"],
        0,
        &expect![[r#"
        {
          "generation": 1,
          "skills": [
            {
              "id": "pdf",
              "name": "pdf",
              "description": "Fills forms. Use when the user has a PDF.",
              "location": "$ROOT/pdf/SKILL.md",
              "layer": "user",
              "source": "filesystem",
              "trust": "trusted",
              "tags": [
                "forms",
                "pdf"
              ],
              "tokens": 12,
              "state": "visible"
            },
            {
              "id": "sheets",
              "name": "sheets",
              "description": "Makes tables.",
              "location": "$ROOT/tables/SKILL.md",
              "layer": "user",
              "source": "filesystem",
              "trust": "trusted",
              "tags": [],
              "tokens": 6,
              "state": "visible"
            }
          ],
          "shadowed": [
            {
              "id": "pdf",
              "name": "pdf",
              "description": "Another.",
              "location": "$ROOT/zpdf/SKILL.md",
              "layer": "user",
              "source": "filesystem",
              "trust": "trusted",
              "tags": [],
              "tokens": 3,
              "state": "shadowed",
              "reason": "`$ROOT/pdf/SKILL.md` of layer `user` is used instead"
            }
          ],
          "diagnostics": [
            {
              "code": "skill-shadowed",
              "severity": "warning",
              "path": "$ROOT/zpdf/SKILL.md",
              "line": null,
              "column": null,
              "message": "skill `pdf` is shadowed: `$ROOT/pdf/SKILL.md` of layer `user` is used instead",
              "help": "rename or remove one of the two, or move the one that you want to a higher layer"
            },
            {
              "code": "description-missing",
              "severity": "error",
              "path": "$ROOT/broken/SKILL.md",
              "line": 1,
              "column": 1,
              "message": "the frontmatter has no `description`",
              "help": "add a line `description: ` that says what the skill does and when to use it"
            },
            {
              "code": "name-directory-mismatch",
              "severity": "warning",
              "path": "$ROOT/tables/SKILL.md",
              "line": 2,
              "column": 7,
              "message": "the name `sheets` differs from the directory's name `tables`",
              "help": "rename one of the two"
            },
            {
              "code": "name-directory-mismatch",
              "severity": "warning",
              "path": "$ROOT/zpdf/SKILL.md",
              "line": 2,
              "column": 7,
              "message": "the name `pdf` differs from the directory's name `zpdf`",
              "help": "rename one of the two"
            }
          ]
        }
    "#]],
    );
}

#[test]
fn show() {
    check(
        &["show", "pdf"],
        0,
        &expect![[r##"
        {
          "record": {
            "id": "pdf",
            "name": "pdf",
            "description": "Fills forms. Use when the user has a PDF.",
            "location": "$ROOT/pdf/SKILL.md",
            "layer": "user",
            "source": "filesystem",
            "trust": "trusted",
            "tags": [
              "forms",
              "pdf"
            ],
            "tokens": 12,
            "state": "visible"
          },
          "digest": "sha256:3e50621a42d1ec88dd3ff747cafac574a5b487dd84fa0757a9a1a4e38f317435",
          "properties": {
            "name": "pdf",
            "description": "Fills forms. Use when the user has a PDF.",
            "metadata": {
              "tags": "forms, pdf"
            }
          },
          "resources": [
            {
              "path": "references/fields.md",
              "bytes": 23
            }
          ],
          "is_complete": true,
          "body": "# Forms\n\nRead `references/fields.md` first.\n"
        }
    "##]],
    );
}

#[test]
fn explain_a_skill_that_shadows_another() {
    check(
        &["explain", "pdf"],
        0,
        &expect![[r#"
            {
              "query": "pdf",
              "records": [
                {
                  "id": "pdf",
                  "name": "pdf",
                  "description": "Fills forms. Use when the user has a PDF.",
                  "location": "$ROOT/pdf/SKILL.md",
                  "layer": "user",
                  "source": "filesystem",
                  "trust": "trusted",
                  "tags": [
                    "forms",
                    "pdf"
                  ],
                  "tokens": 12,
                  "state": "visible"
                },
                {
                  "id": "pdf",
                  "name": "pdf",
                  "description": "Another.",
                  "location": "$ROOT/zpdf/SKILL.md",
                  "layer": "user",
                  "source": "filesystem",
                  "trust": "trusted",
                  "tags": [],
                  "tokens": 3,
                  "state": "shadowed",
                  "reason": "`$ROOT/pdf/SKILL.md` of layer `user` is used instead"
                }
              ],
              "decisions": [
                {
                  "step": "find",
                  "outcome": "found",
                  "reason": "$ROOT/pdf/SKILL.md in source `filesystem` of layer `user` (trusted)"
                },
                {
                  "step": "place",
                  "outcome": "visible",
                  "reason": "no other `pdf` comes before it"
                },
                {
                  "step": "prompt",
                  "outcome": "shown",
                  "reason": "the prompt has its name and its description"
                },
                {
                  "step": "find",
                  "outcome": "found",
                  "reason": "$ROOT/zpdf/SKILL.md in source `filesystem` of layer `user` (trusted)"
                },
                {
                  "step": "place",
                  "outcome": "shadowed",
                  "reason": "`$ROOT/pdf/SKILL.md` of layer `user` is used instead"
                },
                {
                  "step": "load",
                  "outcome": "by-id",
                  "reason": "as `user:pdf#2` it can be loaded"
                },
                {
                  "step": "check",
                  "outcome": "noted",
                  "reason": "[skill-shadowed] skill `pdf` is shadowed: `$ROOT/pdf/SKILL.md` of layer `user` is used instead; rename or remove one of the two, or move the one that you want to a higher layer"
                },
                {
                  "step": "check",
                  "outcome": "noted",
                  "reason": "[name-directory-mismatch] the name `pdf` differs from the directory's name `zpdf` (line 2, column 7); rename one of the two"
                }
              ],
              "tokens": 12
            }
        "#]],
    );
}

#[test]
fn explain_a_path_that_cannot_be_used() {
    check(
        &["explain", "$ROOT/broken"],
        1,
        &expect![[r#"
            {
              "query": "$ROOT/broken",
              "records": [],
              "decisions": [
                {
                  "step": "check",
                  "outcome": "refused",
                  "reason": "[description-missing] the frontmatter has no `description` ($ROOT/broken/SKILL.md:1:1); add a line `description: ` that says what the skill does and when to use it"
                }
              ],
              "tokens": 0
            }
        "#]],
    );
}

/// A skill that cannot be used has no id; people still ask for it by its name.
#[test]
fn explain_the_name_of_what_cannot_be_used() {
    check(
        &["explain", "broken"],
        1,
        &expect![[r#"
        {
          "query": "broken",
          "records": [],
          "decisions": [
            {
              "step": "check",
              "outcome": "refused",
              "reason": "[description-missing] the frontmatter has no `description` ($ROOT/broken/SKILL.md:1:1); add a line `description: ` that says what the skill does and when to use it"
            }
          ],
          "tokens": 0
        }
    "#]],
    );
}

#[test]
fn explain_what_is_not_there() {
    check(
        &["explain", "nothing"],
        1,
        &expect![[r#"
        {
          "query": "nothing",
          "records": [],
          "decisions": [
            {
              "step": "find",
              "outcome": "not-found",
              "reason": "no skill with this id or path under $ROOT; `--root DIR` looks elsewhere"
            }
          ],
          "tokens": 0
        }
    "#]],
    );
}

#[test]
fn prompt() {
    check(
        &["prompt", "--load", "pdf"],
        0,
        &expect![[r#"
        {
          "text": "Skills hold instructions for specific tasks. When a task matches a skill's description, call `skills_load` with the skill's name: loading is required before you use a skill's instructions, resources or scripts.\n\n<available_skills>\n<skill>\n<name>pdf</name>\n<description>Fills forms. Use when the user has a PDF.</description>\n<location>$ROOT/pdf/SKILL.md</location>\n</skill>\n<skill>\n<name>sheets</name>\n<description>Makes tables.</description>\n<location>$ROOT/tables/SKILL.md</location>\n</skill>\n</available_skills>\n\nThese skills are loaded: follow their instructions. Where two conflict, the later one takes precedence. Paths in a skill are relative to its `directory`.\n<active_skills>\n<skill name=\"pdf\" directory=\"$ROOT/pdf\">\n# Forms\n\nRead `references/fields.md` first.\n</skill>\n</active_skills>\n",
          "ledger": {
            "entries": [
              {
                "part": "rule",
                "tokens": 53,
                "characters": 212
              },
              {
                "part": "catalog",
                "tokens": 81,
                "characters": 323
              },
              {
                "part": "active_frame",
                "tokens": 48,
                "characters": 188
              },
              {
                "part": "active_skill",
                "id": "pdf",
                "tokens": 26,
                "characters": 104
              }
            ],
            "tokens": 208,
            "characters": 827,
            "is_exact": false,
            "changes": []
          },
          "shown": [
            "pdf",
            "sheets"
          ],
          "total": 2
        }
    "#]],
    );
}

#[test]
fn a_call() {
    let args = ["call", "skills_read", "{\"path\":\"references/fields.md\"}", "--load", "pdf"];
    check(
        &args,
        0,
        &expect![[r#"
        {
          "tool": "skills.read",
          "is_error": false,
          "code": null,
          "content": [
            {
              "type": "text",
              "text": "Each field has a name.\n"
            }
          ],
          "duration_ms": 0
        }
    "#]],
    );
}

#[test]
fn a_refused_call() {
    check(
        &["call", "skills_read", "{\"path\":\"../x\"}", "--load", "pdf"],
        1,
        &expect![[r#"
        {
          "tool": "skills.read",
          "is_error": true,
          "code": "path-escape",
          "content": [
            {
              "type": "text",
              "text": "`../x` leaves the package; name a file relative to the skill's directory"
            }
          ],
          "duration_ms": 0
        }
    "#]],
    );
}

#[test]
fn validate() {
    check(
        &["validate", "$ROOT/tables", "$ROOT/pdf"],
        1,
        &expect![[r#"
            {
              "profile": "spec",
              "packages": [
                {
                  "path": "$ROOT/tables",
                  "name": "sheets",
                  "valid": false,
                  "diagnostics": [
                    {
                      "code": "name-directory-mismatch",
                      "severity": "error",
                      "path": "$ROOT/tables/SKILL.md",
                      "line": 2,
                      "column": 7,
                      "message": "the name `sheets` differs from the directory's name `tables`",
                      "help": "rename one of the two"
                    },
                    {
                      "code": "description-no-when",
                      "severity": "hint",
                      "path": "$ROOT/tables/SKILL.md",
                      "line": 3,
                      "column": 14,
                      "message": "the description does not say when to use the skill",
                      "help": "add a sentence such as `Use when the user asks for …`; a model chooses by it"
                    },
                    {
                      "code": "body-no-headings",
                      "severity": "hint",
                      "path": "$ROOT/tables/SKILL.md",
                      "line": null,
                      "column": null,
                      "message": "the body has no heading",
                      "help": "part it by lines such as `## When to use` and `## Steps`"
                    },
                    {
                      "code": "body-no-when",
                      "severity": "hint",
                      "path": "$ROOT/tables/SKILL.md",
                      "line": null,
                      "column": null,
                      "message": "the body does not say when the skill is for use",
                      "help": "add a part `## When to use`, and say there when not to"
                    },
                    {
                      "code": "body-no-example",
                      "severity": "hint",
                      "path": "$ROOT/tables/SKILL.md",
                      "line": null,
                      "column": null,
                      "message": "the body shows no example",
                      "help": "show one input with the result that you want of it"
                    }
                  ]
                },
                {
                  "path": "$ROOT/pdf",
                  "name": "pdf",
                  "valid": true,
                  "diagnostics": [
                    {
                      "code": "body-no-when",
                      "severity": "hint",
                      "path": "$ROOT/pdf/SKILL.md",
                      "line": null,
                      "column": null,
                      "message": "the body does not say when the skill is for use",
                      "help": "add a part `## When to use`, and say there when not to"
                    },
                    {
                      "code": "body-no-example",
                      "severity": "hint",
                      "path": "$ROOT/pdf/SKILL.md",
                      "line": null,
                      "column": null,
                      "message": "the body shows no example",
                      "help": "show one input with the result that you want of it"
                    }
                  ]
                }
              ],
              "summary": {
                "packages": 2,
                "valid": 1,
                "errors": 1,
                "warnings": 0,
                "hints": 6
              },
              "diagnostics": []
            }
        "#]],
    );
}

#[test]
fn a_valid_tree() {
    let tree = Tree::new("");
    tree.write("ok/SKILL.md", crate::plain_skill("ok"));
    let ran = Program::new().run(&["validate", &place(&tree), "--format", "json"]);
    assert_eq!(ran.code, Some(0));
    let expected = expect![[r#"
        {
          "profile": "spec",
          "packages": [
            {
              "path": "$ROOT/ok",
              "name": "ok",
              "valid": true,
              "diagnostics": [
                {
                  "code": "description-no-when",
                  "severity": "hint",
                  "path": "$ROOT/ok/SKILL.md",
                  "line": 3,
                  "column": 14,
                  "message": "the description does not say when to use the skill",
                  "help": "add a sentence such as `Use when the user asks for …`; a model chooses by it"
                },
                {
                  "code": "body-no-when",
                  "severity": "hint",
                  "path": "$ROOT/ok/SKILL.md",
                  "line": null,
                  "column": null,
                  "message": "the body does not say when the skill is for use",
                  "help": "add a part `## When to use`, and say there when not to"
                },
                {
                  "code": "body-no-example",
                  "severity": "hint",
                  "path": "$ROOT/ok/SKILL.md",
                  "line": null,
                  "column": null,
                  "message": "the body shows no example",
                  "help": "show one input with the result that you want of it"
                }
              ]
            }
          ],
          "summary": {
            "packages": 1,
            "valid": 1,
            "errors": 0,
            "warnings": 0,
            "hints": 3
          },
          "diagnostics": []
        }
    "#]];
    expected.assert_eq(&format!("{:#}\n", ran.json()).replace(&place(&tree), "$ROOT"));
}

#[test]
fn read_properties() {
    check(
        &["read-properties", "$ROOT/pdf"],
        0,
        &expect![[r#"
        {
          "name": "pdf",
          "description": "Fills forms. Use when the user has a PDF.",
          "metadata": {
            "tags": "forms, pdf"
          }
        }
    "#]],
    );
}

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
          "help": "write one JSON object, in single quotes"
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
fn to_prompt_is_the_block_alone() {
    let tree = tree();
    let path = tree.join("tables").display().to_string();
    let ran = Program::new().run(&["to-prompt", &path]);
    expect![[r#"
        <available_skills>
        <skill>
        <name>sheets</name>
        <description>Makes tables.</description>
        <location>$ROOT/tables/SKILL.md</location>
        </skill>
        </available_skills>
    "#]]
    .assert_eq(&ran.text().replace(&place(&tree), "$ROOT"));
}

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

fn run_here(tree: &Tree, args: &[&str], more: &[&str]) -> Ran {
    let args: Vec<_> = args.iter().chain(more).copied().collect();
    Program::new().root("user", tree.path()).working_in(tree.path()).run(&args)
}

#[test]
fn a_pipe_gets_no_colour_unless_it_is_asked_for() {
    let tree = tree();
    for args in FOR_PEOPLE {
        let plain = run_here(&tree, args, &[]);
        let is_plain = !(plain.stdout + &plain.stderr).contains('\u{1b}');
        assert!(is_plain, "{args:?} has no escape sequence in a pipe");
        if args != ["prompt"] {
            let colored = run_here(&tree, args, &["--color", "always"]);
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
fn quiet_leaves_the_data_and_takes_the_remarks() {
    let tree = tree();
    for args in [&["list"][..], &["prompt"]] {
        let (loud, quiet) = (run_here(&tree, args, &[]), run_here(&tree, args, &["--quiet"]));
        assert_eq!(loud.stdout, quiet.stdout, "{args:?} prints the same data");
        assert_ne!(loud.stderr, "", "{args:?} has remarks");
        assert_eq!(quiet.stderr, "", "and none with --quiet");
    }
    let failed = run_here(&tree, &["show", "nothing"], &["--quiet"]);
    assert!(failed.stderr.contains("skill-not-found"), "a failure is no remark");
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
fn the_verdict_for_people_counts_what_was_found() {
    let ran = run_here(&tree(), &["validate", "."], &[]);
    assert_eq!(ran.code, Some(1), "something is invalid");
    let verdict = ran.stdout.find("1 of 4").map(|at| &ran.stdout[at..]);
    expect![[r#"
        1 of 4 skills are valid (profile spec): 3 errors, 10 hints

          errors
                2  name-directory-mismatch  tables/SKILL.md:2
                1  description-missing      broken/SKILL.md:1

          hints
                3  body-no-example          pdf/SKILL.md
                3  body-no-when             pdf/SKILL.md
                2  body-no-headings         tables/SKILL.md
                2  description-no-when      tables/SKILL.md:3
        10 hints for authors with --hints
    "#]]
    .assert_eq(verdict.unwrap_or(&ran.stdout));
}

#[test]
fn the_overview_for_people_names_the_next_step() {
    let tree = tree();
    let ran = run_here(&tree, &[], &[]);
    expect![[r#"
        2 skills by layer, the highest first:
          project      0  prompt
          user         2  trusted
              $ROOT
          embedded     0  trusted

        1 shadowed, 1 error, 3 warnings

        Next
          prowess list            every skill, and what is wrong with which
          prowess prompt          what a model is told of them
          prowess explain NAME    why a skill is missing
          prowess tour            an agent's conversation, played through
          prowess serve           give them to an agent over MCP
    "#]]
    .assert_eq(&ran.text().replace(&place(&tree), "$ROOT"));
}

#[test]
fn lines_and_columns_begin_with_one() {
    let tree = Tree::new("//- /bad/SKILL.md\n---\nname: Bad\ndescription: x\n---\nBody\n");
    let listed = run(tree.path(), &["list", "--format", "json"]).json();
    let found = listed["diagnostics"].as_array().unwrap().iter();
    let found: Vec<_> = found.filter(|found| found["code"] == "name-invalid").collect();
    assert_eq!((&found[0]["line"], &found[0]["column"]), (&2.into(), &7.into()));
    let missing = run(&tree.join("nowhere"), &["list", "--format", "json"]).json();
    let found = &missing["diagnostics"][0];
    assert_eq!((&found["line"], &found["column"]), (&Value::Null, &Value::Null));
}

#[test]
fn who_reads_a_line_and_leaves_gets_no_complaint() {
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

#[test]
fn the_help_has_an_example_of_each_kind() {
    let ran = Program::new().run(&["--help"]);
    for part in
        ["Examples:", "prowess tour", "prowess validate ./skills", "--root", "prowess serve"]
    {
        assert!(ran.text().contains(part), "the help has {part}");
    }
}
