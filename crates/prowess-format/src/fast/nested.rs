//! One level below a top-level key: the fields of `metadata`, or a list with an item on each line.

use std::borrow::Cow;

use crate::fields::Shape;

use super::line::{Line, trimmed};
use super::{Scanner, scalar};

/// More keys than this are left to the full parser.
const MOST_KEYS: usize = 16;

/// The lines with this indentation.
pub(super) fn scan<'t>(scanner: &mut Scanner<'t>, indentation: usize) -> Option<Shape<'t>> {
    let first = scanner.lines.peek_filled()?;
    if first.text[indentation..].starts_with("- ") {
        return list(scanner, indentation).map(Shape::List);
    }
    mapping(scanner, indentation)
}

fn list<'t>(scanner: &mut Scanner<'t>, indentation: usize) -> Option<Vec<Option<Cow<'t, str>>>> {
    let mut items = Vec::new();
    while let Some(line) = next_line(scanner, indentation)? {
        scanner.count(1)?;
        let item = line.text[indentation..].strip_prefix("- ")?;
        match scalar::scan(trimmed(item))? {
            Shape::Text { text, .. } => items.push(Some(text)),
            _ => return None,
        }
    }
    Some(items)
}

fn mapping<'t>(scanner: &mut Scanner<'t>, indentation: usize) -> Option<Shape<'t>> {
    let mut keys = [""; MOST_KEYS];
    let mut count = 0;
    let mut tags = None;
    let mut version = None;
    while let Some(line) = next_line(scanner, indentation)? {
        scanner.count(1)?;
        let text = &line.text[indentation..];
        let key = scalar::key(text)?;
        if keys[..count].contains(&key) || count == MOST_KEYS {
            return None;
        }
        keys[count] = key;
        count += 1;
        let value = trimmed(&text[key.len() + 1..]);
        let shape = entry(scanner, value, line.start)?;
        match (key, shape) {
            ("tags", shape) => tags = Some(Box::new(shape)),
            ("version", Shape::Text { text, .. }) => version = Some(text),
            _ => {}
        }
    }
    // A long key is left to the full parser.
    Some(Shape::Map { tags, version, long_key: None })
}

fn entry<'t>(scanner: &mut Scanner<'t>, value: &'t str, start: usize) -> Option<Shape<'t>> {
    if value.is_empty() {
        // If the next line goes deeper, reading it fails: the full parser's.
        return Some(Shape::Text { text: Cow::Borrowed(""), is_plain: true });
    }
    scanner.on_line(value, start).map(|(shape, _)| shape)
}

/// The next line of this block; `Some(None)` at its end, `None` where a line is indented otherwise.
fn next_line<'t>(scanner: &mut Scanner<'t>, indentation: usize) -> Option<Option<Line<'t>>> {
    let Some(line) = scanner.lines.peek_filled() else {
        return Some(None);
    };
    match line.indentation() {
        0 => Some(None),
        width if width == indentation => {
            scanner.lines.next();
            Some(Some(line))
        }
        _ => None,
    }
}
