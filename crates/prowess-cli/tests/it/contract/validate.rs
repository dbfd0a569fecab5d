//! `prowess validate`.

use expect_test::expect;

use super::{check, run_here, tree};

#[test]
fn validate() {
    check(
        &["validate", "$ROOT/broken", "$ROOT/pdf"],
        1,
        &expect![[r#"
            {
              "profile": "spec",
              "packages": [
                {
                  "path": "$ROOT/broken",
                  "name": null,
                  "valid": false,
                  "diagnostics": [
                    {
                      "code": "description-missing",
                      "severity": "error",
                      "path": "$ROOT/broken/SKILL.md",
                      "line": 1,
                      "column": 1,
                      "message": "the frontmatter has no `description`",
                      "help": "add a line `description: ` that says what the skill does and when to use it"
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
                "hints": 1
              },
              "diagnostics": []
            }
        "#]],
    );
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
