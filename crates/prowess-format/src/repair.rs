//! The one mistake that is mended: a colon in an unquoted value, `description: Use when: it rains`.
//!
//! Nine of ten frontmatters that are not YAML break on it. The colon is swapped for a byte that the
//! frontmatter does not use, so that every place stays where it was, and swapped back in the tree.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter};

use crate::yaml::{self, Node, NodeValue, Pair};

/// Bytes that may stand inside a plain value and have no meaning there.
const STAND_INS: &[u8] = b"^~$=+;@_/.";

/// A tree that could be had, and the colons that were in the way.
pub(crate) struct Repaired {
    pub(crate) tree: Node<'static>,
    pub(crate) colons: Vec<Range<usize>>,
}

/// Reads `text` with the colons of unquoted values taken for text, if that makes it YAML.
pub(crate) fn parse(text: &str, base: usize) -> Option<Repaired> {
    let stand_in = *STAND_INS.iter().find(|byte| memchr(**byte, text.as_bytes()).is_none())?;
    let colons = stray_colons(text);
    if colons.is_empty() {
        return None;
    }
    let mut bytes = text.as_bytes().to_vec();
    for colon in &colons {
        bytes[*colon] = stand_in;
    }
    let mended = String::from_utf8(bytes).ok()?;
    let tree = yaml::parse(&mended, base).ok()??;
    Some(Repaired {
        tree: restore(tree, char::from(stand_in)),
        colons: first_of_each_line(text, &colons)
            .map(|colon| base + colon..base + colon + 1)
            .collect(),
    })
}

/// Colons that YAML reads as the end of a key, inside the plain values of top-level keys. Lines that
/// go on with a value count only if its first line has such a colon: else they are rather keys with
/// wrong indentation.
fn stray_colons(text: &str) -> Vec<usize> {
    let mut colons = Vec::new();
    let mut is_mending = false;
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let is_continued = line.starts_with([' ', '\t']);
        let value = if is_continued { is_mending.then_some(0) } else { plain_value(line) };
        let before = colons.len();
        if let Some(start) = value {
            colons.extend(key_ends(&line[start..]).map(|at| line_start + start + at));
        }
        if !is_continued {
            is_mending = colons.len() > before;
        }
        line_start += line.len();
    }
    colons
}

/// Where the plain value of a `key: value` line begins.
fn plain_value(line: &str) -> Option<usize> {
    let colon = line.find(':')?;
    let key = &line[..colon];
    let is_key = !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let rest = line[colon + 1..].strip_prefix(' ')?;
    let value = rest.trim_start_matches(' ');
    let is_plain = value.starts_with(|first: char| {
        !first.is_whitespace() && !"\"'|>[]{}&*!%@`#,?:-".contains(first)
    });
    (is_key && is_plain).then(|| line.len() - value.len())
}

fn key_ends(value: &str) -> impl Iterator<Item = usize> {
    let bytes = value.as_bytes();
    memchr_iter(b':', bytes).filter(|at| bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace))
}

fn first_of_each_line<'c>(text: &str, colons: &'c [usize]) -> impl Iterator<Item = &'c usize> {
    colons.iter().enumerate().filter_map(move |(number, colon)| {
        let before = number.checked_sub(1).map(|before| colons[before]);
        let is_first = before.is_none_or(|before| text[before..*colon].contains('\n'));
        is_first.then_some(colon)
    })
}

fn restore(node: Node<'_>, stand_in: char) -> Node<'static> {
    let colon_again = |text: Cow<'_, str>| Cow::Owned(text.replace(stand_in, ":"));
    let value = match node.value {
        NodeValue::Text { text, is_plain } => NodeValue::Text { text: colon_again(text), is_plain },
        NodeValue::List(items) => {
            NodeValue::List(items.into_iter().map(|item| restore(item, stand_in)).collect())
        }
        NodeValue::Map(pairs) => {
            let restored = pairs.into_iter().map(|pair| Pair {
                key: colon_again(pair.key),
                key_span: pair.key_span,
                value: restore(pair.value, stand_in),
            });
            NodeValue::Map(restored.collect())
        }
    };
    Node { value, span: node.span }
}
