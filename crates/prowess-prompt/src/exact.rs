//! Counting with a model's own vocabulary.

use bpe_openai::Tokenizer;
use prowess_core::TokenCounter;

/// A published vocabulary of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Vocabulary {
    /// Of GPT-4o and the models since. This is the default.
    #[default]
    O200kBase,
    /// Of GPT-4 and GPT-3.5.
    Cl100kBase,
}

/// Counts what a text costs a model of that vocabulary, special tokens and message frames left out.
///
/// Not every vendor publishes a vocabulary; for a model of those, this is one more estimate. The time
/// grows with the length of the text, whatever stands in it. The first count of a vocabulary unpacks
/// it, which takes some milliseconds and then some 10 MB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExactTokens {
    /// By whose words it counts.
    pub vocabulary: Vocabulary,
}

impl ExactTokens {
    fn tokenizer(self) -> &'static Tokenizer {
        match self.vocabulary {
            Vocabulary::O200kBase => bpe_openai::o200k_base(),
            Vocabulary::Cl100kBase => bpe_openai::cl100k_base(),
        }
    }
}

impl TokenCounter for ExactTokens {
    fn count(&self, text: &str) -> usize {
        self.tokenizer().count(text)
    }

    fn is_exact(&self) -> bool {
        true
    }
}
