//! The YAML library's input, with a step for each look at it.

use granit_parser::{BorrowedInput, Input, StrInput};

use super::count;

/// Leaves the library's bulk methods out, so that each character is a step.
pub(crate) struct Counted<'t>(pub(crate) StrInput<'t>);

impl Input for Counted<'_> {
    fn lookahead(&mut self, characters: usize) {
        count(1);
        self.0.lookahead(characters);
    }

    fn buflen(&self) -> usize {
        self.0.buflen()
    }

    fn bufmaxlen(&self) -> usize {
        self.0.bufmaxlen()
    }

    fn raw_read_ch(&mut self) -> char {
        count(1);
        self.0.raw_read_ch()
    }

    fn raw_read_non_breakz_ch(&mut self) -> Option<char> {
        count(1);
        self.0.raw_read_non_breakz_ch()
    }

    fn skip(&mut self) {
        count(1);
        self.0.skip();
    }

    fn skip_n(&mut self, characters: usize) {
        count(characters);
        self.0.skip_n(characters);
    }

    fn peek(&self) -> char {
        count(1);
        self.0.peek()
    }

    fn peek_nth(&self, number: usize) -> char {
        count(1);
        self.0.peek_nth(number)
    }

    fn byte_offset(&self) -> Option<usize> {
        self.0.byte_offset()
    }

    fn slice_bytes(&self, start: usize, end: usize) -> Option<&str> {
        count(end - start);
        self.0.slice_bytes(start, end)
    }
}

impl<'t> BorrowedInput<'t> for Counted<'t> {
    fn slice_borrowed(&self, start: usize, end: usize) -> Option<&'t str> {
        count(end - start);
        self.0.slice_borrowed(start, end)
    }
}
