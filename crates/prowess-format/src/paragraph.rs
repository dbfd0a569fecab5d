//! The first paragraph of the instructions, where it stands in for a missing description.

use std::borrow::Cow;
use std::ops::Range;

use crate::fields::{Entry, Fields, Known, Shape};
use crate::findings::Findings;
use crate::{codes, work};

/// How many bytes of the body may hold the paragraph.
const WINDOW: usize = 4096;

/// Returns how many bytes of a file are needed, if `length` of them may not hold the paragraph that
/// stands in for the description.
pub(crate) fn needed(
    fields: &Fields<'_>,
    body: usize,
    length: usize,
    findings: &Findings<'_>,
) -> Option<usize> {
    (is_missing(fields, findings) && length < body + WINDOW).then_some(body + WINDOW)
}

/// Lets the first paragraph of the body, which starts at `body`, stand in for the description, if
/// there is none and the profile allows it.
pub(crate) fn stand_in<'t>(
    fields: &mut Fields<'t>,
    file: &'t [u8],
    body: usize,
    findings: &mut Findings<'_>,
) {
    if !is_missing(fields, findings) {
        return;
    }
    let end = file.len().min(body + WINDOW);
    let window = &file[body..end];
    work::count(window.len());
    let text = match str::from_utf8(window) {
        Ok(text) => text,
        Err(error) => str::from_utf8(&window[..error.valid_up_to()]).unwrap_or_default(),
    };
    let Some(span) = first(text) else { return };
    let paragraph = &text[span.clone()];
    let text = match paragraph.contains(['\n', '\r']) {
        true => Cow::Owned(paragraph.lines().map(str::trim).collect::<Vec<_>>().join(" ")),
        false => Cow::Borrowed(paragraph),
    };
    let value_span = body + span.start..body + span.end;
    findings.report(codes::DESCRIPTION_FROM_BODY, value_span.clone(), || {
        (
            "there is no `description`; the first paragraph of the body is used",
            "add a line `description: ` that says what the skill does and when to use it; other \
             clients need it",
        )
    });
    let shape = Shape::Text { text, is_plain: false };
    fields.set(Known::Description, Entry { key_span: value_span.clone(), shape, value_span });
    fields.is_printable_ascii = false;
}

fn is_missing(fields: &Fields<'_>, findings: &Findings<'_>) -> bool {
    let is_missing = match fields.get(Known::Description).map(|entry| &entry.shape) {
        None => true,
        Some(Shape::Text { text, .. }) => text.trim().is_empty(),
        Some(_) => false,
    };
    is_missing && findings.rules().profile.severity(&codes::DESCRIPTION_FROM_BODY).is_some()
}

/// Returns the first lines that are no heading, comment, picture, table or code, up to a blank one.
fn first(text: &str) -> Option<Range<usize>> {
    let mut found: Option<Range<usize>> = None;
    let (mut at, mut is_code) = (0, false);
    for line in text.split_inclusive('\n') {
        let (start, written) = (at, line.trim());
        at += line.len();
        is_code ^= written.starts_with("```");
        let is_mark = |mark: &&str| written.starts_with(*mark);
        let is_other = ["#", "<!--", "---", "[![", "![", "|", "```"].iter().any(is_mark);
        let is_text = !(written.is_empty() || is_other || is_code);
        let is_rule = ["=", "--"].iter().any(|rule| written.starts_with(rule));
        match &mut found {
            // The lines above such a line are a heading.
            Some(_) if is_rule && written.trim_matches(['=', '-']).is_empty() => found = None,
            Some(found) if is_text => found.end = start + line.trim_end().len(),
            Some(_) => break,
            None if is_text => {
                let indentation = line.len() - line.trim_start().len();
                found = Some(start + indentation..start + line.trim_end().len());
            }
            None => {}
        }
    }
    found.filter(|found| !text[found.clone()].contains('\0'))
}
