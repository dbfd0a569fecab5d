//! `prowess list`.

use expect_test::expect;
use prowess_testkit::Tree;

use crate::program::Program;
use crate::skill_md;

use super::check;

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

/// Lines end at the width of a terminal, and a pipe has none, whatever `COLUMNS` says.
#[test]
fn a_pipe_gets_whole_descriptions() {
    let tree = Tree::new("");
    let description = format!("Use when {}asked.", "very kindly ".repeat(70));
    tree.write("long/SKILL.md", skill_md(&format!("name: long\ndescription: {description}")));
    for args in [&["list"][..], &["search", "kindly"]] {
        let program = Program::new().root("user", tree.path()).variable("COLUMNS", "80");
        let ran = program.run(args);
        assert!(ran.text().contains(&description), "{args:?}: {}", ran.stdout);
    }
}
