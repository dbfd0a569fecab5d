//! `prowess read-properties` and `prowess to-prompt`: one package.

use expect_test::expect;

use crate::program::Program;

use super::{check, place, tree};

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
