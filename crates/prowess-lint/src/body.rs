//! Checks the body: its length, its structure and its invisible characters.

use prowess_core::TokenCounter;
use prowess_text::find_invisible;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

use crate::codes;
use crate::findings::Findings;
use crate::package::Package;

/// The recommended maximum of a body, in tokens.
const TOKENS: usize = 5000;

/// The share of [`TOKENS`], in percent, from which a body is reported as near the maximum.
const NEAR_PERCENT: usize = 90;

/// The size of a body, in tokens, above which it is reported as too large.
const SOFT_LIMIT: usize = 8000;

pub(crate) fn check(package: &Package<'_>, tokens: &dyn TokenCounter, findings: &mut Findings<'_>) {
    let body = package.document.body;
    if body.trim().is_empty() {
        return;
    }
    let start = package.body_start();
    let first_line = start..start + body.find('\n').unwrap_or(body.len());
    check_tokens(tokens.count(body), first_line, findings);
    check_structure(body, findings);
    check_hidden(body, start, findings);
}

fn check_tokens(cost: usize, span: std::ops::Range<usize>, findings: &mut Findings<'_>) {
    let help = "move details to files below `references/` and name them in the body";
    if cost > SOFT_LIMIT {
        let message = format!("the body costs approx. {cost} tokens, more than {SOFT_LIMIT}");
        findings.at(codes::BODY_TOKENS_SOFT_LIMIT, span, message, help);
    } else if cost > TOKENS {
        let message = format!("the body costs approx. {cost} tokens, more than {TOKENS}");
        findings.at(codes::BODY_TOKENS, span, message, help);
    } else if cost * 100 >= TOKENS * NEAR_PERCENT {
        let message = format!("the body costs approx. {cost} tokens, nearly {TOKENS}");
        findings.at(codes::BODY_TOKENS_NEAR_LIMIT, span, message, help);
    }
}

fn check_structure(body: &str, findings: &mut Findings<'_>) {
    let mut has_heading = false;
    let mut has_example = false;
    for event in Parser::new_ext(body, Options::empty()) {
        match event {
            Event::Start(Tag::Heading { .. }) => has_heading = true,
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented)) => {
                has_example = true;
            }
            _ => {}
        }
    }
    let lower = body.to_lowercase();
    if !has_heading {
        findings.report(
            codes::BODY_NO_HEADINGS,
            "the body has no heading".to_owned(),
            "split it with headings such as `## When to use` and `## Steps`",
        );
    }
    if !["when to", "use when", "use this", "when not"].iter().any(|it| lower.contains(it)) {
        findings.report(
            codes::BODY_NO_WHEN,
            "the body does not say when to use the skill".to_owned(),
            "add a section `## When to use` that also says when not to",
        );
    }
    if !has_example && !lower.contains("example") {
        findings.report(
            codes::BODY_NO_EXAMPLE,
            "the body shows no example".to_owned(),
            "show one input with the result that you want of it",
        );
    }
}

/// Reports the first hidden character, and on how many lines there are any.
fn check_hidden(body: &str, start: usize, findings: &mut Findings<'_>) {
    let mut line_start = start;
    let mut first = None;
    let mut lines = 0;
    for line in body.split_inclusive('\n') {
        if let Some(character) = find_invisible(line.trim_end_matches(['\r', '\n'])) {
            lines += 1;
            let at = line_start + line.find(character).unwrap_or_default();
            first = first.or(Some((character, at)));
        }
        line_start += line.len();
    }
    let Some((character, at)) = first else {
        return;
    };
    let code = u32::from(character);
    let message = match lines {
        1 => format!("the body has the hidden character U+{code:04X}"),
        _ => format!("the body has hidden characters on {lines} lines, the first is U+{code:04X}"),
    };
    let help = "remove it: a reader cannot see what a model reads";
    findings.at(codes::BODY_HIDDEN_CHARACTER, at..at + character.len_utf8(), message, help);
}
