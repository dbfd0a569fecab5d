//! Tests of a catalog's budget.

use expect_test::expect;
use prowess_prompt::{ChangeKind, Part, Prompt, PromptPolicy};

use crate::fixture::{block, catalog, many, parse, prompt, skill};

fn within(max_tokens: usize, skills: &[crate::fixture::Skill]) -> Prompt {
    let policy = PromptPolicy { max_tokens: Some(max_tokens), ..PromptPolicy::default() };
    let prompt = prompt(&catalog(skills), &[], &policy);
    let catalog = prompt.ledger.entries.iter().find(|entry| entry.part == Part::Catalog);
    let tokens = catalog.expect("there is a catalog").tokens;
    assert!(tokens <= max_tokens, "{tokens} tokens are within {max_tokens}");
    assert_eq!(parse(&prompt.text).len(), prompt.shown.len(), "the count is that of the text");
    prompt
}

fn count(prompt: &Prompt, kind: ChangeKind) -> usize {
    let changes = prompt.ledger.changes.iter();
    changes.filter(|change| change.change == kind).count()
}

#[test]
fn catalog_within_the_budget_is_complete() {
    let prompt = within(4_000, &many(10, 200));
    assert_eq!((prompt.shown.len(), prompt.total), (10, 10));
    assert!(prompt.ledger.changes.is_empty());
    assert!(!prompt.text.contains('…'));
}

#[test]
fn descriptions_are_shortened_before_skills_are_left_out() {
    let prompt = within(1_500, &many(20, 500));
    assert_eq!(prompt.shown.len(), 20);
    assert_eq!(count(&prompt, ChangeKind::Shortened), 20);
    assert_eq!(count(&prompt, ChangeKind::Dropped), 0);
    let shortest = parse(&prompt.text).iter().map(|entry| entry.1.chars().count()).min();
    assert!(shortest > Some(100), "no shorter than needed: {shortest:?}");
}

#[test]
fn last_skills_are_left_out_with_a_note() {
    let prompt = within(700, &many(40, 500));
    let shown = prompt.shown.len();
    assert_eq!(prompt.shown.iter().next(), Some("skill-00000"));
    assert_eq!(count(&prompt, ChangeKind::Shortened), shown);
    assert_eq!(count(&prompt, ChangeKind::Dropped), 40 - shown);
    let (_, note) = prompt.text.split_once(block(&prompt.text)).expect("the block is in the text");
    expect![[r#"

        17 of 40 skills are shown, to save room. To find others, call `skills.search`, or `skills.list` to page through all.
    "#]].assert_eq(note);
}

#[test]
fn a_budget_too_small_for_one_skill_still_says_that_there_are_some() {
    let policy = PromptPolicy { max_tokens: Some(0), ..PromptPolicy::default() };
    let prompt = prompt(&catalog(&many(3, 10)), &[], &policy);
    assert_eq!((prompt.shown.len(), prompt.total), (0, 3));
    assert!(prompt.text.contains("0 of 3 skills are shown"), "{}", prompt.text);
    let text = crate::fixture::prompt(&catalog(&many(1, 10)), &[], &policy).text;
    assert!(text.contains("0 of 1 skill is shown"), "{text}");
}

#[test]
fn without_a_budget_everything_is_shown() {
    let policy = PromptPolicy { max_tokens: None, ..PromptPolicy::default() };
    let prompt = prompt(&catalog(&many(300, 500)), &[], &policy);
    assert_eq!(prompt.shown.len(), 300);
}

#[test]
fn ten_thousand_long_descriptions_are_cut_to_the_budget() {
    let prompt = within(4_000, &many(10_000, 1_024));
    assert!(prompt.shown.len() > 30, "{} are shown", prompt.shown.len());
    assert_eq!(count(&prompt, ChangeKind::Dropped), 10_000 - prompt.shown.len());
}

#[test]
fn shortening_cuts_no_character_in_two() {
    let skills = [skill("wide", &"漢字 ".repeat(5_000))];
    let prompt = within(500, &skills);
    let (_, description, _) = parse(&prompt.text).remove(0);
    assert!(description.ends_with("字…") || description.ends_with("漢…"), "{description}");
}
