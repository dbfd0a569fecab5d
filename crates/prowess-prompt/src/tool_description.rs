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
/// other tool has them behind its own. Where a description has `most` characters, that of `skill`
/// has the sections of its document that say when to invoke it, which leaves room for skills.
pub fn tool_description(
    tool: &str,
    text: &str,
    listing: &str,
    format: CatalogFormat,
    most: Option<usize>,
) -> String {
    let skills = if listing.is_empty() { format.frame().empty } else { listing };
    match tool {
        "skill" => {
            let is_short = most.is_some_and(|most| SKILL.len() > most / 2);
            let others: &[_] = if is_short { &["How to Invoke", "What Happens"] } else { &[] };
            without(SKILL, others).replacen(AVAILABLE_SKILLS, skills, 1)
        }
        "get_skill" => {
            let separator = if listing.is_empty() { ' ' } else { '\n' };
            format!("{}{separator}{skills}", GET_SKILL.trim_end())
        }
        _ => format!("{text}\n\n{skills}").trim_end().to_owned(),
    }
}

/// Returns the description that the document of a tool has where the skills are listed elsewhere,
/// or else `text`: a description says when to call the tool.
pub fn unlisted_description(tool: &str, text: &str) -> String {
    if tool == "skill" { without(SKILL, &["Available Skills"]) } else { text.to_owned() }
}

/// Returns a text without the sections whose titles begin so.
fn without(text: &str, titles: &[&str]) -> String {
    let is_kept = |part: &&str| !titles.iter().any(|title| part.starts_with(title));
    let parts: Vec<_> = text.split("\n## ").filter(is_kept).collect();
    parts.join("\n## ").trim_end().to_owned()
}
