//! Lines with their places.

use std::ops::Range;

use memchr::memchr;

use crate::work;

/// A line without its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    pub(super) text: &'t str,
    /// Where it begins in its file.
    pub(super) start: usize,
}

impl Line<'_> {
    pub(super) fn indentation(&self) -> usize {
        self.text.bytes().take_while(|byte| *byte == b' ').count()
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.bytes().all(|byte| byte == b' ')
    }
}

/// Goes through the lines of a part of a file.
#[derive(Clone, Copy)]
pub(super) struct Lines<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    /// The next line and where the one after it begins, if it was looked at already.
    peeked: Option<(Line<'t>, usize)>,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str, part: &Range<usize>) -> Self {
        Self { text, at: part.start, end: part.end, peeked: None }
    }

    pub(super) fn within(&self, part: Range<usize>) -> Self {
        Self::new(self.text, &part)
    }

    /// Where the next line begins.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The text from one place to another, line ends included.
    pub(super) fn slice(&self, part: Range<usize>) -> &'t str {
        &self.text[part]
    }

    pub(super) fn next(&mut self) -> Option<Line<'t>> {
        let (line, next) = self.peeked.take().or_else(|| self.read())?;
        self.at = next;
        Some(line)
    }

    pub(super) fn peek(&mut self) -> Option<Line<'t>> {
        if self.peeked.is_none() {
            self.peeked = self.read();
        }
        self.peeked.map(|(line, _)| line)
    }

    pub(super) fn next_filled(&mut self) -> Option<Line<'t>> {
        loop {
            let line = self.next()?;
            if !line.is_blank() {
                return Some(line);
            }
        }
    }

    /// Skips blank lines and looks at the one after them.
    pub(super) fn peek_filled(&mut self) -> Option<Line<'t>> {
        while self.peek()?.is_blank() {
            self.next();
        }
        self.peek()
    }

    fn read(&self) -> Option<(Line<'t>, usize)> {
        let rest = &self.text[self.at..self.end];
        if rest.is_empty() {
            return None;
        }
        let length = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        work::count(length + 1);
        let text = rest[..length].strip_suffix('\r').unwrap_or(&rest[..length]);
        let next = (self.at + length + 1).min(self.end);
        let start = self.at;
        Some((Line { text, start }, next))
    }
}

/// A text without the blanks around it. Over bytes: it is asked of each value, and most have none.
pub(super) fn trimmed(text: &str) -> &str {
    let bytes = text.as_bytes();
    let is_filled = |byte: &u8| *byte != b' ';
    match (bytes.iter().position(is_filled), bytes.iter().rposition(is_filled)) {
        (Some(first), Some(last)) => &text[first..=last],
        _ => "",
    }
}

/// Whether there is no character with a meaning of its own to YAML other than in the plainest case:
/// no tab, no control character, no other line break than LF and CR LF, no byte order mark.
pub(crate) fn has_simple_characters(text: &str) -> bool {
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let is_simple = match character {
            '\n' | ' '..='~' => true,
            '\r' => characters.peek() == Some(&'\n'),
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => false,
            _ => character >= '\u{a0}',
        };
        if !is_simple {
            return false;
        }
    }
    true
}
