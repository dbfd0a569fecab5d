//! `prowess` without a command.

use expect_test::expect;

use prowess_testkit::Tree;

use super::{check, place, run_here, tree};
use crate::program::Program;
use crate::{plain_skill, skill_md};

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
          prowess prompt          the skills section of the prompt, as a model gets it
          prowess doctor          every problem, and how to fix it
          prowess explain NAME    why a skill is missing
          prowess tour            play through an agent's conversation
          prowess serve           serve the skills to an agent over MCP
    "#]]
    .assert_eq(&ran.text().replace(&place(&tree), "$ROOT"));
}

/// The overview counts them, `list` has the reason of each, and `config show` has the limits and
/// rules of the agent.
#[test]
fn skills_that_are_not_offered_are_counted_and_listed_with_their_reason() {
    let tree = Tree::new("//- /repository/.git/HEAD\nref: refs/heads/main\n");
    let needs = "name: needs\ndescription: x\nmetadata:\n  openclaw:\n    requires:\n      \
                 bins: [no-such-program]";
    tree.write("home/.agents/skills/needs/SKILL.md", skill_md(needs));
    tree.write("repository/.agents/skills/theirs/SKILL.md", plain_skill("theirs"));
    let run = |args: &[&str]| {
        let program = Program::new().at_home_in(&tree.join("home"));
        program.working_in(&tree.join("repository")).run(args)
    };
    let overview = run(&[]);
    assert!(overview.text().contains("\n1 hidden, 1 not ready, 0 shadowed, "), "{overview:?}");
    let listed = run(&["list"]);
    for (id, reason) in [("theirs", "hidden: the folder `"), ("needs", "not-ready: ")] {
        let line = listed.text().lines().find(|line| line.starts_with(id)).unwrap_or_default();
        assert!(line.contains(reason), "{line}");
    }
    for (key, line) in [("tools", "  surfaces: "), ("registry", "  profile: ")] {
        let shown = run(&["config", "show", key]);
        assert!(shown.text().contains(line), "the rules of the agent: {}", shown.stdout);
    }
}
