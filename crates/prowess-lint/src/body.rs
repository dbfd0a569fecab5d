//! Checks the body: its length, its structure and its invisible characters; and the whole file for
//! secrets.

use prowess_core::secret_in;
use prowess_format::LimitSeverity;
use prowess_text::find_invisible;
use pulldown_cmark::{Event, Tag};

use crate::codes;
use crate::findings::Findings;
use crate::options::LintOptions;
use crate::package::Package;
use crate::when::body_says_when;

/// The recommended maximum of a body, in tokens.
const TOKENS: usize = 5000;

/// The share of [`TOKENS`], in percent, from which a body is reported as near the maximum.
const NEAR_PERCENT: usize = 90;

pub(crate) fn check(package: &Package<'_>, options: &LintOptions<'_>, findings: &mut Findings<'_>) {
    if let Some((at, reason)) = secret_in(package.text) {
        let message = format!("`{}` {reason}", package.file);
        let help = "remove it: everyone who gets the skill, and each model, would read it";
        findings.at(codes::CREDENTIAL, at..at + 1, message, help);
    }
    let limit = options.limits.body_tokens;
    let code = codes::BODY_TOKENS_SOFT_LIMIT;
    // As a registry does with this limit.
    let above = limit.tokens_of_file(package.text.len() as u64, code);
    let is_above = above.is_some();
    findings.extend(above);
    let body = package.document.body;
    if body.trim().is_empty() {
        return;
    }
    let start = package.body_start();
    let first_line = start..start + body.find('\n').unwrap_or(body.len());
    let is_own = limit.severity == LimitSeverity::Profile;
    let soft_limit = if is_own { limit.max } else { usize::MAX };
    if !is_above {
        check_tokens(options.tokens.count(body), soft_limit, first_line, findings);
    }
    check_structure(package, findings);
    check_hidden(body, start, findings);
}

/// `soft_limit` is the size, in tokens, above which a body is reported as too large.
fn check_tokens(
    cost: usize,
    soft_limit: usize,
    span: std::ops::Range<usize>,
    findings: &mut Findings<'_>,
) {
    let help = "move details to files below `references/` and name them in the body";
    if cost > soft_limit {
        let message = format!("the body costs approx. {cost} tokens, more than {soft_limit}");
        findings.at(codes::BODY_TOKENS_SOFT_LIMIT, span, message, help);
    } else if cost > TOKENS {
        let message = format!("the body costs approx. {cost} tokens, more than {TOKENS}");
        findings.at(codes::BODY_TOKENS, span, message, help);
    } else if cost * 100 >= TOKENS * NEAR_PERCENT {
        let message = format!("the body costs approx. {cost} tokens, nearly {TOKENS}");
        findings.at(codes::BODY_TOKENS_NEAR_LIMIT, span, message, help);
    }
}

fn check_structure(package: &Package<'_>, findings: &mut Findings<'_>) {
    let body = package.document.body;
    let mut events = package.events.iter().map(|(event, _)| event);
    let has_example = events.clone().any(|it| matches!(it, Event::Start(Tag::CodeBlock(_))));
    let has_heading = events.any(|it| matches!(it, Event::Start(Tag::Heading { .. })));
    if !has_heading {
        findings.report(
            codes::BODY_NO_HEADINGS,
            "the body has no heading".to_owned(),
            "split it with headings such as `## When to use` and `## Steps`",
        );
    }
    // A model chooses by the description and reads the body afterwards.
    if package.document.frontmatter.is_chosen_by_model()
        && !package.says_when
        && !body_says_when(body)
    {
        findings.report(
            codes::BODY_NO_WHEN,
            "neither the description nor the body says when to use the skill".to_owned(),
            "say it in the description; a model chooses by it",
        );
    }
    if !has_example && !body.to_lowercase().contains("example") {
        findings.report(
            codes::BODY_NO_EXAMPLE,
            "the body shows no example".to_owned(),
            "show one input with the result that you want of it",
        );
    }
}

/// Reports the first hidden character, and on how many lines there are any.
fn check_hidden(body: &str, start: usize, findings: &mut Findings<'_>) {
    if find_invisible(body).is_none() {
        return;
    }
    let (mut line_start, mut first, mut lines) = (start, None, 0);
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
