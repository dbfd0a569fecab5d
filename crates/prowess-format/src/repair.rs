//! Repairs values that should have been quoted.
//!
//! Nine of ten frontmatters that are not YAML break on a colon in an unquoted value; most others
//! begin a text with a bracket, or do not close a quote. Each such value is quoted in a copy, and
//! the tree of the copy gets the places of the file.

mod candidate;

use std::borrow::Cow;
use std::ops::Range;

use crate::yaml::{self, Node, NodeValue, Pair};
use crate::{Code, codes, work};

use candidate::Chunks;
pub(crate) use candidate::quoted;

/// A tree that could be had, and what was in the way.
pub(crate) struct Repaired {
    pub(crate) tree: Node<'static>,
    pub(crate) repairs: Vec<Repair>,
}

/// One value that is read as if it were quoted.
pub(crate) struct Repair {
    pub(crate) code: Code,
    /// The bytes of the file that break the value.
    pub(crate) culprit: Range<usize>,
    /// The first line as it should be.
    pub(crate) line: String,
}

/// Describes the mistake that a repair with this code fixes.
pub(crate) fn message(code: &Code) -> &'static str {
    if *code == codes::UNQUOTED_COLON {
        "an unquoted value holds a colon that YAML reads as the end of a key; the value is read as \
         if it were quoted"
    } else if *code == codes::QUOTE_UNCLOSED {
        "the quote that begins here is not closed before the next field; it is read as if it \
         were closed"
    } else {
        "YAML reads the bracket as the start of a list or a mapping; the value is read as text"
    }
}

/// A value with the text that takes its place in the copy.
struct Edit {
    /// Bytes of the text.
    value: Range<usize>,
    quoted: String,
    is_plain: bool,
    culprit: Range<usize>,
    code: Code,
}

/// Reads `text` with values quoted that should be, if that makes it YAML.
pub(crate) fn parse(text: &str, base: usize) -> Option<Repaired> {
    let edits: Vec<Edit> = Chunks::new(text).filter_map(|chunk| candidate::edit(&chunk)).collect();
    if edits.is_empty() {
        return None;
    }
    let (fixed, places) = fix(text, &edits);
    let tree = yaml::parse(&fixed, 0).ok()??;
    let tree = restore(tree, &places, &edits, base);
    let repairs = edits.iter().map(|edit| repair(text, edit, base)).collect();
    Some(Repaired { tree, repairs })
}

fn repair(text: &str, edit: &Edit, base: usize) -> Repair {
    let line_start = text[..edit.value.start].rfind('\n').map_or(0, |at| at + 1);
    work::count(edit.value.start - line_start + edit.quoted.len());
    let quoted = edit.quoted.lines().next().unwrap_or_default();
    Repair {
        code: edit.code.clone(),
        culprit: base + edit.culprit.start..base + edit.culprit.end,
        line: format!("{}{quoted}", &text[line_start..edit.value.start]),
    }
}

/// Where a stretch of the copy begins, in the copy and in the text.
struct Place {
    copy: usize,
    original: usize,
    /// The edit that the stretch is, else it is the same in both.
    edit: Option<usize>,
}

fn fix(text: &str, edits: &[Edit]) -> (String, Vec<Place>) {
    let mut fixed = String::with_capacity(text.len() + 16 * edits.len());
    let mut places = vec![Place { copy: 0, original: 0, edit: None }];
    let mut done = 0;
    for (number, edit) in edits.iter().enumerate() {
        fixed.push_str(&text[done..edit.value.start]);
        places.push(Place { copy: fixed.len(), original: edit.value.start, edit: Some(number) });
        fixed.push_str(&edit.quoted);
        done = edit.value.end;
        places.push(Place { copy: fixed.len(), original: done, edit: None });
    }
    fixed.push_str(&text[done..]);
    (fixed, places)
}

/// The tree with the places of the file.
fn restore(node: Node<'_>, places: &[Place], edits: &[Edit], base: usize) -> Node<'static> {
    let restored = |node| restore(node, places, edits, base);
    let place = |offset| base + original(offset, places, edits);
    let edit = edit_at(node.span.start, places).map(|number| &edits[number]);
    let value = match node.value {
        NodeValue::Text { text, is_plain } => NodeValue::Text {
            text: Cow::Owned(text.into_owned()),
            is_plain: is_plain || edit.is_some_and(|edit| edit.is_plain),
        },
        NodeValue::List(items) => NodeValue::List(items.into_iter().map(restored).collect()),
        NodeValue::Map(pairs) => {
            let restored = pairs.into_iter().map(|pair| Pair {
                key: Cow::Owned(pair.key.into_owned()),
                key_span: place(pair.key_span.start)..place(pair.key_span.end),
                value: restored(pair.value),
            });
            NodeValue::Map(restored.collect())
        }
    };
    let span = match edit {
        Some(edit) => base + edit.value.start..base + edit.value.end,
        None => place(node.span.start)..place(node.span.end),
    };
    Node { value, span }
}

fn stretch(offset: usize, places: &[Place]) -> &Place {
    let after = places.partition_point(|place| place.copy <= offset);
    &places[after - 1]
}

fn edit_at(offset: usize, places: &[Place]) -> Option<usize> {
    stretch(offset, places).edit
}

fn original(offset: usize, places: &[Place], edits: &[Edit]) -> usize {
    let place = stretch(offset, places);
    match place.edit {
        Some(number) => edits[number].value.start,
        None => place.original + (offset - place.copy),
    }
}
