//! Composes prompts turn after turn, and each catalog once.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use prowess_core::{ActiveSkill, Boundary, Catalog, DeliveryPolicy, TokenCounter};

use crate::compose::{compose_catalog, likely_length, with_conversation};
use crate::{Prompt, PromptInput, PromptPolicy};

/// The number of catalogs whose text is kept. A host has a handful of audiences at a time, each
/// with its view; a text that was dropped is composed again.
const MOST_CATALOGS: usize = 16;

/// Composes prompts by one set of policies, and keeps the text of each catalog for the next turns.
///
/// The prompt equals that of [`compose`](crate::compose) for the same input. The key of a kept text
/// is the catalog itself, by its identity: each reload that changes something makes another one,
/// and each audience has its own. The policies and the counter cannot change, so they are no part
/// of the key. A kept text does not keep its catalog alive.
pub struct Composer {
    policy: PromptPolicy,
    delivery: DeliveryPolicy,
    counter: Arc<dyn TokenCounter>,
    /// The first catalog, if descriptions of tools list its skills.
    start: Option<Arc<Catalog>>,
    /// The most recently composed last.
    kept: Mutex<Vec<KeptCatalog>>,
}

/// The input that differs from turn to turn.
#[derive(Clone, Copy)]
pub struct ComposerInput<'a> {
    /// The catalog that the turn pinned.
    pub catalog: &'a Arc<Catalog>,
    /// The loaded skills whose bodies are in the instructions, the most recent last.
    pub active: &'a [Arc<ActiveSkill>],
    /// The ids of loaded skills whose changes are reported to the model.
    pub changed: &'a [String],
    /// The ids of the skills that stay first if the catalog exceeds its budget. See
    /// [`PromptInput::preferred`].
    pub preferred: &'a [String],
    /// The boundary of this session, for the tags around bodies.
    pub boundary: &'a Boundary,
}

/// The rule and the text of one catalog.
struct KeptCatalog {
    /// While this exists, no other catalog has its address.
    catalog: Weak<Catalog>,
    /// The ids that the text was cut by. Of a catalog within its budget, any.
    preferred: Vec<String>,
    prompt: Arc<Prompt>,
}

impl Composer {
    /// Creates a composer that has composed nothing.
    pub fn new(
        policy: PromptPolicy,
        delivery: DeliveryPolicy,
        counter: Arc<dyn TokenCounter>,
    ) -> Self {
        Self { policy, delivery, counter, start: None, kept: Mutex::default() }
    }

    /// Sets the first catalog, whose skills the description of a tool lists if the policy says so.
    #[must_use]
    pub fn starting_with(mut self, catalog: Arc<Catalog>) -> Self {
        self.start = self.policy.is_described_at_start().then_some(catalog);
        self
    }

    /// Returns the policy of the prompts.
    pub fn policy(&self) -> &PromptPolicy {
        &self.policy
    }

    /// Composes a prompt, as [`compose`](crate::compose) does.
    ///
    /// Turns without loaded skills share one prompt, so it is composed once and never copied.
    pub fn compose(&self, input: &ComposerInput<'_>) -> Arc<Prompt> {
        let prompt = self.catalog(input);
        if input.active.is_empty() && input.changed.is_empty() {
            return prompt;
        }
        let input = self.prompt_input(input);
        let mut text = String::with_capacity(prompt.text.len() + likely_length(&input));
        text.push_str(&prompt.text);
        Arc::new(with_conversation(prompt.with_text(text), &input))
    }

    fn prompt_input<'a>(&'a self, input: &ComposerInput<'a>) -> PromptInput<'a> {
        let ComposerInput { catalog, active, changed, preferred, boundary } = *input;
        let Self { policy, delivery, counter, .. } = self;
        let counter = counter.as_ref();
        PromptInput { catalog, active, changed, preferred, policy, delivery, boundary, counter }
    }

    /// Returns the rule and the text of a catalog, from an earlier turn if there was one.
    fn catalog(&self, input: &ComposerInput<'_>) -> Arc<Prompt> {
        let uses_preferred = self.policy.on_overflow.uses_preferred();
        let preferred = if uses_preferred { input.preferred } else { &[] };
        if let Some(kept) = self.find(input.catalog, preferred) {
            return kept;
        }
        let prompt = Arc::new(compose_catalog(&self.prompt_input(input), self.start.as_deref()));
        self.keep(input.catalog, preferred, &prompt);
        prompt
    }

    fn find(&self, catalog: &Arc<Catalog>, preferred: &[String]) -> Option<Arc<Prompt>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().rev().find(|kept| {
            let is_same = !kept.prompt.is_cut || kept.preferred == preferred;
            is_same && kept.catalog.as_ptr() == Arc::as_ptr(catalog)
        });
        found.map(|kept| Arc::clone(&kept.prompt))
    }

    /// Keeps a text, and drops those of catalogs that no longer exist.
    fn keep(&self, catalog: &Arc<Catalog>, preferred: &[String], prompt: &Arc<Prompt>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.catalog.strong_count() > 0);
        if kept.len() == MOST_CATALOGS {
            kept.remove(0);
        }
        kept.push(KeptCatalog {
            catalog: Arc::downgrade(catalog),
            preferred: preferred.to_vec(),
            prompt: Arc::clone(prompt),
        });
    }
}
