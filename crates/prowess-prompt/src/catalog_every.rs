//! How often the text of the catalog is written again.

use serde::{Deserialize, Serialize};

/// How often the text of the catalog is written again in a conversation. A provider's prompt cache
/// keeps the part of a prompt that equals the one before, up to the first difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CatalogEvery {
    /// In each call, so the text is always that of the newest catalog, and a change of one skill
    /// loses the cached rest of the prompt.
    Call,
    /// Once in a conversation. Changes are not reported to the model.
    Session,
    /// Once in a conversation, and a notice at the end of the text lists what has changed since.
    /// After large changes the catalog is written again. The default.
    #[default]
    Change,
}
