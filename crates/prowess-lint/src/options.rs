//! The options of a check.

use std::num::NonZeroUsize;

use prowess_core::{EstimatedTokens, TokenCounter};
use prowess_format::Profile;

/// How a tree is checked.
#[derive(Clone, Copy)]
pub struct LintOptions<'a> {
    /// How much each finding matters. By default [`Profile::Spec`].
    pub profile: Profile,
    /// Counts tokens. By default [`EstimatedTokens`].
    pub tokens: &'a dyn TokenCounter,
    /// How many threads read and check packages. By default one.
    pub threads: NonZeroUsize,
}

impl Default for LintOptions<'_> {
    fn default() -> Self {
        Self { profile: Profile::Spec, tokens: &EstimatedTokens, threads: NonZeroUsize::MIN }
    }
}
