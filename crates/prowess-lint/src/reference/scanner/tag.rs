//! Anchors, aliases and tags. None is allowed; what matters is where each ends, and which is
//! broken.

use super::reader::{is_blank_or_end, is_end};
use super::token::Token;
use super::{Failure, Kind, Mark, Scanner};
use crate::reference::python::repr;

impl Scanner<'_> {
    pub(super) fn anchor_or_alias(&mut self, kind: Kind) -> Result<(), Failure> {
        self.save_possible_key()?;
        self.may_begin_key = false;
        let context = match kind {
            Kind::Alias => "while scanning an alias",
            _ => "while scanning an anchor",
        };
        let start = self.reader.mark();
        self.reader.forward(1);
        let length = self.reader.count(is_anchor_character);
        let text = self.reader.take(length);
        let next = self.reader.peek();
        let is_ended = is_blank_or_end(next) || "?:,[]{}%@`".contains(next);
        if length == 0 || !is_ended {
            let expected = "expected alphabetic or numeric character";
            return Err(self.broken(context, expected, next, start));
        }
        let end = self.reader.mark();
        self.tokens.push_back(Token { text, ..Token::new(kind, start, end) });
        Ok(())
    }

    pub(super) fn tag(&mut self) -> Result<(), Failure> {
        self.save_possible_key()?;
        self.may_begin_key = false;
        let start = self.reader.mark();
        let next = self.reader.peek_at(1);
        if next == '<' {
            self.reader.forward(2);
            self.uri("while parsing a tag", "while scanning a tag", start)?;
            if self.reader.peek() != '>' {
                let found = self.reader.peek();
                return Err(self.broken("while parsing a tag", "expected '>'", found, start));
            }
            self.reader.forward(1);
        } else if is_blank_or_end(next) {
            self.reader.forward(1);
        } else {
            self.tag_handle_if_any("while scanning a tag", start)?;
            self.uri("while parsing a tag", "while scanning a tag", start)?;
        }
        let next = self.reader.peek();
        if next != ' ' && !is_end(next) {
            return Err(self.broken("while scanning a tag", "expected ' '", next, start));
        }
        self.push(Kind::Tag, start);
        Ok(())
    }

    /// `!name!` or `!!` where a second mark comes before the next blank, else `!`.
    fn tag_handle_if_any(&mut self, context: &'static str, start: Mark) -> Result<(), Failure> {
        let mut length = 1;
        loop {
            match self.reader.peek_at(length) {
                '!' => return self.tag_handle(context, start),
                ' ' => break,
                other if is_end(other) => break,
                _ => length += 1,
            }
        }
        self.reader.forward(1);
        Ok(())
    }

    pub(super) fn tag_handle(&mut self, context: &'static str, start: Mark) -> Result<(), Failure> {
        let first = self.reader.peek();
        if first != '!' {
            return Err(self.broken(context, "expected '!'", first, start));
        }
        let mut length = 1;
        if self.reader.peek_at(1) != ' ' {
            let is_word = |character: char| {
                character.is_ascii_alphanumeric() || matches!(character, '-' | '_')
            };
            while is_word(self.reader.peek_at(length)) {
                length += 1;
            }
            let closing = self.reader.peek_at(length);
            if closing != '!' {
                self.reader.forward(length);
                return Err(self.broken(context, "expected '!'", closing, start));
            }
            length += 1;
        }
        self.reader.forward(length);
        Ok(())
    }

    pub(super) fn uri(
        &mut self,
        missing: &'static str,
        escape: &'static str,
        start: Mark,
    ) -> Result<(), Failure> {
        let before = self.reader.mark().index;
        loop {
            let count = self.reader.count(is_uri_character);
            self.reader.forward(count);
            if self.reader.peek() != '%' {
                break;
            }
            self.reader.forward(1);
            let digits = self.reader.count(|character| character.is_ascii_hexdigit()).min(2);
            if digits < 2 {
                let found = self.reader.peek_at(digits);
                let expected = "expected URI escape sequence of 2 hexdecimal numbers,";
                let problem = format!("{expected} but found {}", repr(&found.to_string()));
                return Err(Failure::within(escape, start, problem, self.reader.mark()));
            }
            self.reader.forward(2);
        }
        if self.reader.mark().index == before {
            return Err(self.broken(missing, "expected URI", self.reader.peek(), start));
        }
        Ok(())
    }

    pub(super) fn broken(
        &self,
        context: &'static str,
        expected: &str,
        found: char,
        start: Mark,
    ) -> Failure {
        let problem = format!("{expected}, but found {}", repr(&found.to_string()));
        Failure::within(context, start, problem, self.reader.mark())
    }
}

fn is_anchor_character(character: char) -> bool {
    match character {
        ',' | '[' | ']' | '{' | '}' | '\u{feff}' => false,
        _ => matches!(character, '!'..='~' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..),
    }
}

fn is_uri_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-;/?:@&=+$,_.!~*'()[]#".contains(character)
}
