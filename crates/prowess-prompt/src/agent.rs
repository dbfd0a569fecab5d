//! The instructions of an agent, and the bodies that a conversation needs again.

use std::sync::Arc;

use prowess_core::{ActiveSkill, Boundary, DeliveryPolicy};
use prowess_text::enumerated;

use crate::active::{introduction, wrapped};

/// The parts of an agent's instructions.
#[derive(Clone, Copy, Debug)]
pub struct AgentParts<'a> {
    /// The text of its prompt template: role and workflow.
    pub template: &'a str,
    /// The skills that it uses.
    pub skills: &'a [Arc<ActiveSkill>],
    /// The instructions of its manifest: additions, which take precedence.
    pub inline: &'a str,
}

/// Composes the instructions of an agent: prompt template, bodies of its skills, instructions of
/// its manifest, with a blank line between them.
///
/// An agent without skills has its own texts, byte for byte.
pub fn agent_instructions(
    parts: AgentParts<'_>,
    delivery: DeliveryPolicy,
    boundary: &Boundary,
) -> String {
    let AgentParts { template, skills, inline } = parts;
    let bodies = if skills.is_empty() { String::new() } else { block(skills, delivery, boundary) };
    let texts = [template, &bodies, inline].into_iter().filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join("\n\n")
}

fn block(skills: &[Arc<ActiveSkill>], delivery: DeliveryPolicy, boundary: &Boundary) -> String {
    let mut text = format!("{}\n<active_skills>\n", introduction(delivery));
    for skill in skills {
        text.push_str(&encoded(skill, &skill.body, delivery, boundary));
    }
    text.push_str("</active_skills>");
    text
}

fn encoded(
    skill: &ActiveSkill,
    body: &str,
    delivery: DeliveryPolicy,
    boundary: &Boundary,
) -> String {
    wrapped(skill, &delivery.tags.encode(body, boundary), false, delivery, boundary)
}

/// Returns the text that delivers a body again: between its tags, and with a sentence if `body` is
/// not the whole one.
pub fn body_again(
    skill: &ActiveSkill,
    body: &str,
    delivery: DeliveryPolicy,
    boundary: &Boundary,
) -> String {
    let mut text = encoded(skill, body, delivery, boundary);
    if body.len() < skill.body.len() {
        let id = enumerated([skill.id.as_str()], "and");
        text.push_str(&format!("The end of {id} is left out; it is in its `SKILL.md`.\n"));
    }
    text
}

/// Composes the message that delivers bodies again after a compaction. `bodies` are texts of
/// [`body_again`], and `left_out` are the ids of loaded skills whose bodies do not fit.
///
/// Returns the empty text if there is nothing to say.
pub fn compaction_notice(bodies: &[String], left_out: &[String], load_tool: &str) -> String {
    let mut text = String::new();
    if !bodies.is_empty() {
        text.push_str("These skills are loaded, and their instructions still apply");
        let is_one = bodies.len() == 1;
        text.push_str(if is_one { ":\n" } else { "; where two conflict, the later one:\n" });
        text.extend(bodies.iter().map(String::as_str));
    }
    if !left_out.is_empty() {
        let ids = enumerated(left_out.iter().map(String::as_str), "and");
        text.push_str(&format!(
            "The instructions of {ids} are no longer in this conversation. Call `{load_tool}` for \
             those that you need.\n"
        ));
    }
    text
}
