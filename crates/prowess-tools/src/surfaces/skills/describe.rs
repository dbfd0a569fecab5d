//! `skills.describe`: one skill with its metadata and its files, without its instructions.

use prowess_core::{Catalog, Listing, ReceiptEntry, ResourcePath, ToolResult};
use prowess_text::{is_exact, model_value};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::content::receipt;
use crate::content::wrapper::resources;
use crate::gate::Refusal;
use crate::lookup::package::announcement;
use crate::operations::Operations;
use crate::surfaces::skill_tool::{Call, SkillTool, closed, text};

#[derive(Deserialize)]
pub(crate) struct Arguments {
    skill: String,
}

pub(crate) struct Describe;

impl SkillTool for Describe {
    const NAME: &'static str = "skills.describe";
    const DESCRIPTION: &'static str = "Describe a skill before you decide whether to load it: its \
        description, its metadata, the size of its instructions and the files that belong to it. \
        Do this when the description in the list leaves open whether the skill fits.";
    type Arguments = Arguments;

    fn schema(&self, _: &Operations) -> Value {
        closed(json!({ "skill": text("The name of the skill") }), &["skill"])
    }

    fn is_offered(&self, operations: &Operations, catalog: &Catalog) -> bool {
        operations.policy.offers_discovery(catalog.len())
    }

    /// Returns a skill's metadata and files. It does not load the skill.
    fn run(&self, call: &Call<'_>, arguments: Arguments) -> Result<ToolResult, Refusal> {
        let Call { operations, context } = *call;
        let record = operations.find(context, &arguments.skill)?;
        let skill = operations.known_skills.activate(context, record)?;
        let state = context.session.state()?;
        let mut value = receipt::entry(ReceiptEntry::from(&skill), operations.delivery);
        value["description"] = record.description().into();
        if let Some(note) = announcement(record) {
            value["note"] = note.into();
        }
        value["tags"] = record.tags().collect();
        value["active"] = state.find(&skill.id).is_some().into();
        value["body_tokens"] = operations.counter.count(&skill.body).into();
        let listing = resources(context.catalog, record, operations.policy.resources_listed);
        let none = Listing { resources: Vec::new(), is_complete: true };
        let Listing { resources, is_complete } = listing.map_or(none, |(listing, _)| listing);
        // A name that cannot be shown unchanged cannot be requested.
        let files = resources.iter().filter(|resource| is_exact(resource.path.as_str()));
        let files: Vec<_> = files.collect();
        let paths = files.iter().map(|file| &file.path);
        let runs = |path: &&ResourcePath| operations.policy.runs(context.catalog, record, path);
        value["script_paths"] = json!(paths.filter(runs).collect::<Vec<_>>());
        value["files"] = json!(files);
        value["files_complete"] = is_complete.into();
        model_value(&mut value);
        Ok(ToolResult::data(value))
    }
}
