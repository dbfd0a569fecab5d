//! The tiers of keys.

use serde::Serialize;

/// The tier of a key: whether people set it, or presets and operators with special needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConfigTier {
    /// A key that people set.
    Common,
    /// A key of presets and of operators with special needs.
    Advanced,
}

impl ConfigTier {
    /// Returns `common` or `advanced`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Common => "common",
            Self::Advanced => "advanced",
        }
    }
}
