//! Blanks, line ends and comments between tokens.

use super::reader::is_end;
use super::{Kind, Mark, Scanner};

impl Scanner<'_> {
    /// Goes to the next token, or past a comment or empty lines, whose places it gives.
    pub(super) fn skip_to_token(&mut self) -> Option<(Mark, Mark)> {
        if self.reader.mark().index == 0 && self.reader.peek() == '\u{feff}' {
            self.reader.forward(1);
        }
        loop {
            let blanks = self.reader.count(|character| character == ' ');
            self.reader.forward(blanks);
            if self.reader.peek() == '#' {
                return Some(self.comment());
            }
            self.reader.take_line_break()?;
            self.allow_key_in_block();
            if self.reader.peek() == '\n' {
                return Some(self.empty_lines());
            }
        }
    }

    /// A comment with the empty lines behind it.
    fn comment(&mut self) -> (Mark, Mark) {
        let start = self.reader.mark();
        let length = self.reader.count(|character| !is_end(character));
        self.reader.forward(length);
        while self.reader.take_line_break().is_some() {}
        self.allow_key_in_block();
        (start, self.reader.mark())
    }

    fn empty_lines(&mut self) -> (Mark, Mark) {
        let start = self.reader.mark();
        loop {
            let is_line_end = self.reader.take_line_break().is_some();
            if !is_line_end && !matches!(self.reader.peek(), ' ' | '\t') {
                return (start, self.reader.mark());
            }
            if !is_line_end {
                self.reader.forward(1);
            }
        }
    }

    fn allow_key_in_block(&mut self) {
        if self.flow.is_empty() {
            self.may_begin_key = true;
        }
    }

    pub(super) fn push_comment(&mut self, start: Mark) {
        self.push(Kind::Comment, start);
    }
}
