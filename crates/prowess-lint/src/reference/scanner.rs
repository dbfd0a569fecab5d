//! The tool's scanner: tokens, and how far it looks ahead for them.
//!
//! A token that may turn out to be a key keeps the scanner reading until its colon is found or can
//! no longer come. Comments are tokens of their own and count in that reading, so they are kept
//! here.

mod block;
mod directive;
mod fetch;
mod plain;
mod quoted;
mod reader;
mod skip;
mod tag;
mod token;

use std::collections::{BTreeMap, VecDeque};

use super::mark::{Failure, Mark};
use reader::Reader;

pub(crate) use token::{Kind, Token};

/// A token that may be a key, while its colon has not come.
struct SimpleKey {
    token_number: usize,
    is_required: bool,
    mark: Mark,
}

/// Gives tokens, refusing those that strictyaml refuses when they are looked at.
pub(crate) struct Scanner<'t> {
    reader: Reader<'t>,
    is_done: bool,
    /// The open flow collections.
    flow: Vec<char>,
    tokens: VecDeque<Token>,
    taken: usize,
    /// The column of the block collection around, -1 outside all.
    indent: isize,
    indents: Vec<isize>,
    may_begin_key: bool,
    /// By flow level.
    possible_keys: BTreeMap<usize, SimpleKey>,
}

impl<'t> Scanner<'t> {
    /// A scanner of a text that ends with U+0000.
    pub(crate) fn new(text: &'t [char]) -> Self {
        let start = Token::new(Kind::StreamStart, Mark::default(), Mark::default());
        Self {
            reader: Reader::new(text),
            is_done: false,
            flow: Vec::new(),
            tokens: VecDeque::from([start]),
            taken: 0,
            indent: -1,
            indents: Vec::new(),
            may_begin_key: true,
            possible_keys: BTreeMap::new(),
        }
    }

    /// Whether the next token is one of these. One that strictyaml does not allow is refused here.
    pub(crate) fn check(&mut self, kinds: &[Kind]) -> Result<bool, Failure> {
        self.fill()?;
        self.gather_comments()?;
        let Some(token) = self.tokens.front() else {
            return Ok(false);
        };
        if !kinds.contains(&token.kind) {
            return Ok(false);
        }
        refuse(token)?;
        Ok(true)
    }

    /// A copy of the next token.
    pub(crate) fn peek(&mut self) -> Result<Token, Failure> {
        self.fill()?;
        self.gather_comments()?;
        Ok(self.tokens.front().cloned().unwrap_or_else(|| self.end()))
    }

    /// Takes the next token, and the comments that belong to it.
    pub(crate) fn get(&mut self) -> Result<Token, Failure> {
        self.fill()?;
        self.gather_comments()?;
        if self.has_comment_behind() {
            self.drop_second()?;
            while self.second_is_comment() {
                self.drop_second()?;
            }
        }
        self.taken += 1;
        Ok(self.tokens.pop_front().unwrap_or_else(|| self.end()))
    }

    fn end(&self) -> Token {
        let mark = self.reader.mark();
        Token::new(Kind::StreamEnd, mark, mark)
    }

    fn fill(&mut self) -> Result<(), Failure> {
        while self.needs_more()? {
            self.fetch_more()?;
        }
        Ok(())
    }

    fn needs_more(&mut self) -> Result<bool, Failure> {
        if self.is_done {
            return Ok(false);
        }
        if self.tokens.is_empty() {
            return Ok(true);
        }
        self.drop_stale_keys()?;
        let next_key = self.possible_keys.values().map(|key| key.token_number).min();
        Ok(next_key == Some(self.taken))
    }

    /// Drops the comments before the next token and looks one token further.
    fn gather_comments(&mut self) -> Result<(), Failure> {
        if self.tokens.is_empty() {
            return Ok(());
        }
        self.drop_first_comment();
        while self.needs_more()? {
            self.fetch_more()?;
            self.drop_first_comment();
        }
        if !self.is_done && self.tokens.len() < 2 {
            self.fetch_more()?;
        }
        Ok(())
    }

    fn drop_first_comment(&mut self) {
        if self.tokens.front().is_some_and(Token::is_comment) {
            self.tokens.pop_front();
            self.taken += 1;
        }
    }

    fn second_is_comment(&self) -> bool {
        self.tokens.get(1).is_some_and(Token::is_comment)
    }

    fn has_comment_behind(&self) -> bool {
        use Kind::{FlowMappingEnd, FlowSequenceEnd, Scalar, Value};
        let [Some(first), Some(second)] = [self.tokens.front(), self.tokens.get(1)] else {
            return false;
        };
        let is_on_its_line = first.end.line == second.start.line;
        second.is_comment()
            && match first.kind {
                Scalar => true,
                Value | FlowSequenceEnd | FlowMappingEnd => is_on_its_line,
                _ => false,
            }
    }

    fn drop_second(&mut self) -> Result<(), Failure> {
        self.taken += 1;
        self.tokens.remove(1);
        if self.is_done {
            return Ok(());
        }
        self.fetch_more()
    }

    fn push(&mut self, kind: Kind, start: Mark) {
        let end = self.reader.mark();
        self.tokens.push_back(Token::new(kind, start, end));
    }

    // Keys.

    /// A key stands on one line and has at most 1,024 characters.
    fn drop_stale_keys(&mut self) -> Result<(), Failure> {
        let here = self.reader.mark();
        let is_stale =
            |key: &SimpleKey| key.mark.line != here.line || here.index - key.mark.index > 1024;
        if let Some(key) = self.possible_keys.values().find(|key| key.is_required && is_stale(key))
        {
            return Err(no_colon(key, here));
        }
        self.possible_keys.retain(|_, key| !is_stale(key));
        Ok(())
    }

    fn save_possible_key(&mut self) -> Result<(), Failure> {
        let mark = self.reader.mark();
        let is_required = self.flow.is_empty() && self.indent == column(mark);
        if self.may_begin_key {
            self.remove_possible_key()?;
            let key = SimpleKey { token_number: self.taken + self.tokens.len(), is_required, mark };
            self.possible_keys.insert(self.flow.len(), key);
        }
        Ok(())
    }

    fn remove_possible_key(&mut self) -> Result<(), Failure> {
        match self.possible_keys.remove(&self.flow.len()) {
            Some(key) if key.is_required => Err(no_colon(&key, self.reader.mark())),
            _ => Ok(()),
        }
    }

    // Indentation.

    fn unwind_indent(&mut self, column: isize) {
        if !self.flow.is_empty() {
            return;
        }
        while self.indent > column {
            self.indent = self.indents.pop().unwrap_or(-1);
            self.push(Kind::BlockEnd, self.reader.mark());
        }
    }

    fn add_indent(&mut self, column: isize) -> bool {
        if self.indent >= column {
            return false;
        }
        self.indents.push(self.indent);
        self.indent = column;
        true
    }
}

fn column(mark: Mark) -> isize {
    isize::try_from(mark.column).unwrap_or(isize::MAX)
}

fn no_colon(key: &SimpleKey, here: Mark) -> Failure {
    let context = "while scanning a simple key";
    Failure::within(context, key.mark, "could not find expected ':'", here)
}

/// strictyaml's rules about single tokens.
fn refuse(token: &Token) -> Result<(), Failure> {
    let Token { start, end, .. } = *token;
    match token.kind {
        Kind::Tag => Err(Failure::within(
            "While scanning",
            end,
            "Found disallowed tag tokens (do not specify types in markup)",
            start,
        )),
        Kind::FlowMappingStart | Kind::FlowSequenceStart => Err(Failure::within(
            "While scanning",
            start,
            "Found ugly disallowed JSONesque flow mapping \
             (surround with ' and ' to make text appear literally)",
            end,
        )),
        Kind::Anchor => Err(Failure::within(
            "While scanning",
            start,
            "Found confusing disallowed anchor token \
             (surround with ' and ' to make text appear literally)",
            end,
        )),
        _ => Ok(()),
    }
}
