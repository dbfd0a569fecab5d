//! What a text costs a model.

/// Counts the tokens of a text.
///
/// # Behavior
///
/// - The same text gives the same count.
/// - The empty text costs nothing.
pub trait TokenCounter: Send + Sync {
    /// The number of tokens in `text`.
    fn count(&self, text: &str) -> usize;

    /// Whether `count` is a vocabulary's own answer, not an estimate.
    fn is_exact(&self) -> bool;
}

/// One token for each four characters, rounded up. An estimate that code, tables and other scripts
/// than Latin throw off, so show it as "approx.".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EstimatedTokens;

impl TokenCounter for EstimatedTokens {
    fn count(&self, text: &str) -> usize {
        text.chars().count().div_ceil(4)
    }

    fn is_exact(&self) -> bool {
        false
    }
}
