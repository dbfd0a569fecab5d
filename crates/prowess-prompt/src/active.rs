//! Loaded bodies as text.

use prowess_core::ActiveSkill;

use crate::escape;
use crate::hidden::{fold, has_hidden, is_exact};
use crate::ledger::{Account, Change, ChangeKind, Part};
use crate::{PromptPolicy, ShowLocation};

const INTRODUCTION: &str = "These skills are loaded: follow their instructions. Where two conflict, the later one takes precedence.";
const ABOUT_DIRECTORIES: &str = " Paths in a skill are relative to its `directory`.";

/// Appends the loaded skills in the order in which they were loaded.
pub(crate) fn add_active(account: &mut Account<'_>, active: &[ActiveSkill], policy: &PromptPolicy) {
    if active.is_empty() {
        return;
    }
    let blank = if account.text.is_empty() { "" } else { "\n" };
    let about = match policy.show_location {
        ShowLocation::None => "",
        ShowLocation::Absolute => ABOUT_DIRECTORIES,
    };
    let opening = format!("{blank}{INTRODUCTION}{about}\n<active_skills>\n");
    account.add(Part::ActiveFrame, &opening);
    for skill in active {
        add_skill(account, skill, policy);
    }
    account.add(Part::ActiveFrame, "</active_skills>\n");
}

/// Appends which loaded skills are not what their files say any more.
pub(crate) fn add_changed(account: &mut Account<'_>, changed: &[String], policy: &PromptPolicy) {
    if changed.is_empty() {
        return;
    }
    let blank = if account.text.is_empty() { "" } else { "\n" };
    let text = format!("{blank}{}\n", changed_skills(changed, &policy.load_tool));
    account.add(Part::Changed, &text);
}

/// The sentence that loaded skills with these ids have changed since, and how to have them as they are now.
pub fn changed_skills(ids: &[String], load_tool: &str) -> String {
    let names: Vec<_> = ids.iter().map(|id| format!("`{}`", escape::xml(&fold(id)))).collect();
    let names = names.join(", ");
    format!(
        "These loaded skills have changed since they were loaded: {names}. To have one as it is now, unload \
         it, then call `{load_tool}` with its name, and with `mode` `add` to keep the others."
    )
}

fn add_skill(account: &mut Account<'_>, skill: &ActiveSkill, policy: &PromptPolicy) {
    let name = escape::xml(&fold(&skill.id));
    let directory = directory(skill, policy);
    let body = escape::body(&skill.body);
    let text = format!("<skill name=\"{name}\"{directory}>\n{body}\n</skill>\n");
    let part = Part::ActiveSkill { id: skill.id.clone() };
    account.add(part, &text);
    let mut change = |kind| account.ledger.changes.push(Change::new(&skill.id, kind));
    if has_hidden(&skill.body) {
        change(ChangeKind::BodyCleaned);
    }
    if is_guarded(&skill.body, &body) {
        change(ChangeKind::BodyGuarded);
    }
}

/// The attribute with the skill's directory, unless showing it would change it.
fn directory(skill: &ActiveSkill, policy: &PromptPolicy) -> String {
    let is_shown = policy.show_location == ShowLocation::Absolute && is_exact(&skill.root_dir);
    if is_shown {
        format!(" directory=\"{}\"", escape::xml(&skill.root_dir))
    } else {
        String::new()
    }
}

/// Whether a tag was escaped: only that makes fewer angle brackets.
fn is_guarded(written: &str, shown: &str) -> bool {
    let brackets = |text: &str| text.matches('<').count();
    brackets(shown) < brackets(written)
}
