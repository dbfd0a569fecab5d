//! `prowess validate`.

use expect_test::expect;
use prowess_testkit::Tree;

use crate::program::Program;

use super::{check, place, run_here, tree};

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
                      "help": "split it with headings such as `## When to use` and `## Steps`"
                    },
                    {
                      "code": "body-no-when",
                      "severity": "hint",
                      "path": "$ROOT/tables/SKILL.md",
                      "line": null,
                      "column": null,
                      "message": "neither the description nor the body says when to use the skill",
                      "help": "say it in the description; a model chooses by it"
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
                "hints": 5
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
                  "message": "neither the description nor the body says when to use the skill",
                  "help": "say it in the description; a model chooses by it"
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
fn the_verdict_for_people_counts_what_was_found() {
    let ran = run_here(&tree(), &["validate", "."], &[]);
    assert_eq!(ran.code, Some(1), "something is invalid");
    let verdict = ran.stdout.find("1 of 4").map(|at| &ran.stdout[at..]);
    expect![[r#"
        1 of 4 skills are valid (profile spec): 3 errors, 9 hints

          errors
                2  name-directory-mismatch  tables/SKILL.md:2
                1  description-missing      broken/SKILL.md:1

          hints
                3  body-no-example          pdf/SKILL.md
                2  body-no-headings         tables/SKILL.md
                2  body-no-when             tables/SKILL.md
                2  description-no-when      tables/SKILL.md:3
        9 hints for authors with --hints
    "#]]
    .assert_eq(verdict.unwrap_or(&ran.stdout));
}
