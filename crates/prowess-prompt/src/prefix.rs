//! The part of a prompt that a prompt cache keeps from one call to the next.

use prowess_core::TokenCounter;
use serde::Serialize;

/// The common prefix of the texts of two calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CommonPrefix {
    /// The length of the prefix in bytes, up to a whole character.
    pub bytes: usize,
    /// The tokens of the prefix.
    pub tokens: usize,
    /// The length of the later text in bytes.
    pub of_bytes: usize,
    /// The tokens of the later text.
    pub of_tokens: usize,
}

/// Returns the common prefix of two texts. A provider's prompt cache keeps at most this much of
/// `after`; most keep whole blocks of it.
///
/// ```
/// use prowess_core::EstimatedTokens;
/// use prowess_prompt::common_prefix;
///
/// let prefix = common_prefix("the rule, one", "the rule, two", &EstimatedTokens);
/// assert_eq!((prefix.bytes, prefix.of_bytes), (10, 13));
/// ```
pub fn common_prefix(before: &str, after: &str, counter: &dyn TokenCounter) -> CommonPrefix {
    let differs = before.bytes().zip(after.bytes()).position(|(before, after)| before != after);
    let bytes = after.floor_char_boundary(differs.unwrap_or(before.len().min(after.len())));
    CommonPrefix {
        bytes,
        tokens: counter.count(&after[..bytes]),
        of_bytes: after.len(),
        of_tokens: counter.count(after),
    }
}
