//! The rules of `name`.

use std::ops::Range;

use prowess_text::find_invisible;

use crate::error::NameError;
use crate::fields::{Fields, Known, Shape};
use crate::findings::Findings;
use crate::for_message;
use crate::name::{
    NameRule, check as check_name, check_grammar, is_portable, is_relaxed, is_reserved, normalized,
    slug,
};
use crate::{Diagnostic, Directory, Profile, Rules, Severity, codes};

use super::text::{check_hidden, check_plain};

pub(super) fn check(
    fields: &Fields<'_>,
    opening: usize,
    directory: Option<Directory<'_>>,
    findings: &mut Findings<'_>,
) {
    if let Some(name) = stand_in(fields, directory, findings.rules()) {
        let name = normalized(name);
        let place = fields.get(Known::Name).map(|entry| entry.key_span.clone());
        let span = place.unwrap_or(opening..opening + 3);
        let shape = fields.get(Known::Name).map(|entry| &entry.shape);
        report_missing(&name, shape, &span, findings);
        return check_text(&name, None, &span, findings);
    }
    let Some(entry) = fields.get(Known::Name) else {
        return findings.report(codes::NAME_MISSING, opening..opening + 3, || {
            (
                "the frontmatter has no `name`",
                "add a line `name: ` with the name of the skill's directory",
            )
        });
    };
    let span = entry.value_span.clone();
    let Shape::Text { text, is_plain } = &entry.shape else {
        return findings.report(codes::NAME_NOT_TEXT, span, || {
            (
                format!("`name` is a {}, not a text", entry.shape.kind()),
                "write the name on the line of its key: `name: my-skill`",
            )
        });
    };
    check_plain("name", text, *is_plain, &span, findings);
    if !fields.is_printable_ascii {
        check_hidden("name", text, &span, findings);
    }
    let name = normalized(text);
    check_text(&name, directory.map(|directory| directory.name), &span, findings);
    if is_portable(&name) && name != **text {
        findings.report(codes::NAME_NOT_PORTABLE, span.clone(), || {
            let message =
                format!("the name is read as `{name}`, and other clients compare its bytes");
            (message, format!("write it as `{name}`"))
        });
    }
    if let Some(directory) = directory.filter(|directory| directory.is_compared) {
        compare(&findings.rules().declared(text), directory.name, &span, findings);
    }
}

/// Returns the name of a skill: the declared one, or that of the directory if it stands in for it.
pub(crate) fn name_of<'n>(
    fields: &'n Fields<'_>,
    directory: Option<Directory<'n>>,
    rules: &Rules,
) -> Option<&'n str> {
    stand_in(fields, directory, rules).or_else(|| fields.text(Known::Name))
}

/// Returns the name of the directory if the rules let it stand in for a missing `name`.
pub(crate) fn stand_in<'n>(
    fields: &Fields<'_>,
    directory: Option<Directory<'n>>,
    rules: &Rules,
) -> Option<&'n str> {
    let is_missing = match fields.get(Known::Name).map(|entry| &entry.shape) {
        None => true,
        Some(Shape::Text { text, .. }) => {
            text.trim().is_empty() || (rules.mends_fields() && find_invisible(text).is_some())
        }
        Some(_) => rules.mends_fields(),
    };
    let directory = directory.filter(|_| is_missing)?;
    rules.profile.severity(&codes::NAME_FROM_DIRECTORY).map(|_| directory.name)
}

fn report_missing(
    directory: &str,
    shape: Option<&Shape<'_>>,
    span: &Range<usize>,
    findings: &mut Findings<'_>,
) {
    findings.report(codes::NAME_FROM_DIRECTORY, span.clone(), || {
        let directory = for_message(directory);
        let fault = match shape {
            Some(Shape::Text { text, .. }) if !text.trim().is_empty() => {
                "`name` has a hidden character".to_owned()
            }
            None | Some(Shape::Text { .. }) => "the frontmatter has no `name`".to_owned(),
            Some(shape) => format!("`name` is a {}, not a text", shape.kind()),
        };
        (
            format!("{fault}; the directory's, `{directory}`, is used"),
            format!("add a line `name: {directory}`; most clients need it"),
        )
    });
}

fn check_text(
    name: &str,
    directory: Option<&str>,
    span: &Range<usize>,
    findings: &mut Findings<'_>,
) {
    let rule = findings.rules().name_rule;
    if is_portable(name) && name.len() <= findings.rules().limits.name_characters.max {
        return report_reserved(name, span, findings);
    }
    match check_grammar(name, rule) {
        Ok(()) => check_fit(name, rule, span, findings),
        Err(NameError::Empty) => findings.report(codes::NAME_EMPTY, span.clone(), || {
            ("`name` is empty", "write the name of the skill's directory")
        }),
        Err(_) if findings.rules().relaxes_names() && is_relaxed(name, directory) => {
            report_relaxed(name, directory.unwrap_or_default(), span, findings);
            check_length(name, span, findings);
        }
        Err(error) => findings
            .report(codes::NAME_INVALID, span.clone(), || (error.to_string(), advice(name, rule))),
    }
    report_reserved(name, span, findings);
}

/// Checks a name that keeps the grammar.
fn check_fit(name: &str, rule: NameRule, span: &Range<usize>, findings: &mut Findings<'_>) {
    if !check_length(name, span, findings) {
        check_portable(name, rule, span, findings);
    }
}

/// Returns whether a name is too long, and reports it.
fn check_length(name: &str, span: &Range<usize>, findings: &mut Findings<'_>) -> bool {
    let limit = findings.rules().limits.name_characters;
    let characters = name.chars().count();
    if characters <= limit.max {
        return false;
    }
    findings.report_limit(limit, codes::NAME_TOO_LONG, span.clone(), || {
        let most = limit.max;
        (
            format!(
                "a skill's name must not be longer than {most} characters, but it has {characters}"
            ),
            "shorten the name, and the directory's with it",
        )
    });
    true
}

fn report_relaxed(name: &str, directory: &str, span: &Range<usize>, findings: &mut Findings<'_>) {
    let id = findings.rules().id_in(name.trim(), directory);
    findings.report(codes::NAME_RELAXED, span.clone(), || {
        let [name, id] = [name, &id].map(for_message);
        let help = if id == name {
            let advice = NameRule::AgentSkills.advice();
            let rule = NameRule::Unicode;
            format!("for every client, {advice}; or set `registry.name_rule: {rule}` for this one")
        } else {
            format!("most clients refuse it: rename the skill and its directory to `{id}`")
        };
        let message =
            format!("the name `{name}` is not a valid one of agentskills.io; it is read as `{id}`");
        (message, help)
    });
}

fn report_reserved(name: &str, span: &Range<usize>, findings: &mut Findings<'_>) {
    // A name of another spelling is taken for the reserved one all the same.
    let spelled = slug(name);
    if is_reserved(&spelled) {
        let id = findings.rules().id_of(name.trim());
        let severity = findings.rules().profile.severity(&codes::NAME_RESERVED);
        let is_accepted = severity == Some(Severity::Warning);
        findings.report(codes::NAME_RESERVED, span.clone(), || {
            let message = match is_accepted {
                true => format!("the name `{name}` is reserved; it is read as `{id}`"),
                false => format!("the name `{name}` is reserved"),
            };
            (message, format!("add a word: `{spelled}-guide`"))
        });
    }
}

/// Reports a name that clients with another rule refuse: worse if the standard's is among them.
fn check_portable(name: &str, rule: NameRule, span: &Range<usize>, findings: &mut Findings<'_>) {
    // A standard name that begins with a letter keeps every rule, as nearly all names do.
    if rule == NameRule::AgentSkills && name.starts_with(|first: char| first.is_ascii_lowercase()) {
        return;
    }
    let others = NameRule::ALL.into_iter().filter(|other| *other != rule);
    let refusal = |other| check_name(name, other).err().map(|error| (other, error));
    let Some((other, error)) = others.into_iter().find_map(refusal) else {
        return;
    };
    let code = match other {
        NameRule::AgentSkills => codes::NAME_NOT_STANDARD,
        _ => codes::NAME_NOT_PORTABLE,
    };
    findings.report(code, span.clone(), || {
        (
            format!("clients with the name rule `{other}` refuse the name: {error}"),
            format!("for every client, {}", other.advice()),
        )
    });
}

/// Returns how to make a name valid, and the configuration that accepts it as it is.
fn advice(name: &str, rule: NameRule) -> String {
    let help = suggest(name, rule);
    let accepts = |other: &NameRule| check_name(name, *other).is_ok();
    match NameRule::ALL.into_iter().find(accepts) {
        Some(other) => {
            format!("{help}, or set `registry.name_rule: {other}` to accept it as it is")
        }
        None => help,
    }
}

/// The nearest name that keeps the rules, where there is one.
fn suggest(name: &str, rule: NameRule) -> String {
    let mut nearest = String::new();
    for character in name.chars().take(64) {
        match character.to_ascii_lowercase() {
            kept @ ('a'..='z' | '0'..='9') => nearest.push(kept),
            _ if nearest.is_empty() || nearest.ends_with('-') => {}
            _ => nearest.push('-'),
        }
    }
    let nearest = nearest.trim_end_matches('-');
    if !name.is_ascii() || check_grammar(nearest, rule).is_err() {
        return rule.advice().to_owned();
    }
    format!("rename the skill and its directory to `{nearest}`")
}

fn compare(name: &str, directory: &str, span: &Range<usize>, findings: &mut Findings<'_>) {
    if normalized(directory) != name {
        findings.report(codes::NAME_DIRECTORY_MISMATCH, span.clone(), || mismatch(name, directory));
    }
}

fn mismatch(name: &str, directory: &str) -> (String, String) {
    (
        format!(
            "the name `{}` differs from the directory's name `{}`",
            for_message(name),
            for_message(directory)
        ),
        "rename one of the two".to_owned(),
    )
}

/// Compares a declared name with the name of its package's directory, both in NFKC.
///
/// The finding has no span: a caller that has the file sets it to the span of the name.
pub(crate) fn check_directory(name: &str, directory: &str, profile: Profile) -> Option<Diagnostic> {
    let name = normalized(name);
    if normalized(directory) == name {
        return None;
    }
    let severity = profile.severity(&codes::NAME_DIRECTORY_MISMATCH)?;
    let (message, help) = mismatch(&name, directory);
    Some(Diagnostic::new(codes::NAME_DIRECTORY_MISMATCH, severity, message, help))
}
