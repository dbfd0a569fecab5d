//! Tests of exact token counts.

use prowess_core::{EstimatedTokens, TokenCounter};
use prowess_prompt::{ExactTokens, PromptInput, PromptPolicy, Vocabulary, compose};

use crate::fixture::{catalog, skill};

fn check(text: &str, o200k: usize, cl100k: usize) {
    for (vocabulary, tokens) in [(Vocabulary::O200kBase, o200k), (Vocabulary::Cl100kBase, cl100k)] {
        let counter = ExactTokens { vocabulary };
        assert_eq!(counter.count(text), tokens, "{vocabulary:?} of {text:?}");
        assert!(counter.is_exact());
    }
}

#[test]
fn counts_match_the_vocabularies() {
    check("", 0, 0);
    // Counts that the vocabularies' maker published.
    check("antidisestablishmentarianism", 6, 6);
    check("2 + 2 = 4", 7, 7);
    check("お誕生日おめでとう", 8, 9);
    // The text of a special token is counted as ordinary text.
    check("<|endoftext|>", 7, 7);
}

#[test]
fn long_words_take_linear_time() {
    let count = |length: usize| ExactTokens::default().count(&"a".repeat(length));
    assert_eq!(
        count(1 << 20),
        2 * count(1 << 19),
        "eight letters are one token however many follow"
    );
}

#[test]
fn exact_count_is_marked() {
    let skills = [skill("pdf", "Fills in and merges PDF forms.")];
    let ledger_of = |counter: &dyn TokenCounter| {
        let (catalog, policy) = (catalog(&skills), PromptPolicy::default());
        compose(&PromptInput {
            catalog: &catalog,
            active: &[],
            changed: &[],
            preferred: &[],
            baseline: None,
            policy: &policy,
            delivery: &prowess_core::DeliveryPolicy::default(),
            boundary: &prowess_core::Boundary::default(),
            counter,
        })
        .ledger
    };
    let (exact, estimated) = (ledger_of(&ExactTokens::default()), ledger_of(&EstimatedTokens));
    assert!(exact.is_exact && !estimated.is_exact);
    assert_eq!(exact.characters, estimated.characters, "the text is the same");
    assert_ne!(exact.tokens, estimated.tokens, "the counts are not");
}
