//! Splits a frontmatter into its fields, where YAML cannot.

use std::ops::Range;

use memchr::memchr_iter;

use crate::conditions::begins_with_switch;
use crate::fields::Known;
use crate::yaml::{self, NodeValue};
use crate::{Extensions, codes, work};

use super::Edit;

/// A top-level field with everything that belongs to it, or lines that belong to none.
#[derive(Clone, Debug)]
pub(super) struct Region<'t> {
    /// The key; empty where there is none.
    pub(super) key: &'t str,
    /// The place of everything, without the blanks and line ends behind it.
    pub(super) span: Range<usize>,
    /// The place of the value, which begins right behind the colon if the line ends there.
    pub(super) value: Range<usize>,
    /// Whether the value stands right behind the colon, which makes it no value of YAML.
    pub(super) is_glued: bool,
    /// The first line that is not indented, though it goes on with the value.
    pub(super) unindented: Option<usize>,
    /// The blanks before the key, which no reader of YAML accepts there.
    indentation: Range<usize>,
    /// The blanks behind the colon that are none to YAML.
    rare: Range<usize>,
}

impl Region<'_> {
    /// Returns the edits that move the key to the beginning of its line, and put a plain blank
    /// behind it, where that is not so.
    pub(super) fn plain_key(&self) -> impl Iterator<Item = Edit> {
        let places = [
            (&self.indentation, "", codes::LINE_UNINDENTED),
            (&self.rare, " ", codes::TEXT_UNQUOTED),
        ];
        places.into_iter().filter(|(place, ..)| !place.is_empty()).map(|(place, text, code)| Edit {
            value: place.clone(),
            quoted: text.to_owned(),
            is_plain: false,
            culprit: place.clone(),
            code,
        })
    }
}

/// Returns the regions of a text, in order.
pub(super) fn regions(text: &str) -> Vec<Region<'_>> {
    let mut regions: Vec<Region<'_>> = Vec::new();
    let (mut at, mut is_first) = (0, true);
    while at < text.len() {
        // All lines may be indented, which is another matter.
        let (region, next) = region(text, at, is_first);
        is_first &= region.key.is_empty();
        at = next;
        regions.push(region);
    }
    regions
}

/// Returns the region that starts here, and where the next one does.
fn region(text: &str, line: usize, is_first: bool) -> (Region<'_>, usize) {
    let mut lines = text[line..].split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    let mut next = line + first.len();
    let start = line + displaced(first, if is_first { 0 } else { usize::MAX }).unwrap_or(0);
    // A name has one line, so that no known field goes on with it.
    let is_name = first.trim_start().starts_with("name:");
    let most = if is_name { usize::MAX } else { start - line };
    let is_nothing = first.trim().is_empty() || first.trim_start().starts_with('#');
    let is_whole = is_nothing || split(first.trim()).is_some_and(|(_, value)| is_one_line(value));
    let goes_on = |line: &&str| {
        line.starts_with([' ', '\t', '\r', '\n']) && !(is_whole && displaced(line, most).is_some())
    };
    for line in lines.take_while(goes_on) {
        next += line.len();
    }
    work::count(next - start);
    let end = start + text[start..next].trim_end().len();
    let (key, value) = split(&text[start..end]).unwrap_or_default();
    let plain = value.trim_start_matches(|it: char| it.is_whitespace() && !it.is_ascii());
    let is_rare = is_text_field(key) && !begins_with_switch(key);
    let rare = if is_rare { end - value.len()..end - plain.len() } else { end..end };
    let value = if is_rare { end - plain.len()..end } else { end - value.len()..end };
    let is_glued = !key.is_empty()
        && text[value.clone()].starts_with(|it: char| !it.is_ascii_whitespace())
        && text[..value.start].ends_with(':');
    let indentation = line..start;
    let mut region =
        Region { key, span: start..end, value, is_glued, unindented: None, indentation, rare };
    if let Some(end) = continued(text, &region) {
        let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
        region.unindented = Some(next);
        region.span.end = end;
        region.value.end = end;
        return (region, line_end);
    }
    (region, next)
}

/// Returns whether a value ends on its line: it is no block scalar, and closes what it opens.
fn is_one_line(value: &str) -> bool {
    match value.chars().next() {
        None | Some('|' | '>') => false,
        Some(quote @ ('"' | '\'')) => closing(value, quote).is_some(),
        Some('[') => value.ends_with(']'),
        Some('{') => value.ends_with('}'),
        Some(_) => true,
    }
}

/// Returns the indentation of a line that begins a known field behind tabs, or at most so many
/// blanks. Behind more, it may as well go on with a text.
fn displaced(line: &str, most: usize) -> Option<usize> {
    let rest = line.trim_start_matches([' ', '\t']);
    let blanks = &line[..line.len() - rest.len()];
    ((blanks.contains('\t') || blanks.len() <= most) && is_known_field(rest))
        .then_some(blanks.len())
}

/// Returns a key that is a plain word, and the rest behind its colon and the blanks after that;
/// the blanks too if the line ends with them. Behind a known key the value may stand without a
/// blank.
fn split(lines: &str) -> Option<(&str, &str)> {
    let (key, rest) = lines.split_once(':')?;
    let is_key = !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let value = rest.trim_start_matches(' ');
    let is_on_line = !value.is_empty() && !value.starts_with(['\n', '\r']);
    let is_parted = rest.is_empty() || rest.starts_with([' ', '\n', '\r']) || is_known(key);
    (is_key && is_parted).then_some((key, if is_on_line { value } else { rest }))
}

/// Returns the end of a quoted value that is closed in a later line that is not indented, with
/// nothing behind it. Several readers of YAML accept that. Where a known field begins in between,
/// the quote is rather one that was forgotten.
fn continued(text: &str, region: &Region<'_>) -> Option<usize> {
    let quote = char::from(*text.as_bytes().get(region.value.start)?);
    let is_quote = matches!(quote, '"' | '\'') && !region.key.is_empty();
    if !is_quote || closing(&text[region.value.clone()], quote).is_some() {
        return None;
    }
    let rest = &text[region.value.start..];
    let end = region.value.start + closing(rest, quote)? + 1;
    work::count(end - region.value.start);
    let behind = text[end..].lines().next().unwrap_or_default().trim();
    let has_field = text[region.span.end..end].lines().skip(1).any(is_known_field);
    ((behind.is_empty() || behind.starts_with('#')) && !has_field).then_some(end)
}

/// Returns the offset of the quote that closes a quoted value.
pub(super) fn closing(value: &str, quote: char) -> Option<usize> {
    let mut characters = value.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' if quote == '"' => drop(characters.next()),
            '\'' if quote == '\'' && characters.next_if(|(_, next)| *next == '\'').is_some() => {}
            _ if character == quote => return Some(at),
            _ => {}
        }
    }
    None
}

/// Returns the known field that a line in quotes is, as in `'license: MIT'`. Tools in quotes are
/// none.
pub(super) fn in_quotes(line: &str) -> Option<&str> {
    let quote = line.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let field = line.strip_prefix(quote)?.strip_suffix(quote)?;
    let is_field = !field.contains([quote, '\n', '\\']) && is_known_field(field);
    (is_field && !field.starts_with("allowed")).then_some(field)
}

/// Returns whether a line begins a field of the specification or of a known client.
pub(super) fn is_known_field(line: &str) -> bool {
    let Some((key, _)) = split(line.trim_end()) else { return false };
    is_known(key)
}

pub(super) fn is_known(key: &str) -> bool {
    Known::of(key).is_some() || Extensions::known().of_field(key).next().is_some()
}

/// Joins lines that are no field of their own to the field above them.
pub(super) fn joined<'t>(text: &'t str, regions: Vec<Region<'t>>) -> Vec<Region<'t>> {
    let mut all: Vec<Region<'t>> = Vec::new();
    let mut pending = regions.into_iter().peekable();
    while let Some(mut region) = pending.next() {
        let mut others = Vec::new();
        let is_text = |region: &Region<'_>| {
            let written = &text[region.span.clone()];
            region.key.is_empty()
                && !written.starts_with(['#', '?', '{'])
                && !written.starts_with("<<")
                && in_quotes(written).is_none()
                && !written.lines().any(begins_with_switch)
        };
        let mut before = &text[region.value.clone()];
        while let Some(other) = pending.next_if(|other| {
            is_text(other) && (region.key.is_empty() || !is_lost(before, &text[other.span.clone()]))
        }) {
            before = &text[other.span.clone()];
            others.push(other);
        }
        let is_field = |other: &Region<'_>| {
            let read = yaml::parse_last(&text[other.span.clone()]);
            let is_map = |read: yaml::LastRead<'_>| {
                read.root.is_some_and(|root| matches!(root.value, NodeValue::Map(_)))
            };
            other.span.is_empty() || read.is_ok_and(is_map)
        };
        let takes_text = !region.key.is_empty() && region.key != "name";
        match others.last() {
            Some(last) if takes_text && !others.iter().all(is_field) => {
                let first = others.iter().find(|other| !other.span.is_empty());
                region.unindented = region.unindented.or(first.map(|other| other.span.start));
                region.span.end = last.span.end.max(region.span.end);
                region.value.end = region.span.end;
                all.push(region);
            }
            _ => {
                all.push(region);
                all.append(&mut others);
            }
        }
    }
    all
}

/// Returns whether a line does not go on with the text before it: a comment of HTML, a rule of
/// signs, or behind a whole sentence a field without its colon, such as `license MIT`.
fn is_lost(before: &str, line: &str) -> bool {
    let (before, line) = (before.trim_end(), line.trim());
    let is_rule = line.len() > 2 && line.chars().all(|sign| "-=*_~`".contains(sign));
    let first = line.split(char::is_whitespace).next().unwrap_or_default();
    line.starts_with("<!--")
        || line.starts_with("```")
        || is_rule
        || (before.ends_with(['.', '!', '?', '"', '\'', '。']) && is_known(first))
}

/// Returns where a line's plain text ends a key: a colon that a blank or the line's end follows.
pub(super) fn key_end(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    memchr_iter(b':', bytes).find(|at| bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace))
}

/// Returns whether the value of a field is a text, so that a bracket at its start is part of it.
/// A field of a known client that decides something, such as `scope`, is none.
pub(super) fn is_text_field(key: &str) -> bool {
    let is_list = |known| matches!(known, Known::Metadata | Known::AllowedTools | Known::Tags);
    match Known::of(key) {
        Some(Known::AllowedToolsAlias | Known::Priority) => false,
        Some(known) => !is_list(known),
        None => Extensions::standard().declarations(key).all(|it| it.field.kind.takes_text()),
    }
}
