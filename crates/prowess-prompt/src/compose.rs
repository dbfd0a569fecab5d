//! Composes the text of one model call.

use std::sync::Arc;

use prowess_core::{BodyDelivery, Catalog, ShowLocation, TokenCounter};
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
}

/// Composes the loading rule, the catalog, the loaded bodies and the list of changed ones, in this
/// order.
///
/// Skills that are not offered are not mentioned. Without a visible skill there is neither catalog
/// nor rule; without a loaded one there is no `<active_skills>`. A [`Composer`](crate::Composer)
/// gives the same text and composes each catalog once.
pub fn compose(input: &PromptInput<'_>) -> Prompt {
    let PromptInput { catalog, policy, delivery, counter, .. } = *input;
    with_conversation(compose_catalog(catalog, policy, delivery.show_location, counter), input)
}

/// Composes the loading rule and the catalog, which do not depend on the conversation.
pub(crate) fn compose_catalog(
    catalog: &Catalog,
    policy: &PromptPolicy,
    show: ShowLocation,
    counter: &dyn TokenCounter,
) -> Prompt {
    let mut account = Account::new(counter);
    let shown = match policy.catalog_place {
        CatalogPlace::SystemPrompt => add_catalog(&mut account, catalog, show, policy, counter),
        CatalogPlace::ToolOnly => Arc::default(),
    };
    let (text, ledger) = account.finish();
    Prompt { text, ledger, shown, total: catalog.len() }
}

/// Appends the loaded bodies and the list of changed ones to a prompt that has the catalog.
pub(crate) fn with_conversation(prompt: Prompt, input: &PromptInput<'_>) -> Prompt {
    let Prompt { text, ledger, shown, total } = prompt;
    let mut account = Account::continuing(text, ledger, input.counter);
    if input.delivery.bodies == BodyDelivery::Instructions {
        add_active(&mut account, input);
    }
    add_changed(&mut account, input.changed, input.policy);
    let (text, ledger) = account.finish();
    Prompt { text, ledger, shown, total }
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

/// Appends rule and catalog; returns the ids that are shown.
fn add_catalog(
    account: &mut Account<'_>,
    catalog: &Catalog,
    show: ShowLocation,
    policy: &PromptPolicy,
    counter: &dyn TokenCounter,
) -> Arc<SkillIds> {
    let mut changes = Changes::default();
    let skills = Entries::new(catalog, show, &mut changes);
    if skills.is_empty() {
        *account.changes() = changes;
        return Arc::default();
    }
    let fit = fit(&skills, policy, counter);
    account.add(Part::Rule, &rule(policy));
    account.add_written(Part::Catalog, |text| {
        push_catalog(text, &skills, &fit, policy, &mut changes);
    });
    *account.changes() = changes;
    Arc::new(skills.ids().take(fit.skills).collect())
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
    text.reserve(skills.likely_length(fit.skills));
    text.push_str(OPENING);
    let mut location = String::new();
    for index in 0..fit.skills {
        let skill = skills.get(index, &mut location);
        let shortened = shortened(&skill, fit.description);
        let shown = shortened.as_ref().unwrap_or(&skill);
        let is_plain = push_entry(text, shown, policy.catalog_format);
        // A plain text that is shown whole has nothing to clean.
        if (!is_plain || shortened.is_some()) && is_cleaned(&skill) {
            changes.push(&skill.name, ChangeKind::Cleaned);
        }
        if shortened.is_some() {
            changes.push(&skill.name, ChangeKind::Shortened);
        }
    }
    text.push_str(CLOSING);
    text.push('\n');
    if fit.skills < skills.len() {
        text.push_str(&note(fit.skills, skills.len(), policy));
    }
    let dropped = skills.ids().skip(fit.skills);
    changes.reserve(dropped.len());
    dropped.for_each(|id| changes.push(id, ChangeKind::Dropped));
}

/// Returns whether hidden characters of a skill's description, or its location, are not shown.
fn is_cleaned(skill: &SkillEntry<'_>) -> bool {
    loses_characters(&skill.description)
        || skill.location.as_ref().is_some_and(|location| !is_exact(location))
}
