//! A text as words: lower case, without accents, in one Unicode form.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

/// Where a longer word is cut. No word of a language is longer; encoded data is.
const MOST_WORD_BYTES: usize = 64;

/// The kind of each byte: a small letter or a digit, a capital, or no part of a word.
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        if byte.is_ascii_alphanumeric() {
            kinds[byte as usize] = if byte.is_ascii_uppercase() { UPPER } else { 1 };
        }
        byte += 1;
    }
    kinds
};
const UPPER: u8 = 2;

/// Splits texts into words. One for many texts, so that its buffer is allocated once.
#[derive(Default)]
pub(crate) struct Words {
    word: String,
    ideographs: Run,
}

/// The state within a run of characters that are written without spaces.
#[derive(Clone, Copy, Default)]
enum Run {
    #[default]
    None,
    First(char),
    Later(char),
}

impl Words {
    /// Calls `found` with each word of a text.
    pub(crate) fn each(&mut self, text: &str, found: impl FnMut(&str)) {
        if text.is_ascii() {
            return self.split_ascii(text, found);
        }
        let without_accents = text.nfkd().filter(|c| !('\u{300}'..='\u{36f}').contains(c));
        self.split(without_accents.nfc(), found);
    }

    /// Does what [`Self::split`] does, by bytes: most texts are of this kind.
    fn split_ascii(&mut self, text: &str, mut found: impl FnMut(&str)) {
        let bytes = text.as_bytes();
        let mut start = 0;
        while start < bytes.len() {
            let mut end = start;
            let mut kinds = 0;
            while let Some(kind) = bytes.get(end).map(|byte| KINDS[usize::from(*byte)])
                && kind != 0
            {
                kinds |= kind;
                end += 1;
            }
            let word = &text[start..end.min(start + MOST_WORD_BYTES)];
            if kinds & UPPER != 0 {
                self.word.push_str(word);
                self.word.make_ascii_lowercase();
                self.end_word(&mut found);
            } else if kinds != 0 {
                found(word);
            }
            start = end + 1;
        }
    }

    fn split(&mut self, characters: impl Iterator<Item = char>, mut found: impl FnMut(&str)) {
        for c in characters {
            if is_ideograph(c) {
                self.end_word(&mut found);
                self.ideograph(c, &mut found);
                continue;
            }
            self.end_run(&mut found);
            if !c.is_alphanumeric() {
                self.end_word(&mut found);
            } else if self.word.len() < MOST_WORD_BYTES {
                self.word.extend(c.to_lowercase());
            }
        }
        self.end_word(&mut found);
        self.end_run(&mut found);
    }

    /// Two neighbours make a word, because word boundaries are unknown without a dictionary.
    fn ideograph(&mut self, c: char, found: &mut impl FnMut(&str)) {
        self.ideographs = match self.ideographs {
            Run::None => Run::First(c),
            Run::First(before) | Run::Later(before) => {
                self.word.extend([before, c]);
                self.end_word(found);
                Run::Later(c)
            }
        };
    }

    fn end_run(&mut self, found: &mut impl FnMut(&str)) {
        if let Run::First(alone) = std::mem::take(&mut self.ideographs) {
            // A word may have begun in the same step, so this one has a buffer of its own.
            found(alone.encode_utf8(&mut [0; 4]));
        }
    }

    fn end_word(&mut self, found: &mut impl FnMut(&str)) {
        if !self.word.is_empty() {
            found(&self.word);
            self.word.clear();
        }
    }
}

/// Whether a character belongs to a script that has no spaces between words.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Takes the endings off English words.
pub(crate) struct Stems(Stemmer);

impl Default for Stems {
    fn default() -> Self {
        Self(Stemmer::create(Algorithm::English))
    }
}

impl Stems {
    /// The term that a word counts as. Numbers and words of other scripts stay as they are.
    pub(crate) fn term<'w>(&self, word: &'w str) -> std::borrow::Cow<'w, str> {
        if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            self.0.stem(word)
        } else {
            word.into()
        }
    }
}
