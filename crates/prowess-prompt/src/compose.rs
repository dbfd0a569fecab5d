//! Composes the text of one model call.

use std::sync::Arc;

use prowess_core::BodyDelivery;
use prowess_text::{is_exact, loses_characters};
use serde::Serialize;

use crate::active::{add_active, add_changed};
use crate::budget::{Fit, fit, note, shortened};
use crate::catalog::{CLOSING, OPENING, push_entry};
use crate::changes::{ChangeKind, Changes};
use crate::entries::Entries;
use crate::ledger::{Account, Ledger, Part};
use crate::{CatalogPlace, PromptInput, PromptPolicy, SkillEntry, SkillIds};

/// A composed prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Prompt {
    /// The text for the model's instructions; empty without skills.
    pub text: String,
    /// The cost of the text, and the changes to skills' texts.
    pub ledger: Ledger,
    /// The ids in the text's catalog, in its order.
    pub shown: Arc<SkillIds>,
    /// The number of skills that the input's catalog offers.
    pub total: usize,
    /// Whether the budget has shortened descriptions or left out skills.
    pub is_cut: bool,
}

/// Composes the loading rule, the catalog, the loaded bodies and the list of changed ones, in this
/// order.
///
/// Skills that are not offered are not mentioned. Without a visible skill there is neither catalog
/// nor rule; without a loaded one there is no `<active_skills>`. A [`Composer`](crate::Composer)
/// gives the same text and composes each catalog once.
pub fn compose(input: &PromptInput<'_>) -> Prompt {
    with_conversation(compose_catalog(input), input)
}

/// Composes the loading rule and the catalog, which do not depend on what is loaded.
pub(crate) fn compose_catalog(input: &PromptInput<'_>) -> Prompt {
    let mut account = Account::new(input.counter);
    let (shown, is_cut) = match input.policy.catalog_place {
        CatalogPlace::SystemPrompt => add_catalog(&mut account, input),
        CatalogPlace::ToolOnly => (Arc::default(), false),
    };
    let (text, ledger) = account.finish();
    Prompt { text, ledger, shown, total: input.catalog.len(), is_cut }
}

/// Appends the loaded bodies and the list of changed ones to a prompt that has the catalog.
pub(crate) fn with_conversation(prompt: Prompt, input: &PromptInput<'_>) -> Prompt {
    let Prompt { text, ledger, shown, total, is_cut } = prompt;
    let mut account = Account::continuing(text, ledger, input.counter);
    if input.delivery.bodies == BodyDelivery::Instructions {
        add_active(&mut account, input);
    }
    add_changed(&mut account, input.changed, input.policy);
    let (text, ledger) = account.finish();
    Prompt { text, ledger, shown, total, is_cut }
}

/// Returns about how long the text of the loaded bodies becomes.
pub(crate) fn likely_length(input: &PromptInput<'_>) -> usize {
    const TAGS: usize = 256;
    match input.delivery.bodies {
        BodyDelivery::Instructions => {
            TAGS + input.active.iter().map(|skill| skill.body.len() + TAGS).sum::<usize>()
        }
        BodyDelivery::ToolResult => 0,
    }
}

/// Appends rule and catalog; returns the ids that are shown, and whether the budget has cut any.
fn add_catalog(account: &mut Account<'_>, input: &PromptInput<'_>) -> (Arc<SkillIds>, bool) {
    let PromptInput { catalog, policy, delivery, preferred, counter, .. } = *input;
    let mut changes = Changes::default();
    let skills = Entries::new(catalog, delivery.show_location, &mut changes);
    if skills.is_empty() {
        *account.changes() = changes;
        return (Arc::default(), false);
    }
    let fit = fit(&skills, preferred, policy, counter);
    account.add(Part::Rule, &rule(policy));
    account.add_written(Part::Catalog, |text| {
        push_catalog(text, &skills, &fit, policy, &mut changes);
    });
    *account.changes() = changes;
    let shown = match &fit.positions {
        None => skills.ids().collect(),
        Some(positions) => positions.iter().map(|&position| skills.id(position)).collect(),
    };
    (Arc::new(shown), fit.is_cut)
}

fn rule(policy: &PromptPolicy) -> String {
    format!(
        "Skills hold instructions for specific tasks. When a task matches a skill's description, \
         call `{}` with the skill's name: loading is required before you use a skill's \
         instructions, resources or scripts.\n\n",
        policy.load_tool
    )
}

/// Appends the skills that fit, and the changes to their texts.
fn push_catalog(
    text: &mut String,
    skills: &Entries<'_>,
    fit: &Fit,
    policy: &PromptPolicy,
    changes: &mut Changes,
) {
    let shown = fit.positions.as_ref().map_or(skills.len(), Vec::len);
    text.reserve(skills.likely_length(shown));
    text.push_str(OPENING);
    match &fit.positions {
        None => push_entries(text, skills, 0..skills.len(), fit, policy, changes),
        Some(positions) => {
            push_entries(text, skills, positions.iter().copied(), fit, policy, changes);
        }
    }
    text.push_str(CLOSING);
    text.push('\n');
    if let Some(positions) = &fit.positions {
        text.push_str(&note(shown, skills.len(), policy));
        push_dropped(skills, positions, changes);
    }
}

fn push_entries(
    text: &mut String,
    skills: &Entries<'_>,
    positions: impl Iterator<Item = usize>,
    fit: &Fit,
    policy: &PromptPolicy,
    changes: &mut Changes,
) {
    let change =
        if fit.description == Some(0) { ChangeKind::NameOnly } else { ChangeKind::Shortened };
    let mut location = String::new();
    for position in positions {
        let skill = skills.get(position, &mut location);
        let shortened = shortened(&skill, fit.description);
        let shown = shortened.as_ref().unwrap_or(&skill);
        let is_plain = push_entry(text, shown, policy.catalog_format);
        // A plain text that is shown whole has nothing to clean.
        if (!is_plain || shortened.is_some()) && is_cleaned(&skill) {
            changes.push(&skill.name, ChangeKind::Cleaned);
        }
        if shortened.is_some() {
            changes.push(&skill.name, change);
        }
    }
}

/// Records every skill that is not at these positions, which are sorted.
fn push_dropped(skills: &Entries<'_>, shown: &[usize], changes: &mut Changes) {
    changes.reserve(skills.len() - shown.len());
    let mut shown = shown.iter().copied().peekable();
    for (position, id) in skills.ids().enumerate() {
        if shown.next_if_eq(&position).is_none() {
            changes.push(id, ChangeKind::Dropped);
        }
    }
}

/// Returns whether hidden characters of a skill's description, or its location, are not shown.
fn is_cleaned(skill: &SkillEntry<'_>) -> bool {
    loses_characters(&skill.description)
        || skill.location.as_ref().is_some_and(|location| !is_exact(location))
}
