//! The text of loaded bodies.

use std::borrow::Cow;

use prowess_core::{ActiveSkill, BodyTags, Boundary, DeliveryPolicy, ShowLocation};
use prowess_text::{is_exact, loses_characters, one_line, push_xml_line, visible_lines, wrap_body};

use crate::catalog::push_role;
use crate::difference::push_names;
use crate::ledger::{Account, Part};
use crate::{CatalogFormat, ChangeKind, PromptInput, PromptPolicy};

/// The name of the tag around a body, which the boundary follows.
const TAG: &str = "skill_content";

const INTRODUCTION: &str = "These skills are loaded: follow their instructions. Where two conflict, \
    the later one takes precedence.";
const ABOUT_DIRECTORIES: &str = " Paths in a skill are relative to its `directory`.";

/// Appends the loaded skills in the order in which they were loaded.
pub(crate) fn add_active(account: &mut Account<'_>, input: &PromptInput<'_>) {
    if input.active.is_empty() {
        return;
    }
    let blank = if account.text.is_empty() { "" } else { "\n" };
    let introduction = introduction(*input.delivery);
    let opening = format!("{blank}{introduction}\n<active_skills>\n");
    account.add(Part::ActiveFrame, &opening);
    for skill in input.active {
        add_skill(account, skill, input);
    }
    account.add(Part::ActiveFrame, "</active_skills>\n");
}

/// Appends the ids of loaded skills whose files have changed since.
pub(crate) fn add_changed(account: &mut Account<'_>, changed: &[String], policy: &PromptPolicy) {
    if changed.is_empty() {
        return;
    }
    let blank = if account.text.is_empty() { "" } else { "\n" };
    let text = format!("{blank}{}\n", changed_skills(changed, &policy.load_tool));
    account.add(Part::Changed, &text);
}

/// Returns the sentence that says that loaded skills with these ids have changed, and how to load
/// them again.
pub fn changed_skills(ids: &[String], load_tool: &str) -> String {
    let mut names = String::new();
    push_names(&mut names, ids.iter().map(String::as_str));
    let changed = format!("These loaded skills have changed since they were loaded: {names}.");
    if replaces(load_tool) {
        return format!(
            "{changed} To have one as it is now, unload it, then call `{load_tool}` with its name, \
             and with `mode` `add` to keep the others."
        );
    }
    format!(
        "{changed} To have one as it is now, deactivate it if there is a way to, then call \
         `{load_tool}` with its name."
    )
}

/// Returns whether a load by this tool replaces the loaded skills unless the call has a mode. Other
/// tools have no argument for it.
fn replaces(load_tool: &str) -> bool {
    ["skills.load", "skills-load", "skills_load"].contains(&load_tool)
}

fn add_skill(account: &mut Account<'_>, skill: &ActiveSkill, input: &PromptInput<'_>) {
    let body = input.delivery.tags.encode(&skill.body, input.boundary);
    let has_role = input.policy.catalog_format == CatalogFormat::XmlAttrs;
    let text = wrapped(skill, &body, has_role, *input.delivery, input.boundary);
    let part = Part::ActiveSkill { id: skill.id.clone() };
    account.add(part, &text);
    if loses_characters(&skill.body) {
        account.changes().push(&skill.id, ChangeKind::BodyCleaned);
    }
    if input.delivery.tags == BodyTags::Boundary && body != visible_lines(&skill.body) {
        account.changes().push(&skill.id, ChangeKind::BodyGuarded);
    }
}

/// Returns an encoded body between the tags of its skill, as lines. A plain element has the role of
/// the skill where the catalog has it.
pub(crate) fn wrapped(
    skill: &ActiveSkill,
    body: &str,
    has_role: bool,
    delivery: DeliveryPolicy,
    boundary: &Boundary,
) -> String {
    if delivery.tags == BodyTags::Skill {
        let mut text = "<skill name=\"".to_owned();
        push_xml_line(&mut text, &skill.id);
        if has_role {
            push_role(&mut text, &skill.id);
        } else {
            text.push('"');
        }
        let end = if body.ends_with('\n') { "" } else { "\n" };
        return format!("{text}>\n{body}{end}</skill>\n");
    }
    let id = one_line(&skill.id);
    let directory = directory(skill, delivery.show_location);
    let mut attributes = vec![("name", &*id)];
    attributes.extend(directory.as_deref().map(|directory| ("directory", directory)));
    wrap_body(TAG, &attributes, body, boundary) + "\n"
}

/// Returns the sentences in front of bodies. A plain element has no directory.
pub(crate) fn introduction(delivery: DeliveryPolicy) -> String {
    let has_directory =
        matches!(delivery.show_location, ShowLocation::Absolute | ShowLocation::Virtual);
    let has_directory = has_directory && delivery.tags != BodyTags::Skill;
    format!("{INTRODUCTION}{}", if has_directory { ABOUT_DIRECTORIES } else { "" })
}

/// Returns the skill's directory as a model sees it, unless its shown form would differ from the
/// path.
fn directory(skill: &ActiveSkill, show: ShowLocation) -> Option<Cow<'_, str>> {
    match show {
        ShowLocation::Absolute | ShowLocation::Virtual => {
            show.directory(&skill.id, &skill.root_dir).filter(|directory| is_exact(directory))
        }
        // The id is already the name.
        _ => None,
    }
}
