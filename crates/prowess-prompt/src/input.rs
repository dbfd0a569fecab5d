//! The arguments of a composition.

use std::sync::Arc;

use prowess_core::{ActiveSkill, Boundary, Catalog, DeliveryPolicy, TokenCounter};

use crate::PromptPolicy;

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
    /// The host's policy.
    pub policy: &'a PromptPolicy,
    /// The form of locations.
    pub delivery: &'a DeliveryPolicy,
    /// The secret of this conversation, for the tags around bodies.
    pub boundary: &'a Boundary,
    /// The counter of tokens: exact, or an estimate.
    pub counter: &'a dyn TokenCounter,
}
