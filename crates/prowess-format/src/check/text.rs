//! The rules of `description`, the optional fields and the body.

use memchr::memchr_iter;
use prowess_text::find_invisible;
use std::ops::Range;

use crate::codes;
use crate::fields::{Fields, Known, MAX_KEY, Shape};
use crate::findings::Findings;
use crate::{Limit, for_message, work};

pub(super) fn check(fields: &Fields<'_>, opening: usize, findings: &mut Findings<'_>) {
    check_description(fields, opening, findings);
    optional(fields, Known::License, "license", findings);
    check_compatibility(fields, findings);
    check_metadata(fields, findings);
}

fn check_description(fields: &Fields<'_>, opening: usize, findings: &mut Findings<'_>) {
    let Some(entry) = fields.get(Known::Description) else {
        return findings.report(codes::DESCRIPTION_MISSING, opening..opening + 3, || {
            (
                "the frontmatter has no `description`",
                "add a line `description: ` that says what the skill does and when to use it",
            )
        });
    };
    let span = entry.value_span.clone();
    let Shape::Text { text, is_plain } = &entry.shape else {
        return findings.report(codes::DESCRIPTION_NOT_TEXT, span, || {
            (
                format!("`description` is a {}, not a text", entry.shape.kind()),
                as_text("description", &entry.shape),
            )
        });
    };
    check_plain("description", text, *is_plain, &span, findings);
    if !fields.is_printable_ascii {
        check_hidden("description", text, &span, findings);
    }
    if *is_plain {
        check_cut(span.end, findings);
    }
    // A block ends with a line end, which is no mistake.
    let written = text.strip_suffix('\n').unwrap_or(text);
    let text = text.trim();
    if text.is_empty() {
        return findings.report(codes::DESCRIPTION_EMPTY, span, || {
            ("`description` is empty", "say what the skill does and when to use it")
        });
    }
    if written.len() > text.len() {
        findings.report(codes::DESCRIPTION_TRIMMED, span.clone(), || {
            (
                "`description` has blanks at an end",
                "remove the blanks: the description is read without them",
            )
        });
    }
    let limit = findings.rules().limits.description_characters;
    check_length(("description", text, limit), codes::DESCRIPTION_TOO_LONG, span, findings);
}

/// Reports a comment behind a plain description: `Fixes issue #12` loses its end without a word.
fn check_cut(end: usize, findings: &mut Findings<'_>) {
    let rest = findings.text_from(end);
    let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if blanks == 0 || rest.get(blanks) != Some(&b'#') {
        return;
    }
    let start = end + blanks;
    findings.report(codes::DESCRIPTION_CUT, start..start + 1, || {
        (
            "the description ends at ` #`; the rest of the line is a comment",
            "quote the value if the `#` is part of its text",
        )
    });
}

fn check_compatibility(fields: &Fields<'_>, findings: &mut Findings<'_>) {
    if let Some((text, span)) = optional(fields, Known::Compatibility, "compatibility", findings) {
        let limit = findings.rules().limits.compatibility_characters;
        check_length(("compatibility", text, limit), codes::COMPATIBILITY_TOO_LONG, span, findings);
    }
}

fn check_length(
    (field, text, limit): (&str, &str, Limit),
    code: crate::Code,
    span: Range<usize>,
    findings: &mut Findings<'_>,
) {
    let most = limit.max;
    // Bytes bound characters from above, so most texts need no counting.
    if text.len() <= most {
        return;
    }
    let characters = text.chars().count();
    if characters > most {
        findings.report_limit(limit, code, span, || {
            (
                format!("`{field}` has {characters} characters, more than {most}"),
                format!("shorten it to {most} characters; details belong in the body"),
            )
        });
    }
}

/// Describes how to write a list or a mapping as a text.
fn as_text(field: &str, shape: &Shape<'_>) -> String {
    let Shape::List(items) = shape else {
        return format!("write one text on the line of the key: `{field}: …`");
    };
    let items: Vec<&str> = items.iter().flatten().map(AsRef::as_ref).take(3).collect();
    format!("write one text on the line of the key: `{field}: {}`", for_message(&items.join(", ")))
}

/// The text of an optional field; a finding where it is something else.
fn optional<'f>(
    fields: &'f Fields<'_>,
    known: Known,
    name: &str,
    findings: &mut Findings<'_>,
) -> Option<(&'f str, Range<usize>)> {
    let entry = fields.get(known)?;
    let span = entry.value_span.clone();
    let Shape::Text { text, is_plain } = &entry.shape else {
        findings.report(codes::FIELD_NOT_TEXT, span, || {
            (
                format!("`{name}` is a {}, not a text", entry.shape.kind()),
                as_text(name, &entry.shape),
            )
        });
        return None;
    };
    check_plain(name, text, *is_plain, &span, findings);
    Some((text, span))
}

fn check_metadata(fields: &Fields<'_>, findings: &mut Findings<'_>) {
    let Some(entry) = fields.get(Known::Metadata) else {
        return;
    };
    let is_absent = matches!(&entry.shape, Shape::Text { text, is_plain: true } if text.is_empty());
    if is_absent {
        return;
    }
    if let Shape::Map { long_key, .. } = &entry.shape {
        return report_long_key(long_key.clone(), findings);
    }
    findings.report(codes::METADATA_NOT_MAPPING, entry.value_span.clone(), || {
        (
            format!("`metadata` is a {}, not a mapping", entry.shape.kind()),
            "write one indented `key: value` line for each entry",
        )
    });
}

fn report_long_key(key: Option<Range<usize>>, findings: &mut Findings<'_>) {
    let Some(span) = key else {
        return;
    };
    findings.report(codes::METADATA_KEY_TOO_LONG, span, || {
        (
            format!("a key of `metadata` has more than {MAX_KEY} characters"),
            "shorten the key; long text belongs in the value",
        )
    });
}

/// Reports a hidden character of a text.
pub(super) fn check_hidden(
    field: &str,
    text: &str,
    span: &Range<usize>,
    findings: &mut Findings<'_>,
) {
    if let Some(character) = find_invisible(text) {
        findings.report(codes::HIDDEN_CHARACTER, span.clone(), || {
            (
                format!("`{field}` has the hidden character U+{:04X}", u32::from(character)),
                "remove it: a reader cannot see what a model reads",
            )
        });
    }
}

/// Reports an unquoted value that most readers of YAML do not take for a text.
pub(super) fn check_plain(
    field: &str,
    text: &str,
    is_plain: bool,
    span: &Range<usize>,
    findings: &mut Findings<'_>,
) {
    let is_block = findings.text_from(span.start).starts_with(b"|")
        || findings.text_from(span.start).starts_with(b">");
    let mut behind = findings.text_from(span.end).iter().skip_while(|byte| **byte == b' ');
    let has_tab = behind.next() == Some(&b'\t')
        || findings.text_from(span.start.saturating_sub(1)).starts_with(b"\t");
    if has_tab && !is_block && findings.rules().mends_fields() {
        findings.report(codes::PLAIN_NOT_TEXT, span.clone(), || {
            (
                format!(
                    "other readers, such as PyYAML, refuse a tab next to the value of `{field}`"
                ),
                "write a blank instead of the tab",
            )
        });
    }
    if let Some(kind) = is_plain.then(|| plain_kind(text)).flatten() {
        findings.report(codes::PLAIN_NOT_TEXT, span.clone(), || {
            (
                format!("other readers take the value `{text}` of `{field}` for {kind}"),
                format!("quote the value: `{field}: \"{text}\"`"),
            )
        });
    }
}

/// Returns the type that YAML's common schemas give a plain scalar; `None` if it is a string.
pub(crate) fn plain_kind(text: &str) -> Option<&'static str> {
    match text.len() {
        0 => None,
        1..=5 if is_word(text, &["~", "null"]) => Some("nothing"),
        1..=2 if matches!(text, "=" | "<<") => Some("a sign of YAML"),
        1..=5 if is_word(text, &["true", "false", "yes", "no", "on", "off"]) => {
            Some("a truth value")
        }
        1..=40
            if text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first)) =>
        {
            number_kind(text)
        }
        _ => None,
    }
}

fn is_word(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn number_kind(text: &str) -> Option<&'static str> {
    let is_number = |text: &str, most: usize| {
        (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let (date, time) = text.split_once(['T', 't', ' ']).unwrap_or((text, ""));
    let mut parts = date.split('-');
    let is_date = parts.next().is_some_and(|year| year.len() == 4 && is_number(year, 4))
        && parts.clone().count() == 2
        && parts.all(|part| is_number(part, 2) && (part.len() == 2 || !time.is_empty()));
    let is_of_time = |byte: u8| byte.is_ascii_digit() || b":.+-zZ ".contains(&byte);
    if is_date && (time.matches(':').count() > 1 || date == text) && time.bytes().all(is_of_time) {
        return Some("a date");
    }
    let plain = text.replace('_', "");
    let unsigned = plain.strip_prefix(['+', '-']).unwrap_or(&plain);
    let is_radix = |(prefix, radix)| {
        let digits = unsigned.strip_prefix(prefix);
        digits.is_some_and(|digits| u128::from_str_radix(digits, radix).is_ok())
    };
    // YAML 1.1 reads `12:30` to the base of 60.
    let is_sixty = || {
        let (whole, part) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
        let mut digits = whole.split(':');
        let is_first = digits.next().is_some_and(|first| is_number(first, 40));
        let is_rest = whole.contains(':') && digits.all(|it| is_number(it, 2) && it < "60");
        is_first && is_rest && (part.is_empty() || is_number(part, 40))
    };
    let is_decimal = !plain
        .contains(|byte: char| byte.is_ascii_alphabetic() && byte != 'e' && byte != 'E')
        && plain.parse::<f64>().is_ok();
    let is_other = is_word(unsigned, &[".inf", ".nan"])
        || [("0x", 16), ("0o", 8), ("0b", 2)].into_iter().any(is_radix);
    (is_decimal || is_other || is_sixty()).then_some("a number")
}

/// As many as `str::lines` gives, without finding where each ends: bodies are long.
fn count_lines(text: &str) -> usize {
    let breaks = memchr_iter(b'\n', text.as_bytes()).count();
    breaks + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Checks the body alone. `start` is its offset in the file.
pub(crate) fn body(body: &str, start: usize, findings: &mut Findings<'_>) {
    work::count(body.len());
    if body.trim().is_empty() {
        return findings.report(codes::BODY_EMPTY, start..start, || {
            ("the body is empty", "write the skill's instructions below the closing `---`")
        });
    }
    let lines = count_lines(body);
    let limit = findings.rules().limits.body_lines;
    if lines > limit.max {
        findings.report_limit(limit, codes::BODY_TOO_LONG, start..start, || {
            (
                format!("the body has {lines} lines, more than {}", limit.max),
                "move details to files below `references/` and name them in the body",
            )
        });
    }
}
