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

/// A directory of skills is as good as one skill.
#[test]
fn directories_of_skills_are_taken() {
    let tree = prowess_testkit::Tree::new("");
    for name in ["one", "two"] {
        tree.write(&format!("shelf/{name}/SKILL.md"), crate::plain_skill(name));
    }
    let shelf = tree.join("shelf").display().to_string();
    let read = crate::run(tree.path(), &["read-properties", &shelf]).json();
    let names = |key: usize| read["skills"][key]["properties"]["name"].clone();
    assert_eq!((names(0), names(1)), ("one".into(), "two".into()), "{read}");
    let prompt = crate::run(tree.path(), &["to-prompt", &shelf, "--format", "json"]).json();
    let prompt = prompt["prompt"].as_str().expect("the document is an object");
    assert_eq!(prompt.matches("<skill>").count(), 2, "{prompt}");
}
