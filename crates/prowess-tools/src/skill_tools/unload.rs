//! `skills.unload`: makes skills inactive.

use std::borrow::Cow;

use prowess_core::{Catalog, DeliveryPolicy, Tool, ToolContext, ToolDefinition, ToolResult};
use serde::Deserialize;
use serde_json::{Value, json};

use super::active;
use super::problem::{Problem, answer};
use super::receipt;
use super::reference;
use crate::codes;

const DESCRIPTION: &str = "Unload skills whose instructions you no longer need. Do this when a task \
    is finished, so that old instructions do not stand in the way of the next one. Name the skills, \
    or unload all of them. A skill that is not active is no error.";

pub(super) struct Unload {
    delivery: DeliveryPolicy,
    schema: Value,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    all: bool,
}

impl Unload {
    pub(super) fn new(delivery: DeliveryPolicy) -> Self {
        Self { delivery, schema: schema() }
    }

    fn run(&self, context: &ToolContext<'_>, arguments: &Value) -> Result<ToolResult, Problem> {
        let Arguments { names, all } = Arguments::deserialize(arguments)?;
        let which = match (all, names) {
            (true, _) => prowess_core::Unload::All,
            (false, names) if names.is_empty() => {
                let message = "nothing to unload was named; give `names`, or `all` as true";
                return Err(Problem::new(codes::INVALID_ARGUMENTS, message));
            }
            (false, names) => prowess_core::Unload::These(ids(context, names)?),
        };
        let receipt = context.session.unload(&which)?;
        Ok(receipt::result(receipt, self.delivery))
    }
}

/// Resolves names: an id stays as it is, a location or a qualified id becomes the id of the active
/// skill.
fn ids(context: &ToolContext<'_>, names: Vec<String>) -> Result<Vec<String>, Problem> {
    let state = context.session.state()?;
    let find = |name: &str| active::find(context.catalog, &state, name);
    let id = |name: String| find(&name).map_or(name, |skill| skill.id.clone());
    Ok(names.into_iter().map(id).collect())
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "names": {
                "type": "array",
                "items": { "type": "string" },
                "description": "The names of the skills to unload",
            },
            "all": {
                "type": "boolean",
                "description": "True to unload every active skill",
            },
        },
        "additionalProperties": false,
    })
}

impl Tool for Unload {
    fn definition(&self, _catalog: &Catalog) -> ToolDefinition {
        ToolDefinition {
            name: "skills.unload".to_owned(),
            description: DESCRIPTION.to_owned(),
            input_schema: self.schema.clone(),
        }
    }

    fn accepts(&self, _catalog: &Catalog) -> Cow<'_, Value> {
        Cow::Borrowed(&self.schema)
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
