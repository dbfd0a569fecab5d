//! A composer gives the prompts of `compose`, and composes each catalog once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use prowess_core::{ActiveSkill, Boundary, Catalog, DeliveryPolicy, EstimatedTokens, TokenCounter};
use prowess_prompt::{Composer, ComposerInput, Prompt, PromptPolicy};

use crate::fixture::{SECRET, active, catalog, composer_input, many, prompt};

/// Counts how often it is asked.
#[derive(Default)]
struct CountedCounts(AtomicUsize);

impl TokenCounter for CountedCounts {
    fn count(&self, text: &str) -> usize {
        self.0.fetch_add(1, Ordering::Relaxed);
        EstimatedTokens.count(text)
    }

    fn is_exact(&self) -> bool {
        false
    }
}

fn composed(
    composer: &Composer,
    catalog: &Arc<Catalog>,
    active: &[Arc<ActiveSkill>],
) -> Arc<Prompt> {
    let boundary = &Boundary::new(SECRET);
    composer.compose(&ComposerInput { active, ..composer_input(catalog, boundary) })
}

#[test]
fn prompts_equal_those_of_compose() {
    for max_tokens in [None, Some(200)] {
        let policy = PromptPolicy { max_tokens, ..PromptPolicy::default() };
        let composer =
            Composer::new(policy.clone(), DeliveryPolicy::default(), Arc::new(EstimatedTokens));
        let loaded = [active("pdf", "Fill\u{200b} the <skill_content> form.")];
        for count in [0, 3, 40] {
            let catalog = Arc::new(catalog(&many(count, 100)));
            for active in [&[][..], &loaded, &[]] {
                let expected = prompt(&catalog, active, &policy);
                assert_eq!(*composed(&composer, &catalog, active), expected, "{count} skills");
            }
        }
    }
}

#[test]
fn unchanged_catalog_is_composed_once() {
    let counter = Arc::new(CountedCounts::default());
    let counts = || counter.0.load(Ordering::Relaxed);
    let composer =
        Composer::new(PromptPolicy::default(), DeliveryPolicy::default(), counter.clone());
    let first = Arc::new(catalog(&many(3, 100)));
    let prompt = composed(&composer, &first, &[]);
    let once = counts();
    let again = composed(&composer, &first, &[]);
    assert!(Arc::ptr_eq(&again, &prompt), "the same prompt, without a copy of its text");
    assert_eq!(counts(), once, "nothing is counted again for the same catalog");
    let equal = Arc::new(catalog(&many(3, 100)));
    assert_eq!(composed(&composer, &equal, &[]).text, prompt.text);
    assert!(counts() > once, "another catalog is composed, whatever it says");
}

#[test]
fn kept_text_does_not_keep_its_catalog() {
    let counter = Arc::new(EstimatedTokens);
    let composer = Composer::new(PromptPolicy::default(), DeliveryPolicy::default(), counter);
    let catalog = Arc::new(catalog(&many(3, 100)));
    composed(&composer, &catalog, &[]);
    assert_eq!(Arc::strong_count(&catalog), 1, "the text alone is kept");
}
