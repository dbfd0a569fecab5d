//! The arguments of a composition.

use std::sync::Arc;

use prowess_core::{ActiveSkill, Boundary, Catalog, DeliveryPolicy, TokenCounter};

use crate::PromptPolicy;

/// All that a prompt is made of.
#[derive(Clone, Copy)]
pub struct PromptInput<'a> {
    /// The catalog that the turn has pinned.
    pub catalog: &'a Catalog,
    /// What the conversation has loaded, the most recent last.
    pub active: &'a [Arc<ActiveSkill>],
    /// The ids of loaded skills of whose changes the model is to be told.
    pub changed: &'a [String],
    /// What the host decides.
    pub policy: &'a PromptPolicy,
    /// Where bodies are delivered, and how locations are shown.
    pub delivery: &'a DeliveryPolicy,
    /// The secret of this conversation, for the tags around bodies.
    pub boundary: &'a Boundary,
    /// What the model's vendor counts with, or an estimate.
    pub counter: &'a dyn TokenCounter,
}
