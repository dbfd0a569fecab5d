//! Texts of templates that an author has not replaced.

use prowess_format::for_message;

use crate::codes;
use crate::findings::Findings;
use crate::package::Package;

/// How descriptions of templates begin, in lower case.
#[rustfmt::skip]
const DESCRIPTIONS: &[&str] = &[
    "replace with description", "says in one sentence what the skill does",
    "brief description of what this skill", "description of what this skill",
    "a description of what this skill", "[todo", "todo:", "<description", "{description",
    "your description here",
];

/// Lines of the bodies of templates, without the marks of headings and lists.
const LINES: &[&str] = &[
    "insert instructions below",
    "[todo: ",
    "the user asks for it, in words such as these: …",
    "what a user may really write.",
];

pub(crate) fn check(package: &Package<'_>, findings: &mut Findings<'_>) {
    let frontmatter = &package.document.frontmatter;
    let description = frontmatter.description.to_lowercase();
    let help = "replace the text of the template with your own, or remove it";
    if DESCRIPTIONS.iter().any(|start| description.starts_with(start)) {
        let span = frontmatter.fields.get("description").map_or(0..0, |it| it.value_span.clone());
        let message = "the description is still that of a template".to_owned();
        findings.at(codes::TEMPLATE_UNEDITED, span, message, help);
    }
    let body = package.document.body;
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', body.as_bytes()).chain([body.len()]) {
        let line = &body[start..end];
        let text = line.trim_start_matches(['#', '-', '>', ' ']);
        let first = text.bytes().next().map(|byte| byte.to_ascii_lowercase());
        let begins_with = |known: &&str| {
            let begin = || text.trim_end().get(..known.len());
            known.bytes().next() == first
                && begin().is_some_and(|begin| begin.eq_ignore_ascii_case(known))
        };
        if LINES.iter().any(begins_with) {
            let at = package.body_start() + end - text.len();
            let text = text.trim_end();
            let message = format!("the body still has `{}` of a template", for_message(text));
            findings.at(codes::TEMPLATE_UNEDITED, at..at + text.len(), message, help);
            return;
        }
        start = end + 1;
    }
}
