//! A scanner for the frontmatter that nearly every skill has: `key: value` lines, block scalars,
//! one-line lists, one level of nesting.
//!
//! It gives what the full parser gives, in a fraction of the time, or nothing: whatever it is not
//! sure of it leaves to the full parser. A property test holds the two equal.

mod block;
mod flow;
mod line;
mod nested;
mod scalar;

use std::borrow::Cow;
use std::ops::Range;

use crate::fields::{Entry, Fields, ForeignKey, Known, Shape};
use crate::yaml;
use prowess_text::is_printable_ascii;

use line::{Line, Lines};

pub(crate) use line::has_simple_characters;

/// More keys than this are left to the full parser, so that the search for duplicates stays cheap.
const MOST_FOREIGN: usize = 32;

/// More values than this are left to the full parser, which has the limit. This scanner does not
/// count keys, so that it stays below half of the limit.
const MOST_NODES: usize = yaml::MAX_NODES / 2 - 100;

/// A value and the bytes that it stands on.
type Placed<'t> = (Shape<'t>, Range<usize>);

/// Reads the fields of `text[yaml]` into `fields`. `None` says nothing about the text; then what is
/// in `fields` is of no use.
pub(crate) fn scan<'t>(text: &'t str, yaml: &Range<usize>, fields: &mut Fields<'t>) -> Option<()> {
    let written = &text[yaml.clone()];
    fields.is_printable_ascii = is_printable_ascii(written);
    if !fields.is_printable_ascii && !has_simple_characters(written) {
        return None;
    }
    let mut scanner = Scanner { lines: Lines::new(text, yaml), nodes: 0 };
    while let Some(line) = scanner.lines.next_filled() {
        scanner.field(line, fields)?;
    }
    Some(())
}

struct Scanner<'t> {
    lines: Lines<'t>,
    nodes: usize,
}

impl<'t> Scanner<'t> {
    fn field(&mut self, line: Line<'t>, fields: &mut Fields<'t>) -> Option<()> {
        if line.text.starts_with('#') {
            return Some(());
        }
        let key = scalar::key(line.text)?;
        let key_span = line.start..line.start + key.len();
        let known = Known::of(key);
        if known.is_none() && Known::of_other_case(key).is_some() {
            return None;
        }
        let is_twice = match known {
            Some(known) => fields.get(known).is_some(),
            None => fields.foreign.iter().any(|foreign| foreign.key == key),
        };
        if is_twice || fields.foreign.len() == MOST_FOREIGN {
            return None;
        }
        let (shape, value_span) = self.value(line, key.len() + 1)?;
        if !known.is_some_and(Known::is_specified) {
            fields.foreign.push(ForeignKey { key: Cow::Borrowed(key), span: key_span.clone() });
        }
        if let Some(known) = known {
            fields.set(known, Entry { key_span, shape, value_span });
        }
        Some(())
    }

    /// The value behind a top-level key; `after_colon` counts from the line's start.
    fn value(&mut self, line: Line<'t>, after_colon: usize) -> Option<Placed<'t>> {
        self.count(1)?;
        let rest = &line.text[after_colon..];
        let value = line::trimmed(rest);
        let blanks = rest.bytes().take_while(|byte| *byte == b' ').count();
        let start = line.start + after_colon + blanks;
        match value.as_bytes().first() {
            None => self.absent_or_nested(line.start + after_colon),
            Some(b'|' | b'>') => {
                let shape = block::scan(value, &mut self.lines)?;
                let block = self.lines.slice(start..self.lines.position());
                Some((shape, start..start + yaml::trimmed_end(block).len()))
            }
            Some(_) => self.on_line(value, start),
        }
    }

    fn on_line(&mut self, value: &'t str, start: usize) -> Option<Placed<'t>> {
        let shape = if value.starts_with('[') {
            let items = flow::scan(value)?;
            self.count(items.len())?;
            Shape::List(items)
        } else {
            scalar::scan(value)?
        };
        Some((shape, start..start + value.len()))
    }

    fn absent_or_nested(&mut self, after_colon: usize) -> Option<Placed<'t>> {
        match self.lines.peek_filled() {
            Some(next) if next.indentation() > 0 => {
                let start = next.start + next.indentation();
                let shape = nested::scan(self, next.indentation())?;
                let lines = self.lines.slice(start..self.lines.position().max(start));
                Some((shape, start..start + lines.trim_ascii_end().len()))
            }
            _ => Some((
                Shape::Text { text: Cow::Borrowed(""), is_plain: true },
                after_colon..after_colon,
            )),
        }
    }

    /// Counts nodes. `None` if there are too many for this scanner.
    fn count(&mut self, nodes: usize) -> Option<()> {
        self.nodes += nodes;
        (self.nodes <= MOST_NODES).then_some(())
    }
}
