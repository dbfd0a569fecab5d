//! Characters with places.

use super::Mark;

/// Goes through a text that ends with U+0000.
pub(super) struct Reader<'t> {
    text: &'t [char],
    mark: Mark,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t [char]) -> Self {
        Self { text, mark: Mark::default() }
    }

    pub(super) fn mark(&self) -> Mark {
        self.mark
    }

    /// The character here; U+0000 at the end and behind it.
    pub(super) fn peek(&self) -> char {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, offset: usize) -> char {
        self.text.get(self.mark.index + offset).copied().unwrap_or('\0')
    }

    pub(super) fn starts_with(&self, prefix: &str) -> bool {
        prefix.chars().enumerate().all(|(offset, character)| self.peek_at(offset) == character)
    }

    /// How many characters from here on `is_part`.
    pub(super) fn count(&self, is_part: impl Fn(char) -> bool) -> usize {
        let rest = &self.text[self.mark.index.min(self.text.len())..];
        rest.iter().take_while(|character| is_part(**character)).count()
    }

    pub(super) fn forward(&mut self, count: usize) {
        for _ in 0..count {
            let character = self.peek();
            let is_line_end = match character {
                '\n' => true,
                '\r' => self.peek_at(1) != '\n',
                _ => false,
            };
            self.mark.index += 1;
            if is_line_end {
                self.mark.line += 1;
                self.mark.column = 0;
            } else if character != '\u{feff}' {
                self.mark.column += 1;
            }
        }
    }

    /// Goes past this many characters and gives them.
    pub(super) fn take(&mut self, count: usize) -> String {
        let end = (self.mark.index + count).min(self.text.len());
        let taken = self.text[self.mark.index.min(end)..end].iter().collect();
        self.forward(count);
        taken
    }

    /// Goes past a line end and gives it as LF, the two of Unicode as they are.
    pub(super) fn take_line_break(&mut self) -> Option<char> {
        match self.peek() {
            '\r' if self.peek_at(1) == '\n' => {
                self.forward(2);
                Some('\n')
            }
            '\r' | '\n' | '\u{85}' => {
                self.forward(1);
                Some('\n')
            }
            unicode @ ('\u{2028}' | '\u{2029}') => {
                self.forward(1);
                Some(unicode)
            }
            _ => None,
        }
    }

    /// Whether a document marker begins here: three characters, then a blank or an end.
    pub(super) fn is_document_marker(&self, marker: &str) -> bool {
        self.starts_with(marker) && is_blank_or_end(self.peek_at(3))
    }
}

pub(super) fn is_line_break(character: char) -> bool {
    matches!(character, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// A line's end or the text's.
pub(super) fn is_end(character: char) -> bool {
    character == '\0' || is_line_break(character)
}

pub(super) fn is_blank_or_end(character: char) -> bool {
    matches!(character, ' ' | '\t') || is_end(character)
}
