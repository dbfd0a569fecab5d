//! Calls of a conversation repeat the catalog that the first one saw.

use std::sync::Arc;

use expect_test::expect_file;
use prowess_core::{Boundary, Catalog, DeliveryPolicy, EstimatedTokens};
use prowess_prompt::{
    CatalogBaseline, CatalogEvery, CatalogFormat, CatalogPlace, Composer, ComposerInput, Overflow,
    Prompt, PromptInput, PromptPolicy, common_prefix, compose,
};

use crate::fixture::{
    SECRET, Skill, active, catalog, composer_input, hidden_beside, many, parse, skill,
};

/// A conversation with one composer.
struct Conversation {
    composer: Composer,
    policy: PromptPolicy,
    baseline: Option<Arc<CatalogBaseline>>,
}

impl Conversation {
    fn new(policy: PromptPolicy) -> Self {
        let delivery = DeliveryPolicy::default();
        let composer = Composer::new(policy.clone(), delivery, Arc::new(EstimatedTokens));
        Self { composer, policy, baseline: None }
    }

    /// Composes the prompt of the next call, and checks it against the plain function.
    fn call(&mut self, catalog: &Arc<Catalog>) -> Arc<Prompt> {
        let boundary = Boundary::new(SECRET);
        let input = ComposerInput {
            active: &[active("pdf", "Fill the form.")],
            baseline: self.baseline.as_ref(),
            ..composer_input(catalog, &boundary)
        };
        let next = self.composer.baseline(&input);
        let prompt = self.composer.compose(&ComposerInput { baseline: next.as_ref(), ..input });
        let plain = compose(&PromptInput {
            catalog,
            active: input.active,
            changed: &[],
            preferred: &[],
            baseline: next.as_deref(),
            policy: &self.policy,
            delivery: &DeliveryPolicy::default(),
            boundary: input.boundary,
            counter: &EstimatedTokens,
        });
        assert_eq!(*prompt, plain, "a composer keeps what the function composes");
        self.baseline = next;
        prompt
    }
}

fn of(skills: &[Skill]) -> Arc<Catalog> {
    Arc::new(catalog(skills))
}

/// The part of a prompt before the loaded bodies.
fn head(prompt: &Prompt) -> &str {
    prompt.text.split("<active_skills>").next().expect("a text has a start")
}

fn notice(prompt: &Prompt) -> &str {
    prompt.text.split("</active_skills>\n").nth(1).expect("bodies are loaded")
}

#[test]
fn changes_are_a_notice_after_the_bodies() {
    let mut conversation = Conversation::new(PromptPolicy::default());
    let skills = [("a", "Old."), ("b", "B."), ("c", "C."), ("e", "E.")];
    let first = conversation.call(&of(&skills.map(|(id, description)| skill(id, description))));
    assert!(first.notice.is_none() && notice(&first).is_empty());
    let later = of(&[skill("a", "New & <b>."), skill("c", "C."), skill("d", "D.")]);
    let second = conversation.call(&later);
    assert_eq!(head(&second), head(&first), "the text is repeated");
    expect_file!["../data/stability.txt"].assert_eq(notice(&second));
    let report = second.notice.as_ref().expect("there is a notice");
    assert_eq!((&report.added, &report.changed), (&ids(&["d"]), &ids(&["a"])));
    assert_eq!(report.removed, ids(&["b", "e"]));
    assert_eq!(second.ledger.characters, second.text.chars().count(), "each part is counted");
    let prefix = common_prefix(&first.text, &second.text, &EstimatedTokens);
    assert_eq!(prefix.bytes, first.text.len(), "everything before the notice is kept");
}

fn ids(ids: &[&str]) -> prowess_prompt::SkillIds {
    ids.iter().copied().collect()
}

#[test]
fn undone_change_needs_no_notice() {
    let mut conversation = Conversation::new(PromptPolicy::default());
    let first = conversation.call(&of(&[skill("a", "A.")]));
    assert!(conversation.call(&of(&[skill("a", "B.")])).notice.is_some());
    assert_eq!(conversation.call(&of(&[skill("a", "A.")])), first);
}

#[test]
fn policy_says_how_often_the_catalog_is_written() {
    let second = |catalog_every| {
        let policy = PromptPolicy { catalog_every, ..PromptPolicy::default() };
        let mut conversation = Conversation::new(policy);
        let first = conversation.call(&of(&[skill("a", "Old.")]));
        (first, conversation.call(&of(&[skill("a", "New."), skill("b", "B.")])))
    };
    let (_, again) = second(CatalogEvery::Call);
    assert_eq!(parse(&again.text)[0].1, "New.");
    assert!(again.notice.is_none());
    let (first, again) = second(CatalogEvery::Session);
    assert_eq!(again.text, first.text, "no change is reported");
}

#[test]
fn withheld_skill_leaves_the_text() {
    for catalog_every in [CatalogEvery::Session, CatalogEvery::Change] {
        let policy = PromptPolicy { catalog_every, ..PromptPolicy::default() };
        let mut conversation = Conversation::new(policy);
        conversation.call(&of(&[skill("a", "A."), skill("secret", "Hidden soon.")]));
        let hidden = hidden_beside(&[skill("a", "A.")], &[skill("secret", "Hidden soon.")]);
        let second = conversation.call(&Arc::new(hidden));
        assert!(!second.text.contains("secret"), "{}", second.text);
        let replaced = [skill("a", "A."), skill("secret", "Of another layer.")];
        let mut conversation = Conversation::new(conversation.policy);
        conversation.call(&of(&[skill("a", "A."), skill("secret", "Hidden soon.")]));
        let both = hidden_beside(&replaced, &[skill("secret", "Hidden soon.")]);
        let second = conversation.call(&Arc::new(both));
        assert!(!second.text.contains("Hidden soon"), "{}", second.text);
    }
}

#[test]
fn large_change_writes_the_catalog_again() {
    let mut conversation = Conversation::new(PromptPolicy::default());
    conversation.call(&of(&many(10, 100)));
    let second = conversation.call(&of(&many(30, 100)));
    assert!(second.notice.is_none(), "{}", second.text);
    assert_eq!(second.shown.len(), 30);
    let third = conversation.call(&of(&many(31, 100)));
    assert!(third.notice.is_some(), "the new text is the one that is repeated");
    assert_eq!(head(&third), head(&second));
}

#[test]
fn first_and_last_skills_are_written_at_once() {
    let mut conversation = Conversation::new(PromptPolicy::default());
    assert!(!conversation.call(&of(&[])).text.contains("available_skills"));
    assert_eq!(conversation.call(&of(&[skill("a", "A.")])).shown.len(), 1);
    assert!(!conversation.call(&of(&[])).text.contains("available_skills"));
}

#[test]
fn skills_without_room_change_in_silence() {
    let policy = PromptPolicy { max_tokens: Some(600), ..PromptPolicy::default() };
    let mut conversation = Conversation::new(policy);
    let mut skills = many(100, 300);
    let first = conversation.call(&of(&skills));
    skills[90].description = "Other words.".to_owned();
    skills.remove(80);
    assert_eq!(conversation.call(&of(&skills)).text, first.text, "the text shows neither");
    skills.push(skill("skill-new", &"word ".repeat(60)));
    let third = conversation.call(&of(&skills));
    let notice = third.notice.as_ref().expect("a new skill is news");
    assert_eq!(notice.added, ids(&["skill-new"]));
    assert!(third.text.contains('…'), "its description is as short as the others");
}

#[test]
fn catalog_cut_by_relevance_is_written_in_each_call() {
    let on_overflow = Overflow::Relevance;
    let policy = PromptPolicy { on_overflow, max_tokens: Some(600), ..PromptPolicy::default() };
    let mut conversation = Conversation::new(policy);
    conversation.call(&of(&many(100, 300)));
    assert!(conversation.baseline.is_none());
    conversation.call(&of(&many(3, 30)));
    assert!(conversation.baseline.is_some(), "a whole catalog is stable");
}

#[test]
fn baseline_keeps_no_catalog() {
    let mut conversation = Conversation::new(PromptPolicy::default());
    let catalog = of(&many(3, 100));
    conversation.call(&catalog);
    assert!(conversation.baseline.is_some());
    assert_eq!(Arc::strong_count(&catalog), 1);
}

#[test]
fn common_prefix_ends_at_a_character() {
    let prefix = |before, after| common_prefix(before, after, &EstimatedTokens);
    assert_eq!(prefix("aé", "aè").bytes, 1, "the letters share a byte");
    assert_eq!(prefix("", "abc").bytes, 0);
    let whole = prefix("abcdefgh", "abcdefgh");
    assert_eq!((whole.bytes, whole.tokens, whole.of_tokens), (8, 2, 2));
    assert_eq!(prefix("abcd", "abcdefgh").tokens, 1);
}

#[test]
fn last_entry_is_compared_in_each_format_and_place() {
    for place in [CatalogPlace::SystemPrompt, CatalogPlace::ContextBlock] {
        for format in CatalogFormat::ALL {
            let policy = PromptPolicy {
                catalog_place: place,
                catalog_format: format,
                ..PromptPolicy::default()
            };
            let mut conversation = Conversation::new(policy);
            conversation.call(&of(&[skill("a", "A."), skill("b", "B.")]));
            let equal = conversation.call(&of(&[skill("a", "A."), skill("b", "B.")]));
            assert_eq!(equal.notice, None, "{format:?} in {place:?}");
            let appended =
                conversation.call(&of(&[skill("a", "A."), skill("b", "B."), skill("c", "C.")]));
            let notice = appended.notice.as_ref().expect("a skill was added");
            assert_eq!((&notice.added, notice.changed.len()), (&ids(&["c"]), 0), "{format:?}");
            let edited = conversation.call(&of(&[skill("a", "A."), skill("b", "Other.")]));
            let notice = edited.notice.as_ref().expect("a skill was edited");
            assert_eq!(notice.changed, ids(&["b"]), "{format:?} in {place:?}");
        }
    }
}
