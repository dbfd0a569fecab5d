//! Composes the text of one model call.

use prowess_core::BodyDelivery;
use prowess_text::{is_exact, is_one_line, loses_characters};
use serde::Serialize;

use crate::active::{add_active, add_changed};
use crate::budget::{Fit, fit, is_longer, note, shorten};
use crate::catalog::push_available_skills;
use crate::ledger::{Account, Change, ChangeKind, Ledger, Part};
use crate::{CatalogPlace, PromptInput, PromptPolicy, SkillEntry};

/// A composed prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Prompt {
    /// The text for the model's instructions; empty without skills.
    pub text: String,
    /// The cost of the text, and the changes to skills' texts.
    pub ledger: Ledger,
    /// The ids in the text's catalog, in its order.
    pub shown: Vec<String>,
    /// The number of skills that the input's catalog offers.
    pub total: usize,
}

/// Composes the loading rule, the catalog, the loaded bodies and the list of changed ones, in this
/// order.
///
/// Skills that are not offered are not mentioned. Without a visible skill there is neither catalog
/// nor rule; without a loaded one there is no `<active_skills>`.
pub fn compose(input: &PromptInput<'_>) -> Prompt {
    let PromptInput { changed, policy, .. } = *input;
    let mut account = Account::new(input.counter);
    let shown = match policy.catalog_place {
        CatalogPlace::SystemPrompt => add_catalog(&mut account, input),
        CatalogPlace::ToolOnly => Vec::new(),
    };
    if input.delivery.bodies == BodyDelivery::Instructions {
        add_active(&mut account, input);
    }
    add_changed(&mut account, changed, policy);
    Prompt { text: account.text, ledger: account.ledger, shown, total: input.catalog.len() }
}

/// Appends rule and catalog; returns the ids that are shown.
fn add_catalog(account: &mut Account<'_>, input: &PromptInput<'_>) -> Vec<String> {
    let PromptInput { catalog, policy, counter, .. } = *input;
    let (skills, unnameable): (Vec<_>, Vec<_>) = catalog
        .skills()
        .map(|record| SkillEntry::new(record, input.delivery.show_location))
        .partition(|skill| is_nameable(&skill.name));
    account
        .ledger
        .changes
        .extend(unnameable.iter().map(|skill| Change::new(&skill.name, ChangeKind::Unnameable)));
    if skills.is_empty() {
        return Vec::new();
    }
    let fit = fit(&skills, policy, counter);
    account.ledger.changes.extend(changes(&skills, &fit));
    account.add(Part::Rule, &rule(policy));
    account.add_written(Part::Catalog, |text| push_catalog(text, &skills, &fit, policy));
    let shown = skills.into_iter().take(fit.skills);
    shown.map(|skill| skill.name.into_owned()).collect()
}

/// Returns whether the shown form of an id equals the id, so that a model can copy it.
fn is_nameable(id: &str) -> bool {
    if is_one_line(id) {
        return !id.is_empty();
    }
    let has_words = !id.is_empty() && id.split(' ').all(|word| !word.is_empty());
    has_words && is_exact(id) && !id.contains(|c: char| c.is_whitespace() && c != ' ')
}

fn rule(policy: &PromptPolicy) -> String {
    format!(
        "Skills hold instructions for specific tasks. When a task matches a skill's description, \
         call `{}` with the skill's name: loading is required before you use a skill's \
         instructions, resources or scripts.\n\n",
        policy.load_tool
    )
}

fn push_catalog(text: &mut String, skills: &[SkillEntry<'_>], fit: &Fit, policy: &PromptPolicy) {
    let shown = &skills[..fit.skills];
    text.reserve(shown.iter().map(SkillEntry::likely_length).sum());
    let shortened = shown.iter().map(|skill| shorten(skill, fit.description));
    push_available_skills(text, shortened, policy.catalog_format);
    text.push('\n');
    if fit.skills < skills.len() {
        text.push_str(&note(fit.skills, skills.len(), policy));
    }
}

fn changes(skills: &[SkillEntry<'_>], fit: &Fit) -> Vec<Change> {
    let mut changes = Vec::new();
    for (at, skill) in skills.iter().enumerate() {
        let mut change = |kind| changes.push(Change::new(&skill.name, kind));
        if at >= fit.skills {
            change(ChangeKind::Dropped);
            continue;
        }
        let is_without_location =
            skill.location.as_ref().is_some_and(|location| !is_exact(location));
        if loses_characters(&skill.description) || is_without_location {
            change(ChangeKind::Cleaned);
        }
        let bound = fit.description.unwrap_or(usize::MAX);
        if is_longer(&skill.description, bound) {
            change(ChangeKind::Shortened);
        }
    }
    changes
}
