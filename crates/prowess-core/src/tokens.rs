//! Counts of tokens.

/// Counts the tokens of a text.
///
/// # Behavior
///
/// - The same text gives the same count.
/// - The empty text has no tokens.
pub trait TokenCounter: Send + Sync {
    /// Returns the number of tokens in `text`.
    fn count(&self, text: &str) -> usize;

    /// Returns the number of tokens in `text`, whose number of characters is known. By default, the
    /// same as `count`; an estimate from the length overrides it, so that it reads no text twice.
    fn count_characters(&self, text: &str, characters: usize) -> usize {
        let _ = characters;
        self.count(text)
    }

    /// Returns whether `count` is exact for a vocabulary, not an estimate.
    fn is_exact(&self) -> bool;
}

/// Estimates one token for each four characters, rounded up. Mark such counts as approximate.
///
/// Difference from the count by the vocabulary of GPT-4o, on 1,182 real skills:
///
/// | text | lowest | p5 | median | p95 | highest | all together |
/// |---|--:|--:|--:|--:|--:|--:|
/// | `SKILL.md` | -23 % | -6 % | +8 % | +25 % | +39 % | +7 % |
/// | description | -19 % | +6 % | +31 % | +65 % | +150 % | +26 % |
/// | body | -25 % | -8 % | +8 % | +24 % | +39 % | +6 % |
///
/// Plain English has fewer tokens than the estimate; code and tables may have more, and other
/// scripts than Latin several times as many. `cargo xtask tokens DIR` measures it on the skills of
/// a folder; `prowess-prompt` has an exact counter behind its feature `exact-tokens`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EstimatedTokens;

impl TokenCounter for EstimatedTokens {
    fn count(&self, text: &str) -> usize {
        self.count_characters(text, character_count(text))
    }

    fn count_characters(&self, _text: &str, characters: usize) -> usize {
        characters.div_ceil(4)
    }

    fn is_exact(&self) -> bool {
        false
    }
}

/// Counts the characters of a text. The check for ASCII, which most texts are, is vectorized.
pub fn character_count(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}
