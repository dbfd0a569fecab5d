//! Checks the wording of a description, and its cost in a catalog.

use prowess_core::{Severity, TokenCounter};
use prowess_format::for_message;
use prowess_format::tool_pattern::covers_commands_outside;

use crate::codes;
use crate::findings::Findings;
use crate::package::Package;

/// The recommended maximum of name and description together, in tokens.
const CATALOG_ENTRY_TOKENS: usize = 100;

pub(crate) fn check(package: &Package<'_>, tokens: &dyn TokenCounter, findings: &mut Findings<'_>) {
    let frontmatter = &package.document.frontmatter;
    let description = frontmatter.description.as_str();
    let span = frontmatter.fields.get("description").map_or(0..0, |it| it.value_span.clone());
    let cost = tokens.count(&frontmatter.name) + tokens.count(description);
    if cost > CATALOG_ENTRY_TOKENS {
        let message = format!(
            "name and description cost approx. {cost} tokens of every prompt, more than {CATALOG_ENTRY_TOKENS}"
        );
        let help = "keep what the skill does and when to use it; move the rest to the body";
        findings.at(codes::CATALOG_ENTRY_LONG, span.clone(), message, help);
    }
    if frontmatter.is_chosen_by_model() && is_latin(description) && !package.says_when {
        findings.at(
            codes::DESCRIPTION_NO_WHEN,
            span,
            "the description does not say when to use the skill".to_owned(),
            "add a sentence such as `Use when the user asks for …`; a model chooses by it",
        );
    }
}

/// Warns of commands that a person is asked for, whatever `allowed-tools` says. Only authors can
/// name others, so a scan does not report it.
pub(crate) fn check_tools(package: &Package<'_>, findings: &mut Findings<'_>) {
    let frontmatter = &package.document.frontmatter;
    let mut fields = ["allowed-tools", "allowed_tools"].into_iter();
    let field = fields.find_map(|key| frontmatter.fields.get(key));
    let rules = frontmatter.allowed_tools.rules().iter();
    for (rule, field) in
        rules.filter(|rule| covers_commands_outside(rule)).zip(field.into_iter().cycle())
    {
        let rule = for_message(&rule.to_string());
        let message = format!(
            "the rule `{rule}` covers commands that reach outside of the skill and the working directory"
        );
        let help = "a person is asked for those; name commands, and for an interpreter its script";
        let code = prowess_format::codes::TOOL_PATH_OUTSIDE;
        findings.at_most(Severity::Warning, code, field.value_span.clone(), message, help);
    }
}

/// Returns whether most letters of a text are Latin. In other scripts, a phrase that is not known
/// is more likely than one that is missing.
fn is_latin(text: &str) -> bool {
    if text.is_ascii() {
        return text.bytes().any(|byte| byte.is_ascii_alphabetic());
    }
    let letters = text.chars().filter(|character| character.is_alphabetic()).count();
    let latin = text.chars().filter(char::is_ascii_alphabetic).count();
    latin * 2 > letters
}
