//! Directives: `%YAML 1.2`.

use super::reader::is_end;
use super::token::Token;
use super::{Failure, Kind, Mark, Scanner};

const CONTEXT: &str = "while scanning a directive";

impl Scanner<'_> {
    pub(super) fn directive(&mut self) -> Result<(), Failure> {
        self.unwind_indent(-1);
        self.remove_possible_key()?;
        self.may_begin_key = false;
        let start = self.reader.mark();
        self.reader.forward(1);
        let name = self.directive_name(start)?;
        let text = match name.as_str() {
            "YAML" => format!("YAML {}", self.version(start)?),
            "TAG" => self.tag_directive(start).map(|()| name)?,
            _ => name,
        };
        let end = self.reader.mark();
        if !matches!(text.split(' ').next(), Some("YAML" | "TAG")) {
            self.skip_line();
        }
        self.skip_rest(start)?;
        self.tokens.push_back(Token { text, ..Token::new(Kind::Directive, start, end) });
        Ok(())
    }

    fn directive_name(&mut self, start: Mark) -> Result<String, Failure> {
        let expected = "expected alphabetic or numeric character";
        let length = self.reader.count(|character| {
            character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | ':' | '.')
        });
        let name = self.reader.take(length);
        let next = self.reader.peek();
        if length == 0 || (next != ' ' && !is_end(next)) {
            return Err(self.broken(CONTEXT, expected, next, start));
        }
        Ok(name)
    }

    /// The version's first number.
    fn version(&mut self, start: Mark) -> Result<String, Failure> {
        self.skip_blanks();
        let major = self.number(start)?;
        let point = self.reader.peek();
        if point != '.' {
            return Err(self.broken(CONTEXT, "expected a digit or '.'", point, start));
        }
        self.reader.forward(1);
        self.number(start)?;
        let next = self.reader.peek();
        if next != ' ' && !is_end(next) {
            return Err(self.broken(CONTEXT, "expected a digit or ' '", next, start));
        }
        Ok(major)
    }

    fn number(&mut self, start: Mark) -> Result<String, Failure> {
        let count = self.reader.count(|character| character.is_ascii_digit());
        if count == 0 {
            return Err(self.broken(CONTEXT, "expected a digit", self.reader.peek(), start));
        }
        let digits = self.reader.take(count);
        let number = digits.trim_start_matches('0');
        Ok(if number.is_empty() { "0" } else { number }.to_owned())
    }

    fn tag_directive(&mut self, start: Mark) -> Result<(), Failure> {
        self.skip_blanks();
        self.tag_handle(CONTEXT, start)?;
        let next = self.reader.peek();
        if next != ' ' {
            return Err(self.broken(CONTEXT, "expected ' '", next, start));
        }
        self.skip_blanks();
        self.uri("while parsing a directive", CONTEXT, start)?;
        let next = self.reader.peek();
        if next != ' ' && !is_end(next) {
            return Err(self.broken(CONTEXT, "expected ' '", next, start));
        }
        Ok(())
    }

    fn skip_rest(&mut self, start: Mark) -> Result<(), Failure> {
        self.skip_blanks();
        if self.reader.peek() == '#' {
            self.skip_line();
        }
        let next = self.reader.peek();
        if !is_end(next) {
            let expected = "expected a comment or a line break";
            return Err(self.broken(CONTEXT, expected, next, start));
        }
        self.reader.take_line_break();
        Ok(())
    }

    fn skip_blanks(&mut self) {
        let count = self.reader.count(|character| character == ' ');
        self.reader.forward(count);
    }

    fn skip_line(&mut self) {
        let count = self.reader.count(|character| !is_end(character));
        self.reader.forward(count);
    }
}
