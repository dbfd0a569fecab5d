//! Which token begins here.

use super::reader::is_blank_or_end;
use super::token::Token;
use super::{Failure, Kind, Scanner, column};
use crate::reference::python::repr;

impl Scanner<'_> {
    /// Adds one token or more.
    pub(super) fn fetch_more(&mut self) -> Result<(), Failure> {
        if let Some((start, _)) = self.skip_to_token() {
            self.push_comment(start);
            return Ok(());
        }
        self.drop_stale_keys()?;
        let here = self.reader.mark();
        self.unwind_indent(column(here));
        let is_line_start = here.column == 0;
        let is_block = self.flow.is_empty();
        match self.reader.peek() {
            '\0' => self.stream_end(),
            '%' if is_line_start => self.directive(),
            '-' if is_line_start && self.reader.is_document_marker("---") => {
                self.document_marker(Kind::DocumentStart)
            }
            '.' if is_line_start && self.reader.is_document_marker("...") => {
                self.document_marker(Kind::DocumentEnd)
            }
            open @ ('[' | '{') => self.flow_start(open),
            close @ (']' | '}') => self.flow_end(close),
            ',' => self.flow_entry(),
            '-' if is_blank_or_end(self.reader.peek_at(1)) => self.block_entry(),
            '?' if !is_block || is_blank_or_end(self.reader.peek_at(1)) => self.key(),
            ':' if self.is_value() => self.value(),
            '*' => self.anchor_or_alias(Kind::Alias),
            '&' => self.anchor_or_alias(Kind::Anchor),
            '!' => self.tag(),
            style @ ('|' | '>') if is_block => self.block_scalar(style),
            quote @ ('\'' | '"') => self.quoted(quote),
            first if self.is_plain(first) => self.plain(),
            first => Err(Failure::Marked(Box::new(crate::reference::mark::Marked {
                context: Some(("while scanning for the next token", None)),
                problem: format!(
                    "found character {} that cannot start any token",
                    repr(&first.to_string())
                ),
                place: here,
            }))),
        }
    }

    fn is_value(&self) -> bool {
        let is_followed_by_blank = is_blank_or_end(self.reader.peek_at(1));
        match self.flow.last() {
            None | Some('[') => is_followed_by_blank,
            Some(_) => {
                let is_behind_value =
                    self.tokens.back().is_some_and(|token| token.kind == Kind::Value);
                is_followed_by_blank || !is_behind_value
            }
        }
    }

    fn is_plain(&self, first: char) -> bool {
        let next = self.reader.peek_at(1);
        let is_block = self.flow.is_empty();
        match first {
            '-' => !is_blank_or_end(next),
            ':' if !is_block && !matches!(next, ' ' | '\t') => true,
            '?' | ':' => is_block && !is_blank_or_end(next),
            ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%'
            | '@' | '`' => false,
            _ => !is_blank_or_end(first),
        }
    }

    fn stream_end(&mut self) -> Result<(), Failure> {
        self.unwind_indent(-1);
        self.remove_possible_key()?;
        self.may_begin_key = false;
        self.possible_keys.clear();
        self.push(Kind::StreamEnd, self.reader.mark());
        self.is_done = true;
        Ok(())
    }

    fn document_marker(&mut self, kind: Kind) -> Result<(), Failure> {
        self.unwind_indent(-1);
        self.remove_possible_key()?;
        self.may_begin_key = false;
        self.indicator(kind, 3);
        Ok(())
    }

    fn flow_start(&mut self, open: char) -> Result<(), Failure> {
        self.save_possible_key()?;
        self.flow.push(open);
        self.may_begin_key = true;
        let kind = match open {
            '[' => Kind::FlowSequenceStart,
            _ => Kind::FlowMappingStart,
        };
        self.indicator(kind, 1);
        Ok(())
    }

    fn flow_end(&mut self, close: char) -> Result<(), Failure> {
        self.remove_possible_key()?;
        self.flow.pop();
        self.may_begin_key = false;
        let kind = match close {
            ']' => Kind::FlowSequenceEnd,
            _ => Kind::FlowMappingEnd,
        };
        self.indicator(kind, 1);
        Ok(())
    }

    fn flow_entry(&mut self) -> Result<(), Failure> {
        self.may_begin_key = true;
        self.remove_possible_key()?;
        self.indicator(Kind::FlowEntry, 1);
        Ok(())
    }

    fn block_entry(&mut self) -> Result<(), Failure> {
        if self.flow.is_empty() {
            self.begin_in_block("sequence entries are not allowed here", Kind::BlockSequenceStart)?;
        }
        self.may_begin_key = true;
        self.remove_possible_key()?;
        self.indicator(Kind::BlockEntry, 1);
        Ok(())
    }

    fn key(&mut self) -> Result<(), Failure> {
        let is_block = self.flow.is_empty();
        if is_block {
            self.begin_in_block("mapping keys are not allowed here", Kind::BlockMappingStart)?;
        }
        self.may_begin_key = is_block;
        self.remove_possible_key()?;
        self.indicator(Kind::Key, 1);
        Ok(())
    }

    fn value(&mut self) -> Result<(), Failure> {
        let is_block = self.flow.is_empty();
        if let Some(key) = self.possible_keys.remove(&self.flow.len()) {
            let at = key.token_number.saturating_sub(self.taken).min(self.tokens.len());
            self.tokens.insert(at, Token::new(Kind::Key, key.mark, key.mark));
            if is_block && self.add_indent(column(key.mark)) {
                let start = Token::new(Kind::BlockMappingStart, key.mark, key.mark);
                self.tokens.insert(at, start);
            }
            self.may_begin_key = false;
        } else {
            if is_block {
                self.begin_in_block(
                    "mapping values are not allowed here",
                    Kind::BlockMappingStart,
                )?;
            }
            self.may_begin_key = is_block;
            self.remove_possible_key()?;
        }
        self.indicator(Kind::Value, 1);
        Ok(())
    }

    /// Opens a block collection here, unless the one around begins in this column.
    fn begin_in_block(&mut self, problem: &str, kind: Kind) -> Result<(), Failure> {
        let here = self.reader.mark();
        if !self.may_begin_key {
            return Err(Failure::at(here, problem));
        }
        if self.add_indent(column(here)) {
            self.push(kind, here);
        }
        Ok(())
    }

    fn indicator(&mut self, kind: Kind, length: usize) {
        let start = self.reader.mark();
        self.reader.forward(length);
        self.push(kind, start);
    }

    /// Adds a scalar that begins at `start` and ends at `end`.
    pub(super) fn push_scalar(
        &mut self,
        text: String,
        is_plain: bool,
        (start, end): (super::Mark, super::Mark),
    ) {
        self.tokens.push_back(Token { text, is_plain, ..Token::new(Kind::Scalar, start, end) });
    }
}
