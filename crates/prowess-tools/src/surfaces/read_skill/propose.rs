//! `propose_skill_update`: keeps a proposal for the reviewers of a skill, if the host has a place
//! for proposals. The skill does not change.

use std::borrow::Cow;

use prowess_core::{Catalog, Digest, Proposal, ToolContext, ToolResult};
use prowess_text::{model_body, quoted};
use serde::Deserialize;
use serde_json::{Value, json};

use super::unknown;
use crate::codes;
use crate::content::problem::Problem;
use crate::lookup::package::read_skill_md;
use crate::names;
use crate::operations::Operations;
use crate::surfaces::skill_tool::SkillTool;

const DESCRIPTION: &str = "Propose an update of a skill. Do this when its instructions were wrong \
    or incomplete for a task. A person reviews the proposal; the skill does not change now.";

#[derive(Deserialize)]
struct Arguments {
    skill_id: String,
    diff: String,
    justification: String,
    #[serde(default)]
    evidence: Option<String>,
}

impl Arguments {
    /// Checks that there is something to review.
    fn check(&self) -> Result<(), Problem> {
        let is_change = |line: &str| line.starts_with(['+', '-']);
        if !self.diff.lines().any(is_change) {
            let message = "`diff` is a unified diff of the skill's `SKILL.md`: lines that begin \
                with `-` are removed, and those with `+` are added";
            return Err(Problem::new(codes::INVALID_ARGUMENTS, message));
        }
        if self.justification.trim().is_empty() {
            let message = "`justification` says why the skill should change";
            return Err(Problem::new(codes::INVALID_ARGUMENTS, message));
        }
        Ok(())
    }
}

impl Operations {
    fn propose(
        &self,
        context: &ToolContext<'_>,
        arguments: &Arguments,
    ) -> Result<ToolResult, Problem> {
        let Some(proposals) = &self.proposals else {
            let message = "proposals are not enabled here; tell the user what should change";
            return Err(Problem::new(codes::PROPOSALS_UNAVAILABLE, message));
        };
        arguments.check()?;
        let Arguments { skill_id, diff, justification, evidence } = arguments;
        let record = self
            .find(context, skill_id)
            .map_err(|problem| unknown(self, context, skill_id, problem))?;
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

pub(crate) struct Propose;

impl SkillTool for Propose {
    const NAME: &'static str = names::PROPOSE;

    fn description(&self, _: &Operations, _: &Catalog) -> Cow<'static, str> {
        DESCRIPTION.into()
    }

    fn schema(&self, _: &Operations) -> Value {
        json!({
            "type": "object",
            "properties": {
                "skill_id": { "type": "string", "description": "The id of the skill" },
                "diff": {
                    "type": "string",
                    "description": "The change of the skill's `SKILL.md`, as a unified diff",
                },
                "justification": { "type": "string", "description": "Why it should change" },
                "evidence": {
                    "type": "string",
                    "description": "What was observed, such as an error message",
                },
            },
            "required": ["skill_id", "diff", "justification"],
            "additionalProperties": false,
        })
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        arguments["skill_id"].as_str().into_iter().collect()
    }

    fn is_offered(&self, operations: &Operations, catalog: &Catalog) -> bool {
        operations.proposals.is_some() && !catalog.is_empty()
    }

    fn run(
        &self,
        operations: &Operations,
        context: &ToolContext<'_>,
        arguments: &Value,
    ) -> Result<ToolResult, Problem> {
        operations.propose(context, &Arguments::deserialize(arguments)?)
    }
}
