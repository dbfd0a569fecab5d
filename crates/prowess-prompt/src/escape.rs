//! One encoder for each place that a stranger's text stands in.

use crate::hidden::visible_lines;

/// Appends text as an XML element or a quoted attribute holds it, one level: a parser gives back `text`.
pub(crate) fn push_xml(target: &mut String, text: &str) {
    // Most texts need nothing, which is found out without a branch, many bytes in one step.
    let is_plain = text.bytes().fold(true, |so_far, byte| so_far & entity(byte).is_none());
    if is_plain {
        return target.push_str(text);
    }
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if let Some(entity) = entity(byte) {
            target.push_str(&text[from..at]);
            target.push_str(entity);
            from = at + 1;
        }
    }
    target.push_str(&text[from..]);
}

/// What stands for a character that XML has a use for; each is one byte.
fn entity(byte: u8) -> Option<&'static str> {
    Some(match byte {
        b'&' => "&amp;",
        b'<' => "&lt;",
        b'>' => "&gt;",
        b'"' => "&quot;",
        b'\'' => "&#x27;",
        _ => return None,
    })
}

/// As [`push_xml`], alone.
pub(crate) fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    push_xml(&mut escaped, text);
    escaped
}

/// Encodes text as a JSON string that holds no tag: the angle brackets are numbers.
pub(crate) fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('<', "\\u003c").replace('>', "\\u003e")
}

/// The tags that a body must not hold: those of the wrapper, and those that other clients wrap with
/// and models know.
const GUARDED: [&str; 6] =
    ["skill", "skills", "active_skills", "available_skills", "skill_content", "skill_resources"];

/// Takes from a body what could end or fake its wrapper, and hidden characters.
///
/// Bodies are Markdown with code in it: with each `<` and `&` escaped, a model would copy the escapes
/// into the files that it writes. A delimiter made from the body's digest would leave the body as it
/// is, and models would still take a `</skill>` in its midst for the end. So only a `<` that begins
/// one of our tags is escaped; `<skill-dir>`, `<T>` and `a < b` stay.
pub(crate) fn body(text: &str) -> String {
    let text = visible_lines(text);
    let mut safe = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in text.match_indices('<') {
        if begins_guarded_tag(&text[at + 1..]) {
            safe.push_str(&text[from..at]);
            safe.push_str("&lt;");
            from = at + 1;
        }
    }
    safe.push_str(&text[from..]);
    safe
}

/// Whether what follows a `<` makes it one of the guarded tags, in any case and with any blanks.
fn begins_guarded_tag(after: &str) -> bool {
    let after = after.trim_start_matches(|character: char| {
        character.is_whitespace() || matches!(character, '/' | '\\')
    });
    let is_name = |character: char| character.is_alphanumeric() || "_-.:".contains(character);
    let name_end = after.find(|character| !is_name(character)).unwrap_or(after.len());
    let name = &after[..name_end];
    GUARDED.iter().any(|guarded| guarded.eq_ignore_ascii_case(name))
}
