//! `skills.load`: makes skills active, all of them or none.

use std::borrow::Cow;
use std::sync::Arc;

use prowess_core::{
    ActiveSkill, BodyDelivery, Catalog, Content, DeliveryPolicy, LoadMode, Receipt, Record, Tool,
    ToolContext, ToolDefinition, ToolResult,
};
use prowess_text::is_shown_exactly;
use serde::Deserialize;
use serde_json::{Value, json};

use super::package::{activate, find};
use super::problem::{Problem, answer};
use super::receipt;
use super::reference;
use super::wrapper::{resources, wrapped};
use crate::{ToolPolicy, codes};

const DESCRIPTION: &str = "Load one or more skills. A skill is a set of instructions for one kind of \
    task. When the task at hand matches a skill's description, load the skill before you do anything \
    else, and before you read any of its files. ";

/// The end of the description: where the instructions will be.
const BODY_FOLLOWS: &str = "The result confirms what is active; the instructions themselves are there from your next turn on.";
const BODY_IS_HERE: &str = "The result holds the instructions.";

pub(super) struct Load {
    policy: Arc<ToolPolicy>,
    delivery: DeliveryPolicy,
    /// The schema for checking arguments, built once.
    accepted: Value,
}

#[derive(Deserialize)]
struct Arguments {
    names: Vec<String>,
    #[serde(default)]
    mode: LoadMode,
}

impl Load {
    pub(super) fn new(policy: Arc<ToolPolicy>, delivery: DeliveryPolicy) -> Self {
        Self { policy, delivery, accepted: Self::schema(&json!({ "type": "string" })) }
    }

    fn schema(items: &Value) -> Value {
        json!({
            "type": "object",
            "properties": {
                "names": {
                    "type": "array",
                    "items": items,
                    "minItems": 1,
                    "description": "The names of the skills to load, from the list of skills",
                },
                "mode": {
                    "type": "string",
                    "enum": ["replace", "add"],
                    "default": "replace",
                    "description": "`replace`: the skills that are active now give way. \
                        `add`: they stay active",
                },
            },
            "required": ["names"],
            "additionalProperties": false,
        })
    }

    fn run(&self, context: &ToolContext<'_>, arguments: &Value) -> Result<ToolResult, Problem> {
        let arguments = Arguments::deserialize(arguments)?;
        let records = self.resolve(context, &arguments.names)?;
        let now = context.clock.now();
        let mut skills = Vec::with_capacity(records.len());
        for &record in &records {
            if context.cancel.is_cancelled() {
                return Err(Problem::cancelled());
            }
            skills.push(Arc::new(activate(context.catalog, record, now)?));
        }
        let receipt = context.session.load(&skills, arguments.mode)?;
        let bodies = match self.delivery.bodies {
            BodyDelivery::ToolResult => self.bodies(context, &receipt, &records, &skills),
            BodyDelivery::Instructions => Vec::new(),
        };
        let mut result = receipt::result(receipt, self.delivery);
        result.content.extend(bodies);
        Ok(result)
    }

    /// Resolves the names to records, each once, before any file is read.
    fn resolve<'c>(
        &self,
        context: &ToolContext<'c>,
        names: &[String],
    ) -> Result<Vec<Record<'c>>, Problem> {
        if names.len() > self.policy.names_per_call {
            let message = format!(
                "{} skills in one call and at most {} may be; load fewer",
                names.len(),
                self.policy.names_per_call
            );
            return Err(Problem::new(codes::TOO_MANY_NAMES, message));
        }
        let mut records: Vec<Record<'c>> = Vec::with_capacity(names.len());
        for name in names {
            let record = find(context, name, &self.policy, self.delivery)?;
            if records.iter().all(|other| other.index() != record.index()) {
                records.push(record);
            }
        }
        Ok(records)
    }

    /// Returns the bodies that the session has now. If it kept an older one, that was delivered
    /// before.
    fn bodies(
        &self,
        context: &ToolContext<'_>,
        receipt: &Receipt,
        records: &[Record<'_>],
        skills: &[Arc<ActiveSkill>],
    ) -> Vec<Content> {
        let is_active = |skill: &ActiveSkill| {
            let mut entries = receipt.active_skills.iter();
            entries.any(|entry| entry.id == skill.id && entry.digest == skill.digest)
        };
        let active = records.iter().zip(skills).filter(|(_, skill)| is_active(skill));
        let content = active.map(|(&record, skill)| {
            let listing = resources(context.catalog, record, self.policy.resources_listed);
            let text = wrapped(skill, listing.as_ref(), self.delivery, context.boundary);
            Content::Text { text }
        });
        content.collect()
    }
}

impl Tool for Load {
    fn definition(&self, catalog: &Catalog) -> ToolDefinition {
        let body = match self.delivery.bodies {
            BodyDelivery::Instructions => BODY_FOLLOWS,
            BodyDelivery::ToolResult => BODY_IS_HERE,
        };
        let items = if (1..=self.policy.ids_in_schema).contains(&catalog.len()) {
            // An id that cannot be shown unchanged cannot be copied.
            let ids = catalog.skills().map(|record| record.id());
            let ids: Vec<_> = ids.filter(|id| is_shown_exactly(id)).collect();
            json!({ "type": "string", "enum": ids })
        } else {
            json!({ "type": "string" })
        };
        ToolDefinition {
            name: "skills.load".to_owned(),
            description: format!("{DESCRIPTION}{body}"),
            input_schema: Self::schema(&items),
        }
    }

    /// Accepts any name, so that a location works too and a misspelt name gets a suggestion.
    fn accepts(&self, _catalog: &Catalog) -> Cow<'_, Value> {
        Cow::Borrowed(&self.accepted)
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        reference::names(arguments)
    }

    fn is_offered(&self, catalog: &Catalog) -> bool {
        !catalog.is_empty()
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        answer(self.run(context, arguments))
    }
}
