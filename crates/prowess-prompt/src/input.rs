//! The arguments of a composition.

use std::sync::Arc;

use prowess_core::{ActiveSkill, Boundary, Catalog, DeliveryPolicy, TokenCounter};

use crate::baseline::ShownCatalog;
use crate::{CatalogBaseline, PromptPolicy};

/// The input of [`compose`](crate::compose).
#[derive(Clone, Copy)]
pub struct PromptInput<'a> {
    /// The catalog of the turn.
    pub catalog: &'a Catalog,
    /// The loaded skills whose bodies are in the instructions, the most recent last.
    pub active: &'a [Arc<ActiveSkill>],
    /// The ids of loaded skills whose changes are announced to the model.
    pub changed: &'a [String],
    /// The ids of the skills that stay first if the catalog exceeds its budget, under an overflow
    /// policy that uses them: the most relevant or most used first. Unknown ids are ignored.
    pub preferred: &'a [String],
    /// The catalog as the conversation first saw it, which the text repeats with a notice of the
    /// changes since. Ignored if it shows skills that are withheld now, or if too much has changed.
    pub baseline: Option<&'a CatalogBaseline>,
    /// The host's policy.
    pub policy: &'a PromptPolicy,
    /// The form of locations.
    pub delivery: &'a DeliveryPolicy,
    /// The secret of this conversation, for the tags around bodies.
    pub boundary: &'a Boundary,
    /// The counter of tokens: exact, or an estimate.
    pub counter: &'a dyn TokenCounter,
}

impl<'a> PromptInput<'a> {
    /// Returns the part of the input that a baseline is compared with.
    pub(crate) fn shown_catalog(&self) -> ShownCatalog<'a> {
        let Self { catalog, policy, delivery, counter, .. } = *self;
        ShownCatalog { catalog, policy, show_location: delivery.show_location, counter }
    }
}
