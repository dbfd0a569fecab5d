//! The words of refusals.

use prowess_core::{Code, SkillError};
use prowess_text::clipped;

use crate::call::Call;
use crate::{GatedSkill, Grounds, Refusal, codes};

/// The maximum length of a name in a refusal.
const MAX_NAME_CHARS: usize = 120;

/// The maximum length of the list of tools in a refusal.
const MAX_LIST_CHARS: usize = 1000;

/// Refuses what the list of a skill does not cover, and lists what it covers.
pub(crate) fn by_skill(call: &Call<'_>, skill: &GatedSkill<'_>, grounds: &Grounds) -> Refusal {
    let tool = name(call.input.tool.name);
    let subject = format!("Tool '{tool}' not allowed by skill '{}'", name(skill.id));
    let allowed: Vec<_> = skill.allowed_tools.rules().iter().map(ToString::to_string).collect();
    let list = match allowed.as_slice() {
        [] => "none".to_owned(),
        tools => clipped(&tools.join(", "), MAX_LIST_CHARS),
    };
    // Hosts of both wordings look for their own in this message.
    let message = format!(
        "{subject}{}. Allowed tools: {list}. Tool '{tool}' not in allowed-tools list",
        because(grounds)
    );
    refusal(call, codes::SKILL_TOOL_NOT_ALLOWED, message, Some(skill), allowed)
}

/// Refuses what the operator's limits exclude.
pub(crate) fn by_operator(call: &Call<'_>, grounds: &Grounds) -> Refusal {
    let tool = name(call.input.tool.name);
    let message = format!(
        "Tool '{tool}' is not possible here{}. The operator's limits exclude this call; go on \
         without it",
        because(grounds)
    );
    refusal(call, codes::TOOL_DENIED, message, None, Vec::new())
}

/// Refuses what nothing grants, where no person is asked.
pub(crate) fn not_granted(call: &Call<'_>, grounds: &Grounds) -> Refusal {
    let tool = name(call.input.tool.name);
    let message = format!(
        "Tool '{tool}' needs an approval{}, and no person can be asked here; go on without it",
        because(grounds)
    );
    refusal(call, codes::TOOL_NOT_GRANTED, message, call.input.bound_skill(), Vec::new())
}

fn because(grounds: &Grounds) -> String {
    grounds.detail.as_ref().map(|detail| format!(": {detail}")).unwrap_or_default()
}

fn name(text: &str) -> String {
    clipped(text, MAX_NAME_CHARS)
}

fn refusal(
    call: &Call<'_>,
    code: Code,
    message: String,
    skill: Option<&GatedSkill<'_>>,
    allowed: Vec<String>,
) -> Refusal {
    let tool = call.input.tool.name.to_owned();
    let skill = skill.map(|skill| skill.id.to_owned());
    Refusal { code, error: SkillError::ToolNotAllowed { tool, skill, allowed, message } }
}
