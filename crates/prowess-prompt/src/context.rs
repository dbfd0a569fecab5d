//! Blocks of context next to the instructions of a model call.

use std::sync::Arc;

use serde::Serialize;

/// A block of context with its position among others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ContextBlock {
    /// Blocks of lower priority are in front: by the convention of the hosts that have such blocks,
    /// the context of a channel is at 0 and memory at 100.
    pub priority: u16,
    /// The text, without a final line break.
    pub text: Arc<str>,
}

/// Joins blocks of context in the order of their priorities, with a blank line between them. Blocks
/// of one priority stay in their order, and empty ones are left out.
pub fn compose_context(blocks: impl IntoIterator<Item = ContextBlock>) -> String {
    let mut blocks: Vec<_> = blocks.into_iter().filter(|block| !block.text.is_empty()).collect();
    blocks.sort_by_key(|block| block.priority);
    let texts: Vec<_> = blocks.iter().map(|block| &*block.text).collect();
    texts.join("\n\n")
}
