//! The policy for catalogs that exceed their budget.

use serde::{Deserialize, Serialize};

/// What happens to a catalog that exceeds its budget.
///
/// Except under [`Overflow::NamesOnly`], descriptions are shortened first, all to the same number
/// of characters and none below [`PromptPolicy::min_description`](crate::PromptPolicy). If that is
/// not enough, the value decides which skills stay. The text lists skills by id under each value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Overflow {
    /// The first ones by id stay. The text is the same in each call until the catalog changes. The
    /// default.
    #[default]
    Shorten,
    /// Every description is left out. If the names alone are too many, the first ones by id stay.
    NamesOnly,
    /// Those that a ranker prefers for the user's last message stay. The text may differ from call
    /// to call.
    Relevance,
    /// The most used ones stay, by counts of the host.
    Usage,
    /// Those of the highest layers stay.
    Layer,
}

impl Overflow {
    /// Returns whether the preferred ids of the input decide which skills stay.
    pub fn uses_preferred(self) -> bool {
        matches!(self, Self::Relevance | Self::Usage)
    }
}
