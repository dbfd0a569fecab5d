//! The whole text of one model call.

use prowess_core::{ActiveSkill, BodyDelivery, Catalog, Record, TokenCounter};
use serde::Serialize;

use crate::active::{add_active, add_changed};
use crate::budget::{Fit, fit, is_longer, note, shorten};
use crate::catalog::push_available_skills;
use crate::hidden::{has_hidden, is_exact, is_plain};
use crate::ledger::{Account, Change, ChangeKind, Ledger, Part};
use crate::{CatalogPlace, PromptPolicy, SkillEntry};

/// All that a prompt is made of.
#[derive(Clone, Copy)]
pub struct PromptInput<'a> {
    /// The catalog that the turn has pinned.
    pub catalog: &'a Catalog,
    /// What the conversation has loaded, the most recent last.
    pub active: &'a [ActiveSkill],
    /// The ids of loaded skills of whose changes the model is to be told.
    pub changed: &'a [String],
    /// What the host decides.
    pub policy: &'a PromptPolicy,
    /// What the model's vendor counts with, or an estimate.
    pub counter: &'a dyn TokenCounter,
}

/// A composed prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Prompt {
    /// The text for the model's instructions; empty if there is nothing to say.
    pub text: String,
    /// What it costs, and what is not shown as it was written.
    pub ledger: Ledger,
    /// The ids in the text's catalog, in its order. Each is one of the input's catalog.
    pub shown: Vec<String>,
    /// How many skills the input's catalog offers.
    pub total: usize,
}

/// Writes the loading rule, the catalog, the loaded bodies and which of them have changed, in this order.
///
/// Skills that the catalog has put aside are not mentioned. Without a visible skill there is neither
/// catalog nor rule; without a loaded one there is no `<active_skills>`.
pub fn compose(input: &PromptInput<'_>) -> Prompt {
    let PromptInput { catalog, active, changed, policy, counter } = *input;
    let mut account = Account::new(counter);
    let shown = match policy.catalog_place {
        CatalogPlace::SystemPrompt => add_catalog(&mut account, catalog, policy, counter),
        CatalogPlace::ToolOnly => Vec::new(),
    };
    if policy.body_delivery == BodyDelivery::Instructions {
        add_active(&mut account, active, policy);
    }
    add_changed(&mut account, changed, policy);
    Prompt { text: account.text, ledger: account.ledger, shown, total: catalog.len() }
}

/// Appends rule and catalog; gives the ids that are shown.
fn add_catalog(
    account: &mut Account<'_>,
    catalog: &Catalog,
    policy: &PromptPolicy,
    counter: &dyn TokenCounter,
) -> Vec<String> {
    let (skills, unnameable): (Vec<_>, Vec<_>) = catalog
        .skills()
        .map(|record: Record<'_>| SkillEntry::new(record, policy.show_location))
        .partition(|skill| is_nameable(&skill.name));
    let no_name = |skill: &SkillEntry<'_>| Change::new(&skill.name, ChangeKind::Unnameable);
    account.ledger.changes.extend(unnameable.iter().map(no_name));
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

/// Whether a model that types what it is shown types the id.
fn is_nameable(id: &str) -> bool {
    if is_plain(id) {
        return !id.is_empty();
    }
    let is_folded = !id.is_empty() && id.split(' ').all(|word| !word.is_empty());
    is_folded && is_exact(id) && !id.contains(|c: char| c.is_whitespace() && c != ' ')
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
        let place_goes = skill.location.as_ref().is_some_and(|place| !is_exact(place));
        if has_hidden(&skill.description) || place_goes {
            change(ChangeKind::Cleaned);
        }
        let bound = fit.description.unwrap_or(usize::MAX);
        if is_longer(&skill.description, bound) {
            change(ChangeKind::Shortened);
        }
    }
    changes
}
