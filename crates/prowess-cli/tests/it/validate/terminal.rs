//! What an author sees on a terminal.

use expect_test::expect_file;
use prowess_testkit::Tree;

use super::{mistaken, shown, skill, validate};

#[test]
fn a_skill_is_shown_with_its_lines() {
    expect_file!["../../data/validate-screen.txt"].assert_eq(&shown(&mistaken(), &["pdf"], 1));
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
    expect_file!["../../data/validate-many.txt"].assert_eq(summary);
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
    expect_file!["../../data/validate-links.txt"].assert_eq(&shown(&tree, &["pdf"], 0));
}
