//! Block scalars.

use super::reader::{is_end, is_line_break};
use super::{Failure, Mark, Scanner, column};
use crate::reference::python::repr;

const CONTEXT: &str = "while scanning a block scalar";

/// The handling of line ends after the last line.
#[derive(Clone, Copy, PartialEq)]
enum Chomping {
    Clip,
    Strip,
    Keep,
}

impl Scanner<'_> {
    pub(super) fn block_scalar(&mut self, style: char) -> Result<(), Failure> {
        self.may_begin_key = true;
        self.remove_possible_key()?;
        let start = self.reader.mark();
        self.reader.forward(1);
        let (chomping, increment) = self.block_header(start)?;
        let least = self.indent + 1;
        let (indent, breaks, end) = match increment {
            None => {
                let (breaks, widest, end) = self.block_indentation();
                (least.max(widest), breaks, end)
            }
            Some(increment) => {
                let indent = least.max(1) + increment - 1;
                let (breaks, end) = self.block_breaks(indent);
                (indent, breaks, end)
            }
        };
        let mut content = Content { text: String::new(), breaks, end };
        let line_break = self.block_lines(style, indent, &mut content);
        if chomping != Chomping::Strip {
            content.text.extend(line_break);
        }
        if chomping == Chomping::Keep {
            content.text.push_str(&content.breaks);
        } else if !content.breaks.is_empty() {
            // Comments behind the scalar go with it.
            while self.skip_to_token().is_some() {}
        }
        self.push_scalar(content.text, false, (start, content.end));
        Ok(())
    }

    /// The content's lines; gives the end of the last.
    fn block_lines(&mut self, style: char, indent: isize, content: &mut Content) -> Option<char> {
        let mut line_break = None;
        while self.is_block_line(indent) {
            content.text.push_str(&content.breaks);
            let begins_filled = !matches!(self.reader.peek(), ' ' | '\t');
            let length = self.reader.count(|character| !is_end(character));
            content.text.push_str(&self.reader.take(length));
            line_break = self.reader.take_line_break();
            (content.breaks, content.end) = self.block_breaks(indent);
            let is_top = self.indent < 0 && self.reader.mark().column == 0;
            let is_marker = ["---", "..."].map(|marker| self.reader.is_document_marker(marker));
            if (is_top && is_marker.contains(&true)) || !self.is_block_line(indent) {
                break;
            }
            let is_folded = style == '>'
                && line_break == Some('\n')
                && begins_filled
                && !matches!(self.reader.peek(), ' ' | '\t');
            if !is_folded {
                content.text.extend(line_break);
            } else if content.breaks.is_empty() {
                content.text.push(' ');
            }
        }
        line_break
    }

    fn is_block_line(&self, indent: isize) -> bool {
        column(self.reader.mark()) == indent && self.reader.peek() != '\0'
    }

    /// The indicators behind `|` or `>`, and the rest of the line.
    fn block_header(&mut self, start: Mark) -> Result<(Chomping, Option<isize>), Failure> {
        let mut chomping = self.chomping_indicator();
        let increment = self.indentation_indicator(start)?;
        if increment.is_some() && chomping.is_none() {
            chomping = self.chomping_indicator();
        }
        let next = self.reader.peek();
        if next != ' ' && !is_end(next) {
            let expected = "expected chomping or indentation indicators";
            return Err(self.unexpected(expected, start));
        }
        let blanks = self.reader.count(|character| character == ' ');
        self.reader.forward(blanks);
        if self.reader.peek() == '#' {
            let length = self.reader.count(|character| !is_end(character));
            self.reader.forward(length);
        }
        if !is_end(self.reader.peek()) {
            return Err(self.unexpected("expected a comment or a line break", start));
        }
        self.reader.take_line_break();
        Ok((chomping.unwrap_or(Chomping::Clip), increment))
    }

    fn chomping_indicator(&mut self) -> Option<Chomping> {
        let chomping = match self.reader.peek() {
            '+' => Chomping::Keep,
            '-' => Chomping::Strip,
            _ => return None,
        };
        self.reader.forward(1);
        Some(chomping)
    }

    fn indentation_indicator(&mut self, start: Mark) -> Result<Option<isize>, Failure> {
        let Some(digit) = self.reader.peek().to_digit(10) else {
            return Ok(None);
        };
        if digit == 0 {
            let problem = "expected indentation indicator in the range 1-9, but found 0";
            return Err(Failure::within(CONTEXT, start, problem, self.reader.mark()));
        }
        self.reader.forward(1);
        Ok(isize::try_from(digit).ok())
    }

    fn unexpected(&self, expected: &str, start: Mark) -> Failure {
        let found = repr(&self.reader.peek().to_string());
        let problem = format!("{expected}, but found {found}");
        Failure::within(CONTEXT, start, problem, self.reader.mark())
    }

    /// Leading empty lines and the widest indentation up to the first filled line.
    fn block_indentation(&mut self) -> (String, isize, Mark) {
        let mut breaks = String::new();
        let mut widest = 0;
        let mut end = self.reader.mark();
        loop {
            match self.reader.peek() {
                ' ' => {
                    self.reader.forward(1);
                    widest = widest.max(column(self.reader.mark()));
                }
                next if is_line_break(next) => {
                    breaks.extend(self.reader.take_line_break());
                    end = self.reader.mark();
                }
                _ => return (breaks, widest, end),
            }
        }
    }

    /// Empty lines, and the indentation of the line after them.
    fn block_breaks(&mut self, indent: isize) -> (String, Mark) {
        let mut breaks = String::new();
        let mut end = self.reader.mark();
        loop {
            while column(self.reader.mark()) < indent && self.reader.peek() == ' ' {
                self.reader.forward(1);
            }
            match self.reader.take_line_break() {
                Some(line_break) => breaks.push(line_break),
                None => return (breaks, end),
            }
            end = self.reader.mark();
        }
    }
}

/// A block scalar as far as it was read.
struct Content {
    text: String,
    /// Empty lines that are content only if a filled line follows.
    breaks: String,
    end: Mark,
}
