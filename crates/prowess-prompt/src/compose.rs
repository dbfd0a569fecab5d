//! Composes the text of one model call.

use std::sync::Arc;

use prowess_core::{BodyDelivery, Catalog, ShowLocation, TokenCounter};
use prowess_text::{is_exact, is_one_line, loses_characters};
use serde::Serialize;

use crate::active::{add_active, add_changed};
use crate::budget::{Fit, fit, is_longer, note, shorten};
use crate::catalog::push_available_skills;
use crate::entries::Entries;
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
    pub shown: Arc<[String]>,
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
        CatalogPlace::SystemPrompt => {
            add_catalog(&mut account, Entries::new(catalog, show), policy, counter)
        }
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

/// Appends rule and catalog; returns the ids that are shown.
fn add_catalog(
    account: &mut Account<'_>,
    mut skills: Entries<'_>,
    policy: &PromptPolicy,
    counter: &dyn TokenCounter,
) -> Arc<[String]> {
    let unnameable = skills.split_off(|record| !is_nameable(record.id()));
    account
        .record(unnameable.iter().map(|record| Change::new(record.id(), ChangeKind::Unnameable)));
    if skills.is_empty() {
        return Arc::default();
    }
    let fit = fit(&skills, policy, counter);
    account.add(Part::Rule, &rule(policy));
    let mut changes = Vec::new();
    account.add_written(Part::Catalog, |text| {
        changes = push_catalog(text, &skills, &fit, policy);
    });
    account.record(changes);
    skills.ids().take(fit.skills).map(str::to_owned).collect()
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

/// Appends the skills that fit; returns the changes to their texts.
fn push_catalog(
    text: &mut String,
    skills: &Entries<'_>,
    fit: &Fit,
    policy: &PromptPolicy,
) -> Vec<Change> {
    let mut changes = Vec::new();
    let shown = skills.iter().take(fit.skills).map(|skill| {
        add_changes(&mut changes, &skill, fit);
        shorten(skill, fit.description)
    });
    text.reserve(skills.likely_length(fit.skills));
    push_available_skills(text, shown, policy.catalog_format);
    text.push('\n');
    if fit.skills < skills.len() {
        text.push_str(&note(fit.skills, skills.len(), policy));
    }
    let dropped = skills.ids().skip(fit.skills);
    changes.extend(dropped.map(|id| Change::new(id, ChangeKind::Dropped)));
    changes
}

/// Adds the changes to a skill that is shown.
fn add_changes(changes: &mut Vec<Change>, skill: &SkillEntry<'_>, fit: &Fit) {
    let is_without_location = skill.location.as_ref().is_some_and(|location| !is_exact(location));
    if loses_characters(&skill.description) || is_without_location {
        changes.push(Change::new(&skill.name, ChangeKind::Cleaned));
    }
    if fit.description.is_some_and(|bound| is_longer(&skill.description, bound)) {
        changes.push(Change::new(&skill.name, ChangeKind::Shortened));
    }
}
