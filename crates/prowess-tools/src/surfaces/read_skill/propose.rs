//! `propose_skill_update`: keeps a proposal for the reviewers of a skill, if the host has a place
//! for proposals. The skill does not change.

use prowess_core::{Catalog, Digest, Proposal, ToolResult};
use prowess_text::{model_body, quoted};
use serde::Deserialize;
use serde_json::{Value, json};

use super::unknown;
use crate::codes;
use crate::gate::Refusal;
use crate::lookup::package::read_skill_md;
use crate::names;
use crate::operations::Operations;
use crate::surfaces::skill_tool::{Call, SkillTool, closed, text};

#[derive(Deserialize)]
pub(crate) struct Arguments {
    skill_id: String,
    diff: String,
    justification: String,
    #[serde(default)]
    evidence: Option<String>,
}

impl Arguments {
    /// Checks that there is something to review.
    fn check(&self) -> Result<(), Refusal> {
        let is_change = |line: &str| line.starts_with(['+', '-']);
        if !self.diff.lines().any(is_change) {
            let message = "`diff` is a unified diff of the skill's `SKILL.md`: lines that begin \
                with `-` are removed, and those with `+` are added";
            return Err(Refusal::new(codes::INVALID_ARGUMENTS, message));
        }
        if self.justification.trim().is_empty() {
            let message = "`justification` says why the skill should change";
            return Err(Refusal::new(codes::INVALID_ARGUMENTS, message));
        }
        Ok(())
    }
}

pub(crate) struct Propose;

impl SkillTool for Propose {
    const NAME: &'static str = names::PROPOSE;
    const DESCRIPTION: &'static str = "Propose an update of a skill. Do this when its instructions \
        were wrong or incomplete for a task. A person reviews the proposal; the skill does not \
        change now.";
    const SKILL_FIELD: &'static str = "skill_id";
    type Arguments = Arguments;

    fn schema(&self, _: &Operations) -> Value {
        let properties = json!({
            "skill_id": text("The id of the skill"),
            "diff": text("The change of the skill's `SKILL.md`, as a unified diff"),
            "justification": text("Why it should change"),
            "evidence": text("What was observed, such as an error message"),
        });
        closed(properties, &["skill_id", "diff", "justification"])
    }

    fn is_offered(&self, operations: &Operations, catalog: &Catalog) -> bool {
        operations.proposals.is_some() && !catalog.is_empty()
    }

    fn run(&self, call: &Call<'_>, arguments: Arguments) -> Result<ToolResult, Refusal> {
        let Call { operations, context } = *call;
        let Some(proposals) = &operations.proposals else {
            let message = "proposals are not enabled here; tell the user what should change";
            return Err(Refusal::new(codes::PROPOSALS_UNAVAILABLE, message));
        };
        arguments.check()?;
        let Arguments { skill_id, diff, justification, evidence } = &arguments;
        let record = operations
            .find(context, skill_id)
            .map_err(|refusal| unknown(call, skill_id, refusal))?;
        let evidence = evidence.as_deref().filter(|evidence| !evidence.trim().is_empty());
        let name = proposals.submit(&Proposal {
            skill: record.id(),
            base: Digest::of(&read_skill_md(context.catalog, record)?),
            diff,
            justification,
            evidence,
            time: context.clock.now(),
        })?;
        let skill = quoted(record.id());
        let name = quoted(&name);
        let text = format!(
            "Proposal {name} is written. Skill {skill} does not change until a person accepts it."
        );
        Ok(ToolResult::text(model_body(&text, context.boundary)))
    }
}
