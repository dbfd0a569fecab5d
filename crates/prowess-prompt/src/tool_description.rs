//! The descriptions of tools that list the skills.

use crate::catalog::frame;
use crate::compose::compose_listing;
use crate::{CatalogFormat, CatalogPlace, Prompt, ToolDescriptionInput};

/// The description of the tool `skill`.
const SKILL: &str = include_str!("descriptions/skill.txt");
const AVAILABLE_SKILLS: &str = "{available_skills}";

/// The description of the tool `get_skill`, in front of the skills.
const GET_SKILL: &str = "Gets detailed information about an agent skill.";

/// Returns the description of a tool with the catalog in it, in the policy's format and budget. The
/// ledger describes the catalog alone.
///
/// The description is the tool's own unless the place of the catalog is
/// [`CatalogPlace::ToolDescription`]. The tools `skill` and `get_skill` have descriptions of their
/// own then; the others have the catalog behind theirs.
pub fn tool_description(input: &ToolDescriptionInput<'_>) -> Prompt {
    let ToolDescriptionInput { tool, text, policy, .. } = *input;
    if policy.catalog_place != CatalogPlace::ToolDescription {
        return Prompt { text: text.to_owned(), ..Prompt::default() };
    }
    let listing = compose_listing(input);
    let format = policy.catalog_format;
    let is_empty = listing.text.is_empty();
    let skills = if is_empty { frame(format).empty } else { &listing.text };
    let text = match tool {
        "skill" => SKILL.trim_end().replacen(AVAILABLE_SKILLS, skills.trim_end(), 1),
        "get_skill" if is_empty => {
            format!("{GET_SKILL} {}", frame(CatalogFormat::DashLines).empty)
        }
        "get_skill" => format!("{GET_SKILL}\n{skills}"),
        _ => format!("{text}\n\n{}", skills.trim_end()),
    };
    Prompt { text, ..listing }
}
