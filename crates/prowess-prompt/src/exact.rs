//! Counts tokens with a model's vocabulary.

use bpe_openai::Tokenizer;
use prowess_core::TokenCounter;

/// A published vocabulary of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Vocabulary {
    /// The vocabulary of GPT-4o and later models. The default.
    #[default]
    O200kBase,
    /// The vocabulary of GPT-4 and GPT-3.5.
    Cl100kBase,
}

/// Counts the tokens of a text for a model of that vocabulary, without special tokens and message
/// frames.
///
/// Not every vendor publishes a vocabulary; for other models, this is an estimate too. The time
/// grows linearly with the length of any text. The first count of a vocabulary unpacks it, which
/// takes some milliseconds and about 10 MB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExactTokens {
    /// The vocabulary.
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
