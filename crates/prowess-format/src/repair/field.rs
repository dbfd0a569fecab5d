//! Repairs one field that is not YAML: first its text, then single lines of it. What is left is
//! read as one text, so that it costs no other field.

use std::ops::Range;

use crate::conditions::{begins_with_switch, may_be_in_metadata, names_condition};
use crate::{Code, codes, yaml};

use super::candidate::{self, Chunk, quoted};
use super::region::{Region, closing, in_quotes, is_known_field, is_text_field, key_end};
use super::{Edit, fix};

/// Fields that limit a skill. Without its value the skill would be offered to everybody, or do what
/// its hook prevents.
pub(super) const DECIDING: [&str; 3] = ["scope", "requires", "hooks"];

/// What costs its field, or the skill where that field decides: readers do not agree on it.
const REFUSED: [Code; 3] = [codes::YAML_ANCHOR, codes::YAML_TAG, codes::YAML_MERGE_KEY];

/// Returns whether a region names a value that an alias may stand for.
pub(super) fn has_anchor(text: &str, region: &Region<'_>) -> bool {
    let written = yaml::parse_last(&text[region.span.clone()]);
    written.is_err_and(|error| error.code == codes::YAML_ANCHOR)
}

/// Returns the edits that make a region YAML, none if it is; `None` if there are no such edits.
/// An alias may be meant as one if there are regions with anchors.
pub(super) fn edits(text: &str, region: &Region<'_>, anchors: &[&Region<'_>]) -> Option<Vec<Edit>> {
    let error = yaml::parse_last(&text[region.span.clone()]).err().map(|error| error.code);
    let is_refused =
        |code: &Code| REFUSED.contains(code) || (!anchors.is_empty() && *code == codes::YAML_ALIAS);
    if error == Some(codes::YAML_TOO_DEEP) {
        return None;
    }
    if region.key.is_empty() {
        return match error {
            None if !is_loose(text, region) => Some(Vec::new()),
            _ => Some(vec![out_of_quotes(text, region).or_else(|| as_comment(text, region))?]),
        };
    }
    if region.is_glued || error.as_ref().is_some_and(is_refused) {
        let sign = Some(region).filter(|it| !it.is_glued && it.key == "description");
        let sign = sign.filter(|it| is_sign(&text[it.value.clone()]));
        let edit = sign.and_then(|region| as_text(text, region));
        let edit = edit.or_else(|| behind_sign(text, region));
        let edit = edit.or_else(|| of_alias(text, region, anchors));
        return Some(vec![edit.or_else(|| as_one_text(text, region))?]);
    }
    let reads = |edits: &Vec<Edit>| {
        let (copy, _) = fix(text, region.span.clone(), edits);
        yaml::parse_last(&copy).is_ok()
    };
    let chunk = Chunk::of(text, region);
    let as_before = || Some(vec![chunk.as_ref().and_then(candidate::edit)?]);
    let ways: [&dyn Fn() -> Option<Vec<Edit>>; 5] = [
        &|| Some(Vec::new()),
        &as_before,
        &|| Some(vec![continued(text, region).or_else(|| as_text(text, region))?]),
        &|| Some(lines(text, region)).filter(|_| !is_tools(region.key)),
        &|| Some(vec![as_one_text(text, region)?]),
    ];
    ways.iter().filter_map(|way| way()).find(reads)
}

/// Returns whether a region without a key is a line that YAML reads, though as no field.
fn is_loose(text: &str, region: &Region<'_>) -> bool {
    let read = yaml::parse_last(&text[region.span.clone()]).ok().and_then(|read| read.root);
    read.is_some_and(|root| !matches!(root.value, yaml::NodeValue::Map(_)))
}

/// Takes the quotes off a line that is a field.
fn out_of_quotes(text: &str, region: &Region<'_>) -> Option<Edit> {
    let field = in_quotes(&text[region.span.clone()])?;
    let is_map = yaml::parse_last(field).is_ok();
    let (span, start) = (region.span.clone(), region.span.start);
    is_map.then(|| edit(span, field.to_owned(), start, codes::LINE_UNINDENTED))
}

/// Makes a comment of lines that are no field, unless they may have been meant to decide something,
/// or to be the whole frontmatter.
fn as_comment(text: &str, region: &Region<'_>) -> Option<Edit> {
    let written = &text[region.span.clone()];
    let is_template = written.starts_with("{{") && written.ends_with("}}");
    let is_other = written.starts_with(['{', '[', '?', '"', '\'', '%']) || written == "...";
    if (is_other && !is_template) || names_condition(written) {
        return None;
    }
    let lines: Vec<_> = written.lines().map(|line| format!("# {}", line.trim_end())).collect();
    let (span, start) = (region.span.clone(), region.span.start);
    Some(edit(span, lines.join("\n"), start, codes::FIELD_UNREADABLE))
}

/// Returns whether a text begins with a sign that marks a tag or an anchor, and is none that a
/// reader knows: `!important`, `& more`.
fn is_sign(value: &str) -> bool {
    (value.starts_with('!') && !value.starts_with("!!")) || value.starts_with("& ")
}

/// Takes off a text what changes nothing about it for any reader: the tag `!!str`, or an anchor.
fn behind_sign(text: &str, region: &Region<'_>) -> Option<Edit> {
    let mut rest = &text[region.value.clone()];
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_sign = |(sign, _): &(&str, &str)| {
        let name = sign.strip_prefix('&').unwrap_or_default();
        *sign == "!!str" || (!name.is_empty() && name.bytes().all(is_name))
    };
    while let Some((_, value)) = rest.split_once([' ', '\n']).filter(is_sign) {
        rest = value.trim_start_matches(' ');
    }
    let read = yaml::parse_last(rest).ok().and_then(|read| read.root);
    let is_text = read.is_some_and(|it| matches!(it.value, yaml::NodeValue::Text { .. }));
    let is_open = !region.is_glued && is_text_field(region.key) && !begins_with_switch(region.key);
    let start = region.value.start;
    (is_open && is_text && !rest.is_empty() && rest.len() < region.value.len())
        .then(|| edit(region.value.clone(), rest.to_owned(), start, codes::FIELD_UNREADABLE))
}

/// Reads an alias that is the description as every reader of YAML does, which gives the text that a
/// field above has behind its anchor.
fn of_alias(text: &str, region: &Region<'_>, anchors: &[&Region<'_>]) -> Option<Edit> {
    let name =
        text[region.value.clone()].strip_prefix('*').filter(|_| region.key == "description")?;
    let is_it = |field: &&&Region<'_>| {
        let written = text[field.value.clone()].strip_prefix('&');
        let rest = written.and_then(|written| written.strip_prefix(name));
        field.span.end <= region.span.start && rest.is_some_and(|it| it.starts_with([' ', '\n']))
    };
    let field = anchors.iter().rev().find(is_it)?;
    let start = region.value.start;
    let read = behind_sign(text, field)?.quoted;
    Some(edit(region.value.clone(), read, start, codes::FIELD_UNREADABLE))
}

/// Indents the lines of a quoted value.
pub(super) fn continued(text: &str, region: &Region<'_>) -> Option<Edit> {
    let value = &text[region.value.clone()];
    let unindented = unindented(region, value)?;
    let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let is_whole = closing(value, quote)? + 1 == value.len();
    is_whole.then(|| Edit {
        value: region.value.clone(),
        quoted: indented(value, 1),
        is_plain: false,
        culprit: unindented..unindented + 1,
        code: codes::LINE_UNINDENTED,
    })
}

/// Returns the first line that goes on with the value, and is not indented or is so by tabs.
fn unindented(region: &Region<'_>, value: &str) -> Option<usize> {
    let mut at = region.value.start;
    let is_tabbed = |line: &str| {
        line.trim_start_matches(' ').starts_with('\t') && !line.trim_start().is_empty()
    };
    let mut tabbed = value.split_inclusive('\n').enumerate().filter_map(|(number, line)| {
        at += line.len();
        (number > 0 && is_tabbed(line)).then_some(at - line.len())
    });
    region.unindented.or_else(|| tabbed.next())
}

/// Returns the columns by which a line is indented, where a tab counts as two.
fn width(line: &str) -> usize {
    let blanks = line.bytes().map_while(|byte| match byte {
        b' ' => Some(1),
        b'\t' => Some(2),
        _ => None,
    });
    blanks.sum()
}

/// Indents the lines of a text behind its first that are not, or less than by a width, or by tabs.
fn indented(value: &str, least: usize) -> String {
    let mut lines = value.split_inclusive('\n');
    let mut copy = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        let text = line.trim_start_matches([' ', '\t']);
        let is_empty = text.starts_with(['\r', '\n']);
        if is_empty || (blanks >= least && !line.trim_start_matches(' ').starts_with('\t')) {
            copy.push_str(if is_empty { text } else { line });
        } else {
            copy.push_str(&" ".repeat(width(line).max(least)));
            copy.push_str(text);
        }
    }
    copy
}

/// Reads a value as the text that its author saw.
fn as_text(text: &str, region: &Region<'_>) -> Option<Edit> {
    let value = &text[region.value.clone()];
    let first = value.trim_start().chars().next()?;
    let at = region.value.end - value.trim_start().len();
    let is_list = (matches!(first, '[' | '{' | '&' | '!' | '#')
        && !(region.key == "description" && is_sign(value)))
        || (is_collection(value) && region.key != "description");
    let has_switch = value.lines().skip(1).any(begins_with_switch);
    if is_list || has_switch || !is_text_field(region.key) {
        return None;
    }
    let unindented = unindented(region, value);
    if value.trim_start().split_once('\n').is_some_and(|(header, _)| is_block(header)) {
        let (copy, less) = block(value)?;
        let culprit = unindented.unwrap_or(region.value.start + less);
        return Some(edit(region.value.clone(), copy, culprit, codes::LINE_UNINDENTED));
    }
    let first_line = value.lines().next().unwrap_or_default();
    let (culprit, code) = match (first, unindented, key_end(first_line)) {
        ('"' | '\'', None, _) => (at, codes::TEXT_UNQUOTED),
        (
            '*' | '@' | '`' | '%' | '-' | '?' | ':' | ',' | ']' | '}' | '|' | '>' | '\u{feff}'
            | '!' | '&',
            None,
            _,
        ) => (at, codes::TEXT_UNQUOTED),
        (_, _, Some(colon)) => (region.value.start + colon, codes::UNQUOTED_COLON),
        (_, Some(unindented), None) => (unindented, codes::LINE_UNINDENTED),
        (_, None, None) => (later_colon(value)? + region.value.start, codes::UNQUOTED_COLON),
    };
    let copy = quoted_lines(without_quotes(value).unwrap_or(value));
    Some(edit(region.value.clone(), copy, culprit, code))
}

/// Returns a text in single quotes that has apostrophes within, `'Don't'`, or one in double quotes
/// with a backslash that is no escape, `"C:\Users"`. A comma behind the quote is that of JSON.
fn without_quotes(value: &str) -> Option<&str> {
    let value = value.trim().strip_suffix(',').unwrap_or(value.trim());
    if let Some(inner) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return (!inner.contains('"')).then_some(inner);
    }
    let inner = value.strip_prefix('\'')?.strip_suffix('\'')?;
    let is_word = |part: Option<char>| part.is_some_and(char::is_alphanumeric);
    let is_apostrophe = |(at, _): (usize, &str)| {
        is_word(inner[..at].chars().next_back()) && is_word(inner[at + 1..].chars().next())
    };
    inner.match_indices('\'').all(is_apostrophe).then_some(inner)
}

fn edit(value: Range<usize>, quoted: String, culprit: usize, code: Code) -> Edit {
    Edit { value, quoted, is_plain: false, culprit: culprit..culprit, code }
}

/// Returns whether a value begins in a later line as a list or a mapping.
fn is_collection(value: &str) -> bool {
    let first = value.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    value.starts_with(['\r', '\n']) && value_of(first) != first
}

/// Returns a block scalar with all of its lines indented as the first one, and the first that was
/// less. A known field in such a line may rather be one.
fn block(value: &str) -> Option<(String, usize)> {
    let written = value.trim_start();
    let (header, lines) = written.split_once('\n')?;
    let first = lines.lines().find(|line| !line.trim().is_empty())?;
    let said = header.bytes().find(u8::is_ascii_digit).map(|digit| usize::from(digit - b'0'));
    let least = match width(first) {
        0 => 2,
        width => said.unwrap_or(width),
    };
    let mut at = value.len() - lines.len();
    let mut less = None;
    for line in lines.split_inclusive('\n') {
        if (1..least).contains(&width(line)) && !line.trim().is_empty() {
            less = less.or(Some(at));
            if is_known_field(line.trim_start()) {
                return None;
            }
        }
        at += line.len();
    }
    let blank = if written.len() < value.len() { " " } else { "" };
    Some((format!("{blank}{}", indented(written, least)), less.unwrap_or_default()))
}

/// Returns whether a value begins a block scalar, whose lines follow.
fn is_block(header: &str) -> bool {
    let rest = header.trim_end().strip_prefix(['|', '>']);
    rest.is_some_and(|rest| {
        rest.len() <= 2 && rest.bytes().all(|byte| b"+-123456789".contains(&byte))
    })
}

/// Returns the colon of a later line that YAML reads as the end of a key, unless the line is rather
/// a field with wrong indentation.
fn later_colon(value: &str) -> Option<usize> {
    let mut start = value.find('\n')? + 1;
    let mut found = None;
    for line in value[start..].split_inclusive('\n') {
        if is_known_field(line.trim_start()) {
            return None;
        }
        found = found.or_else(|| Some(start + key_end(line)?));
        start += line.len();
    }
    found
}

/// Returns a text of several lines in quotes. Reading joins them as it joins the lines of a plain
/// value.
fn quoted_lines(value: &str) -> String {
    let lines: Vec<_> = value.lines().map(str::trim).collect();
    let blank = if value.starts_with(['\r', '\n']) || value.is_empty() { " " } else { "" };
    let lines = lines.join("\n ");
    format!("{blank}{}", quoted(lines.trim()))
}

/// Repairs values of nested lines that end on their line.
fn lines(text: &str, region: &Region<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut start = region.span.start;
    // The indentation of the field whose block scalar goes on.
    let mut of_block = None;
    for line in text[region.span.clone()].split_inclusive('\n') {
        let indentation = line.len() - line.trim_start_matches(' ').len();
        if of_block.is_none_or(|width| indentation <= width) && !line.trim().is_empty() {
            let value = value_of(line.trim_end());
            of_block = is_block(value).then_some(indentation);
            let at = start + line.trim_end().len() - value.len();
            if of_block.is_none() {
                line_edits(value, at, &mut edits);
            }
        }
        start += line.len();
    }
    edits
}

/// Returns the value of a line, behind the signs of list items and a key.
fn value_of(line: &str) -> &str {
    let mut rest = line.trim_start();
    while let Some(item) = rest.strip_prefix("- ") {
        rest = item.trim_start();
    }
    let is_key =
        |key: &str| key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    match rest.split_once(':') {
        Some((key, "")) if is_key(key) => "",
        Some((key, value)) if is_key(key) && value.starts_with(' ') => value.trim_start(),
        _ => rest,
    }
}

fn line_edits(value: &str, at: usize, edits: &mut Vec<Edit>) {
    let whole =
        |culprit: usize, code| edit(at..at + value.len(), quoted(value), at + culprit, code);
    match value.chars().next() {
        Some('[' | '{') => items(value, at, edits),
        Some(quote @ ('"' | '\'')) => {
            let behind = closing(value, quote).map(|end| value[end + 1..].trim_start());
            if behind.is_some_and(|behind| !behind.is_empty() && !behind.starts_with(['#', ':'])) {
                edits.push(whole(0, codes::TEXT_UNQUOTED));
            }
        }
        Some('*' | '@' | '`' | '%') => edits.push(whole(0, codes::TEXT_UNQUOTED)),
        Some('&' | '!' | '#' | '|' | '>' | '?' | '-') | None => {}
        Some(_) => edits.extend(key_end(value).map(|colon| whole(colon, codes::UNQUOTED_COLON))),
    }
}

/// Quotes the items of a list or mapping in brackets that begin with a sign of YAML.
fn items(value: &str, at: usize, edits: &mut Vec<Edit>) {
    let mut start = 0;
    for item in value.split_inclusive([',', '[', ']', '{', '}']) {
        let written = item.trim_end_matches([',', '[', ']', '{', '}']);
        let (key, rest) = written.split_once(": ").unwrap_or(("", written));
        let behind_key = written.len() - rest.len();
        let text = rest.trim();
        let begin = start + behind_key + (rest.len() - rest.trim_start().len());
        if text.starts_with(['*', '@', '`', '%']) && !key.contains(['"', '\'']) {
            let span = at + begin..at + begin + text.len();
            edits.push(edit(span, quoted(text), at + begin, codes::TEXT_UNQUOTED));
        }
        start += item.len();
    }
}

/// Returns whether a field lists tools, of which nothing is allowed that YAML does not read.
fn is_tools(key: &str) -> bool {
    matches!(key, "allowed-tools" | "allowed_tools")
}

/// Returns whether YAML refuses a character anywhere.
fn is_refused(character: char) -> bool {
    character.is_control() && !matches!(character, '\n' | '\r')
}

/// Reads a field as one text. A list of tools has no item then, and a switch closes.
fn as_one_text(text: &str, region: &Region<'_>) -> Option<Edit> {
    let value = &text[region.value.clone()];
    let text = match region.key {
        "" | "description" => return None,
        // The name of the directory stands in.
        "name" => " ''".to_owned(),
        key if DECIDING.contains(&key) => return None,
        key if is_tools(key) => " []".to_owned(),
        "metadata" if may_be_in_metadata(value) => return None,
        _ if value.lines().skip(1).any(begins_with_switch) => return None,
        // Another field may take it by an alias.
        _ if value.starts_with('&') && names_condition(value) => return None,
        // With its colon, the value of a switch is none, so the skill is hidden.
        key if region.is_glued && begins_with_switch(key) => quoted_lines(&format!(":{value}")),
        _ => quoted_lines(&value.replace(is_refused, " ")),
    };
    let text = if region.is_glued { format!(" {text}") } else { text };
    let start = region.value.start;
    Some(edit(region.value.clone(), text, start, codes::FIELD_UNREADABLE))
}
