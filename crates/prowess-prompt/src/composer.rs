//! Composes prompts turn after turn, and each catalog once.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use prowess_core::{ActiveSkill, Boundary, Catalog, DeliveryPolicy, TokenCounter};

use crate::baseline::Standing;
use crate::compose::{compose_catalog, likely_length, with_conversation};
use crate::{
    CatalogBaseline, CatalogEvery, CatalogNotice, CatalogPlace, Overflow, Prompt, PromptInput,
    PromptPolicy,
};

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
    /// The catalog as the conversation first saw it. See [`PromptInput::baseline`].
    pub baseline: Option<&'a Arc<CatalogBaseline>>,
    /// The boundary of this session, for the tags around bodies.
    pub boundary: &'a Boundary,
}

/// The rule and the text of one catalog.
struct KeptCatalog {
    /// While this exists, no other catalog has its address.
    catalog: Weak<Catalog>,
    /// The ids that the text was cut by. Of a catalog within its budget, any.
    preferred: Vec<String>,
    baseline: Arc<CatalogBaseline>,
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
        let (baseline, notice) = self.catalog(input);
        let prompt = baseline.prompt();
        if input.active.is_empty() && input.changed.is_empty() && notice.is_none() {
            return Arc::clone(prompt);
        }
        let input = self.prompt_input(input);
        let notice_length = notice.as_ref().map_or(0, |notice| notice.text.len());
        let length = prompt.text.len() + likely_length(&input) + notice_length;
        let mut text = String::with_capacity(length);
        text.push_str(&prompt.text);
        Arc::new(with_conversation(prompt.with_text(text), notice, &input))
    }

    /// Returns the baseline that the next calls of a conversation repeat: the one in `input`, as
    /// long as it may be repeated, otherwise that of the catalog. `None` if the policy says that
    /// the catalog is written in each call.
    ///
    /// A catalog that is cut by its relevance for the last message is written in each call, too,
    /// and so is one in the description of a tool, which has a policy of its own.
    pub fn baseline(&self, input: &ComposerInput<'_>) -> Option<Arc<CatalogBaseline>> {
        let place = self.policy.catalog_place;
        let is_repeated = matches!(place, CatalogPlace::SystemPrompt | CatalogPlace::ContextBlock);
        if !is_repeated || self.policy.catalog_every == CatalogEvery::Call {
            return None;
        }
        let (baseline, _) = self.catalog(input);
        let is_for_message = self.policy.on_overflow == Overflow::Relevance;
        (!is_for_message || !baseline.prompt().is_cut).then_some(baseline)
    }

    fn prompt_input<'a>(&'a self, input: &ComposerInput<'a>) -> PromptInput<'a> {
        let ComposerInput { catalog, active, changed, preferred, baseline, boundary } = *input;
        let Self { policy, delivery, counter, .. } = self;
        PromptInput {
            catalog,
            active,
            changed,
            preferred,
            baseline: baseline.map(AsRef::as_ref),
            policy,
            delivery,
            boundary,
            counter: counter.as_ref(),
        }
    }

    /// Returns the rule and the text of a catalog, from an earlier turn if there was one, and the
    /// notice of the changes since.
    fn catalog(
        &self,
        input: &ComposerInput<'_>,
    ) -> (Arc<CatalogBaseline>, Option<Arc<CatalogNotice>>) {
        if let Some(baseline) = input.baseline {
            match baseline.standing(&self.prompt_input(input).shown_catalog()) {
                Standing::Unchanged => return (Arc::clone(baseline), None),
                Standing::Changed(notice) => return (Arc::clone(baseline), Some(notice)),
                Standing::Outdated => {}
            }
        }
        let uses_preferred = self.policy.on_overflow.uses_preferred();
        let preferred = if uses_preferred { input.preferred } else { &[] };
        let found = self.find(input.catalog, preferred);
        (found.unwrap_or_else(|| self.compose_catalog(input, preferred)), None)
    }

    fn find(&self, catalog: &Arc<Catalog>, preferred: &[String]) -> Option<Arc<CatalogBaseline>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().rev().find(|kept| {
            let is_same = !kept.baseline.prompt().is_cut || kept.preferred == preferred;
            is_same && kept.catalog.as_ptr() == Arc::as_ptr(catalog)
        });
        found.map(|kept| Arc::clone(&kept.baseline))
    }

    /// Composes and keeps a text, and drops those of catalogs that no longer exist.
    fn compose_catalog(
        &self,
        input: &ComposerInput<'_>,
        preferred: &[String],
    ) -> Arc<CatalogBaseline> {
        let prompt = Arc::new(compose_catalog(&self.prompt_input(input), self.start.as_deref()));
        let baseline = Arc::new(CatalogBaseline::new(prompt, input.catalog));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.catalog.strong_count() > 0);
        if kept.len() == MOST_CATALOGS {
            kept.remove(0);
        }
        kept.push(KeptCatalog {
            catalog: Arc::downgrade(input.catalog),
            preferred: preferred.to_vec(),
            baseline: Arc::clone(&baseline),
        });
        baseline
    }
}
