//! Plain scalars.

use super::reader::{is_blank_or_end, is_line_break};
use super::{Failure, Scanner, column};

impl Scanner<'_> {
    pub(super) fn plain(&mut self) -> Result<(), Failure> {
        self.save_possible_key()?;
        self.may_begin_key = false;
        let start = self.reader.mark();
        let indent = self.indent + 1;
        let mut end = start;
        let mut text = String::new();
        let mut blanks = String::new();
        while self.reader.peek() != '#' {
            let length = self.plain_length();
            if length == 0 {
                break;
            }
            self.may_begin_key = false;
            text.push_str(&blanks);
            text.push_str(&self.reader.take(length));
            end = self.reader.mark();
            blanks = self.plain_blanks();
            let is_outdented = self.flow.is_empty() && column(self.reader.mark()) < indent;
            if blanks.is_empty() || is_outdented {
                break;
            }
        }
        self.push_scalar(text, true, (start, end));
        Ok(())
    }

    /// How many characters belong to the scalar before a blank or an indicator.
    fn plain_length(&self) -> usize {
        let is_flow = !self.flow.is_empty();
        let mut length = 0;
        loop {
            let character = self.reader.peek_at(length);
            let ends = match character {
                ':' => is_blank_or_end(self.reader.peek_at(length + 1)),
                ',' | '[' | ']' | '{' | '}' => is_flow,
                _ => is_blank_or_end(character),
            };
            if ends {
                return length;
            }
            length += 1;
        }
    }

    /// Blanks and line ends inside or behind the scalar, folded; none where it ends for certain.
    fn plain_blanks(&mut self) -> String {
        let count = self.reader.count(|character| character == ' ');
        let blanks = self.reader.take(count);
        let Some(line_break) = self.reader.take_line_break() else {
            return blanks;
        };
        self.may_begin_key = true;
        if self.is_at_document_marker() {
            return String::new();
        }
        let mut breaks = String::new();
        loop {
            match self.reader.peek() {
                ' ' => self.reader.forward(1),
                next if is_line_break(next) => {
                    breaks.extend(self.reader.take_line_break());
                    if self.is_at_document_marker() {
                        return String::new();
                    }
                }
                _ => return fold(line_break, &breaks),
            }
        }
    }

    fn is_at_document_marker(&self) -> bool {
        self.reader.is_document_marker("---") || self.reader.is_document_marker("...")
    }
}

/// One line end is a blank; each further one stays.
pub(super) fn fold(line_break: char, breaks: &str) -> String {
    match line_break {
        '\n' if breaks.is_empty() => " ".to_owned(),
        '\n' => breaks.to_owned(),
        _ => format!("{line_break}{breaks}"),
    }
}
