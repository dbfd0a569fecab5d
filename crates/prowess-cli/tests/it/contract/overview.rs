//! `prowess` without a command.

use expect_test::expect;

use super::{check, place, run_here, tree};

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
                  "trust": "ask_first",
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
fn the_overview_for_people_names_the_next_step() {
    let tree = tree();
    let ran = run_here(&tree, &[], &[]);
    expect![[r#"
        2 skills by layer, highest precedence first:
          project      0  ask_first
          user         2  trusted
              $ROOT
          embedded     0  trusted

        1 shadowed, 1 error, 3 warnings

        Next
          prowess list            every skill, with warnings and errors
          prowess prompt          the skills section of the prompt, as the model receives it
          prowess doctor          every problem, and how to fix it
          prowess explain NAME    why a skill is missing
          prowess tour            play through an agent's conversation
          prowess serve           serve the skills to an agent over MCP
    "#]]
    .assert_eq(&ran.text().replace(&place(&tree), "$ROOT"));
}
