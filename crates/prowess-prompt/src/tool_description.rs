//! The descriptions of tools that list the skills.

use crate::CatalogFormat;

/// The description of the tool `skill`.
const SKILL: &str = include_str!("descriptions/skill.txt");
const AVAILABLE_SKILLS: &str = "{available_skills}";

/// The description of the tool `get_skill`, in front of the skills.
const GET_SKILL: &str = include_str!("descriptions/get_skill.txt");

/// Returns the description of a tool with a catalog in it, which is
/// [`Prompt::listing`](crate::Prompt::listing); empty without a skill.
///
/// `tool` is the canonical name, and `text` the tool's description where the skills are listed
/// elsewhere. The tools `skill` and `get_skill` have other descriptions with the skills; every
/// other tool has them behind its own.
pub fn tool_description(tool: &str, text: &str, listing: &str, format: CatalogFormat) -> String {
    let skills = if listing.is_empty() { format.frame().empty } else { listing };
    match tool {
        "skill" => SKILL.trim_end().replacen(AVAILABLE_SKILLS, skills, 1),
        "get_skill" => {
            let separator = if listing.is_empty() { ' ' } else { '\n' };
            format!("{}{separator}{skills}", GET_SKILL.trim_end())
        }
        _ => format!("{text}\n\n{skills}").trim_end().to_owned(),
    }
}
