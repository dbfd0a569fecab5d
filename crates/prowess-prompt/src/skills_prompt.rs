//! The skills of a session between delimiters: the available ones, the loaded ones, or both.

use std::sync::Arc;

use prowess_core::{ActiveSkill, Boundary, Catalog, Record, ShowLocation};
use prowess_text::{model_body, push_xml_line};

use crate::{CatalogFormat, SkillEntry, available_skills};

/// Which skills a [`skills_prompt`] has. By default, all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillFilter {
    /// The start of the id that a model uses; empty for any.
    pub name_prefix: String,
    /// The start of the location of the `SKILL.md`; empty for any.
    pub location_prefix: String,
    /// Whether the skills are loaded.
    pub activity: Activity,
}

/// Whether skills are loaded in a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activity {
    /// Loaded or not. The default.
    #[default]
    Any,
    /// Loaded.
    Active,
    /// Not loaded.
    Inactive,
}

impl SkillFilter {
    /// Returns whether a skill with this id and location passes, loaded or not.
    fn passes(&self, id: &str, location: &str) -> bool {
        id.starts_with(&self.name_prefix) && location.starts_with(&self.location_prefix)
    }
}

/// The input of [`skills_prompt`].
#[derive(Clone, Copy)]
pub struct SkillsPromptInput<'a> {
    /// The catalog of the turn.
    pub catalog: &'a Catalog,
    /// The loaded skills in their order; `None` without a session.
    pub active: Option<&'a [Arc<ActiveSkill>]>,
    /// Which skills are wanted.
    pub filter: &'a SkillFilter,
    /// The form of locations.
    pub show_location: ShowLocation,
    /// The secret of the conversation, for the lines between bodies.
    pub boundary: &'a Boundary,
}

/// Returns the skills that pass a filter, in plain text between delimiters.
///
/// Available skills are in `<<<AVAILABLE_SKILLS>>>`, in the order of their ids, and loaded ones
/// with their bodies in `<<<ACTIVE_SKILLS>>>`, in the order in which they were loaded. Both
/// together are in `<<<SKILLS_PROMPT>>>`; without a session, no skill is loaded and there is no
/// such section unless the filter asks for it alone.
///
/// A body can neither end its section nor begin another skill: delimiters in it are escaped, and
/// the line between bodies has the boundary.
pub fn skills_prompt(input: &SkillsPromptInput<'_>) -> String {
    match (input.filter.activity, input.active) {
        (Activity::Active, _) => active(input),
        (Activity::Inactive, _) | (Activity::Any, None) => available(input),
        (Activity::Any, Some(_)) => format!(
            "<<<SKILLS_PROMPT>>>\n{}\n{}\n<<<END_SKILLS_PROMPT>>>",
            available(input),
            active(input)
        ),
    }
}

fn available(input: &SkillsPromptInput<'_>) -> String {
    let SkillsPromptInput { catalog, filter, show_location, .. } = *input;
    let loaded = input.active.unwrap_or_default();
    let is_wanted = |record: &Record<'_>| {
        let is_loaded = loaded.iter().any(|skill| skill.id == record.id());
        !is_loaded && filter.passes(record.id(), &record.location())
    };
    let records = catalog.skills().filter(is_wanted);
    let entries = records.map(|record| SkillEntry::new(record, show_location));
    available_skills(entries, CatalogFormat::Delimited)
}

fn active(input: &SkillsPromptInput<'_>) -> String {
    let SkillsPromptInput { filter, boundary, .. } = *input;
    let loaded = input.active.unwrap_or_default().iter();
    let skills = loaded.filter(|skill| filter.passes(&skill.id, &skill.location));
    let sections: Vec<_> = skills.map(|skill| section(skill, boundary)).collect();
    if sections.is_empty() {
        return "<<<ACTIVE_SKILLS>>>\n(none)\n<<<END_ACTIVE_SKILLS>>>".to_owned();
    }
    let separator = format!("<!-- SKILL SEPARATOR {} -->\n", boundary.as_str());
    format!("<<<ACTIVE_SKILLS>>>\n{}<<<END_ACTIVE_SKILLS>>>", sections.join(&separator))
}

/// Returns the fields of a loaded skill. An empty body is an empty field.
fn section(skill: &ActiveSkill, boundary: &Boundary) -> String {
    let mut text = "name: ".to_owned();
    push_xml_line(&mut text, &skill.id);
    text.push_str("\nbody:\n");
    let body = model_body(&skill.body, boundary);
    let body = body.trim_end_matches(['\r', '\n']);
    if !body.is_empty() {
        text.push_str(body);
        text.push('\n');
    }
    text
}
