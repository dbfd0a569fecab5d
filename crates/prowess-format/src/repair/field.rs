//! Repairs one field that is not YAML: first its text, then single lines of it. What is left is
//! read as one text, so that it costs no other field.

use crate::conditions::{begins_with_switch, closing_lines, may_be_in_metadata, names_condition};
use crate::{Code, codes, yaml};

use super::candidate::{self, Chunk};
use super::lines::lines;
use super::region::{Region, in_quotes, is_known_field, is_text_field};
use super::text::{as_text, continued, is_refused, is_sign, quoted_lines, remarked};
use super::{Edit, edit, fix};

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
    let ways: [&dyn Fn() -> Option<Vec<Edit>>; 6] = [
        &|| Some(Vec::new()),
        &as_before,
        &|| Some(vec![continued(text, region).or_else(|| as_text(text, region))?]),
        &|| Some(lines(text, region)).filter(|_| !is_tools(region.key)),
        &|| Some(vec![without_refused(text, region)?]),
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
    let is_within = |(start, end)| written.starts_with(start) && written.ends_with(end);
    let is_template = [("{{", "}}"), ("{%", "%}")].into_iter().any(is_within);
    let is_other = written.starts_with(['{', '[', '?', '"', '\'', '%']) || written == "...";
    if (is_other && !is_template) || names_condition(written) {
        return None;
    }
    let lines: Vec<_> = written.lines().map(|line| format!("# {}", line.trim_end())).collect();
    let (span, start) = (region.span.clone(), region.span.start);
    Some(edit(span, lines.join("\n"), start, codes::FIELD_UNREADABLE))
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

/// Returns whether a field lists tools, of which nothing is allowed that YAML does not read.
fn is_tools(key: &str) -> bool {
    matches!(key, "allowed-tools" | "allowed_tools")
}

/// Reads a text with blanks in place of characters that YAML refuses anywhere.
fn without_refused(text: &str, region: &Region<'_>) -> Option<Edit> {
    let value = &text[region.value.clone()];
    let at = value.find(|it| is_refused(it) && it != '\t')?;
    let is_open = is_text_field(region.key) && !begins_with_switch(region.key);
    let copy = value.replace(|it| is_refused(it) && it != '\t', " ");
    let edit = edit(region.value.clone(), copy, region.value.start + at, codes::FIELD_UNREADABLE);
    (is_open && region.key != "name").then_some(edit)
}

/// Reads a field as one text. A list of tools has no item then, and a switch closes.
fn as_one_text(text: &str, region: &Region<'_>) -> Option<Edit> {
    let value = &text[region.value.clone()];
    let is_field = |line: &str| is_known_field(line.trim_start());
    let text = match region.key {
        "" => return None,
        // Readers give the value of the anchor, which is no text; a line may be another field.
        "description" if value.starts_with('*') || value.lines().skip(1).any(is_field) => {
            return None;
        }
        // The name of the directory stands in.
        "name" => remarked("''", value),
        key if DECIDING.contains(&key) => return None,
        key if is_tools(key) => remarked("[]", value),
        // What it needs cannot be known, so that no machine has it.
        "metadata"
            if may_be_in_metadata(value) && !value.lines().skip(1).any(begins_with_switch) =>
        {
            remarked("{openclaw: {os: [unreadable]}}", value)
        }
        // Another field may take it by an alias, so that the skill is hidden.
        _ if value.starts_with('&') && names_condition(value) => {
            quoted_lines(value) + &closing_lines(value)?
        }
        _ if value.lines().skip(1).any(begins_with_switch) => return None,
        // With its colon, the value of a switch is none, so the skill is hidden.
        key if region.is_glued && begins_with_switch(key) => quoted_lines(&format!(":{value}")),
        _ => quoted_lines(&value.replace(is_refused, " ")),
    };
    let text = if region.is_glued { format!(" {text}") } else { text };
    let start = region.value.start;
    Some(edit(region.value.clone(), text, start, codes::FIELD_UNREADABLE))
}
