//! `skills.describe`: one skill with its metadata and its files, without its instructions.

use std::borrow::Cow;

use prowess_core::{Catalog, Listing, ReceiptEntry, ToolContext, ToolResult};
use prowess_text::{is_exact, model_value};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::content::problem::Problem;
use crate::content::receipt;
use crate::content::wrapper::resources;
use crate::operations::Operations;
use crate::surfaces::skill_tool::SkillTool;

const DESCRIPTION: &str = "Describe a skill before you decide whether to load it: its description, its \
    metadata, the size of its instructions and the files that belong to it. Do this when the \
    description in the list leaves open whether the skill fits.";

#[derive(Deserialize)]
struct Arguments {
    skill: String,
}

impl Operations {
    /// Returns a skill's metadata and files. It does not load the skill.
    pub(crate) fn describe(
        &self,
        context: &ToolContext<'_>,
        reference: &str,
    ) -> Result<Value, Problem> {
        let record = self.find(context, reference)?;
        let skill = self.known_skills.activate(context, record)?;
        let state = context.session.state()?;
        let mut value = receipt::entry(ReceiptEntry::from(&skill), self.delivery);
        value["description"] = record.description().into();
        value["tags"] = record.tags().collect();
        value["active"] = state.find(&skill.id).is_some().into();
        value["body_tokens"] = self.counter.count(&skill.body).into();
        let listing = resources(context.catalog, record, self.policy.resources_listed);
        let Listing { resources, is_complete } =
            listing.unwrap_or(Listing { resources: Vec::new(), is_complete: true });
        // A name that cannot be shown unchanged cannot be requested.
        let files = resources.iter().filter(|resource| is_exact(resource.path.as_str()));
        value["files"] = json!(files.collect::<Vec<_>>());
        value["files_complete"] = is_complete.into();
        model_value(&mut value);
        Ok(value)
    }
}

pub(crate) struct Describe;

impl SkillTool for Describe {
    const NAME: &'static str = "skills.describe";

    fn description(&self, _: &Operations, _: &Catalog) -> Cow<'static, str> {
        DESCRIPTION.into()
    }

    fn schema(&self, _: &Operations) -> Value {
        json!({
            "type": "object",
            "properties": {
                "skill": { "type": "string", "description": "The name of the skill" },
            },
            "required": ["skill"],
            "additionalProperties": false,
        })
    }

    fn is_offered(&self, operations: &Operations, catalog: &Catalog) -> bool {
        operations.policy.offers_discovery(catalog.len())
    }

    fn run(
        &self,
        operations: &Operations,
        context: &ToolContext<'_>,
        arguments: &Value,
    ) -> Result<ToolResult, Problem> {
        let Arguments { skill } = Arguments::deserialize(arguments)?;
        operations.describe(context, &skill).map(ToolResult::data)
    }
}
