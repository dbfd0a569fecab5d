//! Repairs values that should have been quoted.
//!
//! Nine of ten frontmatters that are not YAML break on a colon in an unquoted value; most others
//! begin a text with a bracket, or do not close a quote. Each such value is quoted in a copy, and
//! the tree of the copy gets the places of the file. Where that is not enough, each field is read
//! alone, so that a fault costs no more than its field.

mod candidate;
mod field;
mod lines;
mod region;
mod text;

use std::borrow::Cow;
use std::ops::Range;

use crate::yaml::{self, LastRead, Node, NodeValue, Pair, Repeated, YamlError};
use crate::{Code, codes, work};

use candidate::Chunk;
pub(crate) use candidate::quoted;
use region::{Region, joined, regions};

/// A tree that could be had, and what was in the way.
pub(crate) struct Repaired {
    pub(crate) tree: Node<'static>,
    pub(crate) repairs: Vec<Repair>,
    /// The copy from which the tree was read.
    pub(crate) copy: String,
}

/// One value that is read as if it were written otherwise.
pub(crate) struct Repair {
    pub(crate) code: Code,
    /// The bytes of the file that break the value.
    pub(crate) culprit: Range<usize>,
    /// The first line as it should be.
    pub(crate) line: String,
}

/// Describes the mistake that a repair with this code fixes.
pub(crate) fn message(code: &Code) -> &'static str {
    match code.as_str() {
        "unquoted-colon" => {
            "an unquoted value holds a colon that YAML reads as the end of a key; the value is read \
             as if it were quoted"
        }
        "quote-unclosed" => {
            "the quote that begins here is not closed before the next field; it is read as if it \
             were closed"
        }
        "text-unquoted" => {
            "YAML does not read this as text, because of its first sign, a `#`, a blank of another kind \
             or what is behind a quote; the value is read as text, as it is written"
        }
        "line-unindented" => {
            "a line is not indented as YAML wants it, or in quotes, so most readers refuse the file; \
             the line is read as a part of the value, or as the field that it begins with"
        }
        "line-break-rare" => {
            "a carriage return or another rare line break is read as a line end, as by PyYAML"
        }
        "field-unreadable" => {
            "this is not the YAML that is read here; the value of a field is read as one text, a line \
             without a field not at all, and neither permits anything"
        }
        "key-repeated" => {
            "the key is there twice; the last value that is not empty is used, but a list of tools is \
             read as empty and a switch as closed; other readers refuse the file"
        }
        _ => "YAML reads this as a list or a mapping; the value is read as text, as it is written",
    }
}

/// Describes what to do about it; `line` is the first line as it should be.
pub(crate) fn help(code: &Code, line: &str) -> String {
    match code.as_str() {
        "line-unindented" => {
            "indent each line of the value by two blanks; put no blanks, tabs or quotes in front of \
             a field".to_owned()
        }
        "line-break-rare" => "end each line with a line feed".to_owned(),
        "field-unreadable" => "quote what has a meaning in YAML, or remove it".to_owned(),
        "key-repeated" => "keep one of the two".to_owned(),
        _ => format!("quote the value: `{line}`"),
    }
}

/// A value with the text that takes its place in the copy.
#[derive(Clone)]
struct Edit {
    /// Bytes of the text.
    value: Range<usize>,
    quoted: String,
    is_plain: bool,
    culprit: Range<usize>,
    code: Code,
}

fn edit(value: Range<usize>, quoted: String, culprit: usize, code: Code) -> Edit {
    Edit { value, quoted, is_plain: false, culprit: culprit..culprit, code }
}

/// The errors of YAML that quoting may remove. `{{ x }}` is a mapping as a key to YAML, and a
/// template to its author.
const QUOTABLE: [Code; 2] = [codes::YAML_INVALID, codes::YAML_COMPLEX_KEY];

/// The errors of YAML that may cost no more than a field.
const OF_A_FIELD: [Code; 6] = [
    codes::YAML_ALIAS,
    codes::YAML_ANCHOR,
    codes::YAML_DUPLICATE_KEY,
    codes::YAML_MERGE_KEY,
    codes::YAML_TAG,
    codes::YAML_TOO_DEEP,
];

/// Reads `text` with values quoted that should be, if that makes it YAML. `error` is why it is not.
pub(crate) fn parse_quoted(text: &str, base: usize, error: &YamlError) -> Option<Repaired> {
    let regions = if QUOTABLE.contains(&error.code) { regions(text) } else { Vec::new() };
    let edits = regions.iter().filter_map(|region| candidate::edit(&Chunk::of(text, region)?));
    read(text, base, &edits.collect::<Vec<_>>(), false)
}

/// Reads `text` with every value written as it should be, and those that cannot be read as text.
pub(crate) fn parse(text: &str, base: usize, error: &YamlError) -> Option<Repaired> {
    let is_quotable = QUOTABLE.contains(&error.code);
    if !is_quotable && !OF_A_FIELD.contains(&error.code) {
        return None;
    }
    by_fields(text, base, is_quotable).or_else(|| with_line_ends(text, base))
}

/// Returns whether a text is a mapping but for its line ends and for quoted values that go on in
/// lines without indentation.
pub(crate) fn is_mapping(text: &str) -> bool {
    let copy: String = text.chars().map(plain_blank).collect();
    let root = yaml::parse(&copy, 0).ok().flatten().map(|root| root.value);
    let value = root.or_else(|| {
        let regions = regions(&copy);
        let edits = regions.iter().filter_map(|region| text::continued(&copy, region));
        Some(read(&copy, 0, &edits.collect::<Vec<_>>(), false)?.tree.value)
    });
    matches!(value, Some(NodeValue::Map(_)))
}

fn plain_blank(character: char) -> char {
    match character {
        '\r' => '\n',
        '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => ' ',
        other => other,
    }
}

/// Reads `text` with carriage returns and other rare line breaks as line ends, as PyYAML does.
fn with_line_ends(text: &str, base: usize) -> Option<Repaired> {
    let (mut copy, mut first) = (String::with_capacity(text.len()), None);
    for (at, character) in text.char_indices() {
        // As long as what it replaces, so that every place stays.
        let end = match character {
            '\r' if !text[at + 1..].starts_with('\n') => "\n",
            '\u{85}' => " \n",
            '\u{2028}' | '\u{2029}' => "  \n",
            _ => {
                copy.push(character);
                continue;
            }
        };
        copy.push_str(end);
        first.get_or_insert(base + at..base + at + end.len());
    }
    let culprit = first?;
    let mut repaired = match yaml::parse(&copy, 0) {
        Ok(_) => read(&copy, base, &[], true)?,
        Err(error) => parse(&copy, base, &error)?,
    };
    repaired.repairs.push(Repair { code: codes::LINE_BREAK_RARE, culprit, line: String::new() });
    Some(repaired)
}

fn by_fields(text: &str, base: usize, is_quotable: bool) -> Option<Repaired> {
    let regions = regions(text);
    let first = regions.iter().filter(|_| is_quotable);
    let first = first.flat_map(|region| region.plain_key().chain(first_edit(text, region)));
    let first: Vec<_> = first.collect();
    read(text, base, &first, false).or_else(|| {
        let fields = joined(text, regions);
        let anchors: Vec<_> = fields.iter().filter(|it| field::has_anchor(text, it)).collect();
        let edits: Option<Vec<_>> =
            fields.iter().map(|it| field::edits(text, it, &anchors)).collect();
        let edits = fields.iter().zip(edits?);
        let edits = edits.flat_map(|(region, edits)| region.plain_key().chain(edits));
        read(text, base, &edits.collect::<Vec<_>>(), true)
    })
}

fn first_edit(text: &str, region: &Region<'_>) -> Option<Edit> {
    text::continued(text, region).or_else(|| candidate::edit(&Chunk::of(text, region)?))
}

/// Reads a copy with these edits.
fn read(text: &str, base: usize, edits: &[Edit], may_repeat: bool) -> Option<Repaired> {
    if edits.is_empty() && !may_repeat {
        return None;
    }
    let (copy, places) = fix(text, 0..text.len(), edits);
    let LastRead { root, repeated, earlier } = yaml::parse_last(&copy).ok()?;
    if repeated.iter().any(|key| !may_repeat || must_be_one(key)) {
        return None;
    }
    let mut root = root?;
    let mut repairs: Vec<_> = edits.iter().map(|edit| repair(text, edit, base)).collect();
    let removed = earlier.into_iter().map(|place| Some((whole(&copy, place)?, String::new())));
    let removed: Option<Vec<_>> = removed.collect();
    let is_patched = removed.is_some();
    let mut changes = removed.unwrap_or_default();
    for Repeated { key, span, is_top_level, is_alike } in repeated {
        if let (true, NodeValue::Map(pairs)) = (is_top_level && !is_alike, &mut root.value) {
            changes.extend(close(&copy, &key, pairs));
        }
        let start = base + original(span.start, &places, edits);
        let culprit = start..start + span.len();
        repairs.push(Repair { code: codes::KEY_REPEATED, culprit, line: String::new() });
    }
    let tree = restore(root, &places, edits, base);
    let copy = if is_patched { changed(&copy, changes) } else { copy };
    Some(Repaired { tree, repairs, copy })
}

/// Returns the place that a pair takes with its line, with the indentation of the next one, or with
/// the comma behind it; `None` if it has neither.
fn whole(text: &str, place: Range<usize>) -> Option<Range<usize>> {
    let start = text[..place.start].rfind('\n').map_or(0, |at| at + 1);
    let rest = text.get(place.end..)?;
    let end = rest.find('\n').map_or(text.len(), |at| place.end + at + 1);
    let before = text[start..place.start].trim();
    let behind = text[place.end..end].trim();
    let is_last = behind.is_empty();
    let next = |rest: &str| text.len() - rest.trim_start().len();
    match before.trim_start_matches(['-', ' ']).is_empty() {
        true if is_last && before.is_empty() => Some(start..end),
        true if behind.starts_with('#') && before.is_empty() => Some(start..place.end),
        true if is_last => Some(place.start..next(&text[end..])),
        _ => rest.strip_prefix(',').map(|rest| place.start..next(rest)),
    }
}

/// Returns a text with other texts at these places, of which none begins within another one.
fn changed(text: &str, mut changes: Vec<(Range<usize>, String)>) -> String {
    changes.sort_by_key(|(place, _)| place.start);
    let (mut copy, mut done) = (String::with_capacity(text.len()), 0);
    for (place, with) in changes {
        if place.start >= done {
            copy.push_str(&text[done..place.start]);
            copy.push_str(&with);
            done = place.end;
        }
    }
    copy + &text[done..]
}

/// Returns whether a limit of the skill is there twice, with two values.
fn must_be_one(repeated: &Repeated) -> bool {
    repeated.is_top_level && !repeated.is_alike && field::DECIDING.contains(&&*repeated.key)
}

/// Makes a list of tools that is there twice empty, and a switch one that cannot be read. Returns
/// the change if the key is one of these.
fn close(text: &str, key: &str, pairs: &mut [Pair<'_>]) -> Option<(Range<usize>, String)> {
    let (value, empty) = match key {
        "allowed-tools" | "allowed_tools" => (NodeValue::List(Vec::new()), "[]"),
        "disable-model-invocation" | "user-invocable" => (NodeValue::Map(Vec::new()), "{}"),
        _ => return None,
    };
    let node = &mut pairs.iter_mut().find(|pair| pair.key == key)?.value;
    node.value = value;
    Some((node.span.clone(), text::remarked(empty, &text[node.span.clone()])))
}

fn repair(text: &str, edit: &Edit, base: usize) -> Repair {
    let line_start = text[..edit.value.start].rfind('\n').map_or(0, |at| at + 1);
    work::count(edit.value.start - line_start + edit.quoted.len());
    let quoted = edit.quoted.lines().next().unwrap_or_default();
    let start = text.floor_char_boundary(edit.culprit.start.min(text.len()));
    let end = text[start..].chars().next().map_or(start, |first| start + first.len_utf8());
    Repair {
        code: edit.code.clone(),
        culprit: base + start..base + end,
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

fn fix(text: &str, part: Range<usize>, edits: &[Edit]) -> (String, Vec<Place>) {
    let mut fixed = String::with_capacity(part.len() + 16 * edits.len());
    let mut places = vec![Place { copy: 0, original: part.start, edit: None }];
    let mut done = part.start;
    for (number, edit) in edits.iter().enumerate() {
        fixed.push_str(&text[done..edit.value.start]);
        places.push(Place { copy: fixed.len(), original: edit.value.start, edit: Some(number) });
        fixed.push_str(&edit.quoted);
        done = edit.value.end;
        places.push(Place { copy: fixed.len(), original: done, edit: None });
    }
    fixed.push_str(&text[done..part.end]);
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
