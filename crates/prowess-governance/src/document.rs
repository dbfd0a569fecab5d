//! The text of a proposal's file.

use prowess_core::Proposal;
use prowess_text::{markdown_block, markdown_code};

pub(crate) fn document(proposal: &Proposal<'_>) -> String {
    let Proposal { skill, base, diff, justification, evidence, time } = *proposal;
    let skill = markdown_code(skill);
    let time = jiff::Timestamp::from(time).strftime("%Y-%m-%dT%H:%M:%SZ");
    let diff = markdown_block("diff", diff);
    let justification = markdown_block("text", justification);
    let mut text = format!(
        "# Proposed update of {skill}\n\n\
         - Skill: {skill}\n\
         - `SKILL.md` that it was proposed for: `{base}`\n\
         - Proposed: {time}\n\n\
         ## Diff\n\n{diff}\n\
         ## Justification\n\n{justification}"
    );
    if let Some(evidence) = evidence {
        text.push_str("\n## Evidence\n\n");
        text.push_str(&markdown_block("text", evidence));
    }
    text
}
