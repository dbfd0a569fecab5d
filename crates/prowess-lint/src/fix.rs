//! Fixes what has exactly one right answer.

use std::ops::Range;

use prowess_core::Code;
use prowess_format::{
    Directory, Document, Field, Parsed, Profile, Rules, Value, codes, parse, parse_in, read_switch,
    repaired,
};
use similar::TextDiff;

/// U+FEFF in UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The fields of the specification, whose names have one right spelling.
const FIELDS: [&str; 6] =
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// A text with its mistakes fixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The text before.
    pub before: String,
    /// The text after.
    pub after: String,
    /// The codes of the fixed findings, in the order of the file.
    pub codes: Vec<Code>,
}

impl Fixed {
    /// Returns whether anything was fixed.
    pub fn is_changed(&self) -> bool {
        !self.codes.is_empty()
    }

    /// Returns the change as a unified diff of the file at `path`.
    pub fn diff(&self, path: &str) -> String {
        let diff = TextDiff::from_lines(&self.before, &self.after);
        diff.unified_diff().context_radius(2).header(path, path).to_string()
    }
}

/// Fixes the text of a `SKILL.md`: a byte order mark goes, a plain value with a colon and one that
/// other readers take for a number or a date are quoted, a field of the specification that is
/// spelled with other letter case or `_` gets its name, what is read as text, as indented, as empty
/// or without an earlier value of its key is written so, and a switch that hides the skill says it.
///
/// Everything else stays byte for byte, comments too. A change is made only if the fixed file says
/// what the file said before; what needs a choice, such as a name that differs from the
/// directory's, is left to the author, and so is a file that cannot be read at all, and renaming
/// `skill.md`. Fixing a fixed file changes nothing.
///
/// # Errors
///
/// None: what is not text comes back as `None`.
pub fn fix(text: &[u8]) -> Option<Fixed> {
    let before = std::str::from_utf8(text).ok()?.to_owned();
    let mut after = before.clone();
    let mut codes = Vec::new();
    if let Some(rest) = after.strip_prefix(BYTE_ORDER_MARK) {
        after = rest.to_owned();
        codes.push(codes::BYTE_ORDER_MARK);
    }
    // A key in its right letters may have a value to be written in another way.
    for _ in 0..MOST_PASSES {
        let (start, first) = (after.clone(), codes.len());
        apply(edits(&after), &mut after, &mut codes, first);
        // What was read otherwise than it is written is written as it was read.
        let says_the_same = |text: &str| said(text).is_some_and(|it| Some(it) == said(&after));
        if let Some(repaired) = repaired(&after).filter(|it| says_the_same(&it.text)) {
            after = repaired.text;
            codes.extend(repaired.codes);
        }
        if after == start {
            break;
        }
    }
    Some(Fixed { before, after, codes })
}

/// The maximum number of times that a text is repaired.
const MOST_PASSES: usize = 4;

/// Applies edits from the end to the start, so that earlier spans stay valid. Their codes are
/// inserted at `first` in the order of the file.
fn apply(edits: Vec<Edit>, text: &mut String, codes: &mut Vec<Code>, first: usize) {
    for edit in edits.into_iter().rev() {
        if let Some(fixed) = applied(text, &edit) {
            *text = fixed;
            codes.insert(first, edit.code);
        }
    }
}

/// Bytes to be replaced.
struct Edit {
    code: Code,
    span: Range<usize>,
    with: String,
}

/// Returns the possible edits, in the order of the file.
fn edits(text: &str) -> Vec<Edit> {
    let Parsed { document, diagnostics } = lenient(text);
    let Some(document) = document else {
        return Vec::new();
    };
    let strict = parse(text.as_bytes(), Profile::Spec).diagnostics;
    let places = |code: Code| -> Vec<Range<usize>> {
        let found = strict.iter().chain(&diagnostics).filter(|found| found.code == code);
        found.filter_map(|found| found.span.clone()).collect()
    };
    let colons = places(codes::UNQUOTED_COLON);
    let plain = places(codes::PLAIN_NOT_TEXT);
    let flows = places(codes::FLOW_FOR_TEXT);
    let switches = places(codes::SWITCH_UNREADABLE);
    let fields = &document.frontmatter.fields;
    let mut edits = Vec::new();
    for field in &fields.0 {
        let span = &field.value_span;
        let is_inside = |place: &Range<usize>| span.contains(&place.start);
        let is_switch = |place: &Range<usize>| *place == field.key_span || place == span;
        let is_of_field =
            |place: &Range<usize>| (field.key_span.start..span.end).contains(&place.start);
        let rest = text[span.end..].trim_start_matches([' ', '\t']);
        let end = if rest.starts_with('#') { span.end } else { text.len() - rest.len() };
        let around = [field.key_span.end..span.start, span.end..end];
        let has_tab = around.into_iter().any(|it| text[it].contains('\t'));
        let quoted = || {
            let text = field.value.as_text()?;
            Some(format!("{}: '{}'", field.key, text.replace('\'', "''")))
        };
        let (code, with) = if flows.iter().any(is_of_field) {
            (codes::FLOW_FOR_TEXT, quoted())
        } else if has_tab && plain.iter().any(is_inside) {
            (codes::PLAIN_NOT_TEXT, quoted())
        } else {
            let read = read_switch(&field.key, &field.value);
            let with = read.filter(|_| switches.iter().any(is_switch));
            (codes::SWITCH_UNREADABLE, with.map(|(key, value)| format!("{key}: {value}")))
        };
        if let Some(with) = with {
            edits.push(Edit { code, span: field.key_span.start..end, with });
            continue;
        }
        edits.extend(spelling(field, &document));
        if colons.iter().any(is_inside) {
            edits.extend(quoting(text, field, codes::UNQUOTED_COLON));
        } else if plain.iter().any(is_inside) {
            edits.extend(quoting(text, field, codes::PLAIN_NOT_TEXT));
        }
    }
    edits
}

/// The right name of a field that differs from it by letter case and `_` alone.
fn spelling(field: &Field, document: &Document<'_>) -> Option<Edit> {
    let right = field.key.to_ascii_lowercase().replace('_', "-");
    let is_meant = FIELDS.contains(&right.as_str()) && right != field.key;
    let is_free = document.frontmatter.fields.get(&right).is_none();
    let code = match field.key.as_str() {
        "allowed_tools" => codes::ALLOWED_TOOLS_ALIAS,
        _ => codes::MISSPELLED_FIELD,
    };
    (is_meant && is_free).then(|| Edit { code, span: field.key_span.clone(), with: right })
}

/// The value in quotes. A null has no right answer: is it the word, or nothing?
fn quoting(text: &str, field: &Field, code: Code) -> Option<Edit> {
    let Value::Text(value) = &field.value else {
        return None;
    };
    if matches!(value.as_str(), "" | "~") || value.eq_ignore_ascii_case("null") {
        return None;
    }
    let written = text.get(field.value_span.clone())?.trim_end();
    let span = field.value_span.start..field.value_span.start + written.len();
    let with = if written.contains('\'') {
        format!("\"{}\"", written.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        format!("'{written}'")
    };
    Some(Edit { code, span, with })
}

/// The text with the edit, if it then says what it said, and the finding is gone.
fn applied(text: &str, edit: &Edit) -> Option<String> {
    let mut fixed = text.to_owned();
    fixed.replace_range(edit.span.clone(), &edit.with);
    let is_same = said(text)? == said(&fixed)?;
    let count = |text: &str| {
        let strict = parse(text.as_bytes(), Profile::Spec).diagnostics;
        let found = strict.into_iter().chain(lenient(text).diagnostics);
        found.filter(|found| found.code == edit.code).count()
    };
    (is_same && count(&fixed) < count(text)).then_some(fixed)
}

/// Reads a file in a directory of any name, which may stand in for its own.
fn lenient(text: &str) -> Parsed<'_> {
    let directory = Directory { name: "skill", is_compared: false };
    parse_in(text.as_bytes(), Some(directory), &Rules::of(Profile::Lenient))
}

/// Returns the meaning of a file: the values by the correct names of their fields, and the body.
fn said(text: &str) -> Option<(Vec<(String, Value)>, String)> {
    let document = lenient(text).document?;
    let fields = document.frontmatter.fields.0.into_iter().map(|field| {
        if let Some((key, value)) = read_switch(&field.key, &field.value) {
            return (key.to_owned(), Value::Text(value.to_owned()));
        }
        let right = field.key.to_ascii_lowercase().replace('_', "-");
        (if FIELDS.contains(&right.as_str()) { right } else { field.key }, field.value)
    });
    Some((fields.collect(), document.body.to_owned()))
}
