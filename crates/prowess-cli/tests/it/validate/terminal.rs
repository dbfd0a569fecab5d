//! What an author sees on a terminal.

use expect_test::expect;
use prowess_testkit::Tree;

use super::{check, mistaken, skill, validate};

#[test]
fn a_skill_is_shown_with_its_lines() {
    check(
        &mistaken(),
        &["pdf"],
        1,
        &expect![[r#"
        error[unknown-field]: unknown field `colour`
         --> pdf/SKILL.md:4:1
          |
        4 | colour: red
          | ^^^^^^
          |
          = help: move it below `metadata`; the fields are `name`, `description`, `license`, `compatibility`, `metadata`, `allowed-tools`

        warning[link-broken]: the target of the link `references/forms.md` does not exist
          --> pdf/SKILL.md:12:17
           |
        12 | See [the forms](references/forms.md).
           |                 ^^^^^^^^^^^^^^^^^^^
           |
           = help: add the file, or fix or remove the link

        hint[extraneous-file]: `README.md` is for people, not for a model
         --> pdf/SKILL.md
          = help: move it out of the package, or what a model needs of it into `references/`

        invalid: pdf (profile spec): 1 error, 1 warning, 1 hint
    "#]],
    );
}

#[test]
fn a_tree_is_shown_by_one_of_each_kind_and_a_summary() {
    let tree = mistaken();
    for number in 0..1200 {
        let name = format!("skill-{number}");
        tree.write(&format!("{name}/SKILL.md"), skill(&name, "colour: red\n"));
    }
    let ran = validate(&tree, &["."]);
    assert_eq!(ran.code, Some(1));
    let (examples, summary) = ran.stdout.split_once("\n\n0 of ").expect("it has a summary");
    assert_eq!(examples.matches(" --> pdf/SKILL.md:").count(), 2, "one of each kind: {examples}");
    expect![[r#"
        1,201 skills are valid (profile spec): 1,201 errors, 1 warning, 1 hint

          errors
            1,201  unknown-field    pdf/SKILL.md:4

          warnings
                1  link-broken      pdf/SKILL.md:12

          hints
                1  extraneous-file  pdf/SKILL.md

        above is one of each kind; 1,200 more findings with --all
        1 hint for authors with --hints
    "#]]
    .assert_eq(summary);
    let all = validate(&tree, &[".", "--all"]).stdout;
    assert_eq!(all.matches("error[unknown-field]").count(), 1201, "each is shown");
    assert!(!all.contains("hint["), "hints are not");
    let hints = validate(&tree, &[".", "--all", "--hints"]).stdout;
    assert!(hints.contains("hint[extraneous-file]"), "hints are shown too");
}

#[test]
fn no_row_of_the_summary_is_wider_than_a_terminal() {
    let tree = Tree::new("");
    for at in 0..2 {
        let far = format!("{}/skill-{at}", "a-long-directory/".repeat(5));
        tree.write(&format!("{far}/SKILL.md"), skill("other", "compatibility: [a]\n"));
    }
    let ran = validate(&tree, &["."]);
    let rows = ran.stdout.split("skills are valid").nth(1).expect("a tree has a summary");
    let widest = rows.lines().skip(1).map(|row| row.chars().count()).max();
    assert!(rows.contains('\u{2026}'), "a place that is too long is cut: {rows}");
    assert!(widest.is_some_and(|width| (70..=80).contains(&width)), "{widest:?} columns: {rows}");
    assert!(rows.contains("/SKILL.md:"), "the end of a place is what distinguishes it: {rows}");
}

#[test]
fn long_line_is_shown_around_the_finding() {
    let tree = Tree::new("");
    let text =
        skill("pdf", "") + &format!("{}[x](gone.md){}\n", "é ".repeat(300), " z".repeat(300));
    tree.write("pdf/SKILL.md", text);
    check(
        &tree,
        &["pdf"],
        0,
        &expect![[r#"
        warning[link-broken]: the target of the link `gone.md` does not exist
          --> pdf/SKILL.md:10:605
           |
        10 | …é é é é é é [x](gone.md) z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z …
           |                  ^^^^^^^
           |
           = help: add the file, or fix or remove the link

        valid: pdf (profile spec): 1 warning
    "#]],
    );
}
