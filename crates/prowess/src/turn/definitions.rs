//! The tools that the model is offered.

use prowess_core::{ToolDefinition, ToolInfo};
use prowess_prompt::{CatalogPlace, tool_description};
use prowess_tools::{DiscoveryTools, SkillTools};

use super::Turn;
use crate::parts::Parts;

impl Turn {
    /// Returns the tools for the model; none if there is no skill. Those that find skills are among
    /// them if the prompt does not show the whole catalog.
    ///
    /// As long as the calls of a session repeat the text of the catalog, they repeat the
    /// definitions as well, ids in schemas included, because providers put tools in front of the
    /// text in their prompt caches. Tools that are offered since are behind the others.
    pub fn tools(&self) -> Vec<ToolDefinition> {
        let newest = self.newest_tools();
        let Some(baseline) = self.baseline() else { return newest };
        self.place.parts.conversations.tools(self.place.session.id(), baseline, newest)
    }

    /// Returns the tools as the turn's catalog defines them, for a client that lists them by a call
    /// of its own, as over MCP.
    pub fn newest_tools(&self) -> Vec<ToolDefinition> {
        let policies = &self.place.parts.policies;
        let is_optional = policies.tools.discovery == DiscoveryTools::Overflow;
        let is_described = policies.prompt.catalog_place == CatalogPlace::ToolDescription;
        if !is_optional && !is_described {
            return self.place.parts.toolbox.definitions(&self.place.catalog);
        }
        let prompt = self.compose(&[], &[]);
        let is_cut = is_optional && prompt.is_cut;
        let finders: &[&str] = if is_cut { &SkillTools::FINDERS } else { &[] };
        let mut tools = self.place.parts.toolbox.definitions_with(&self.place.catalog, finders);
        if is_described {
            self.describe(&mut tools, prompt.listing.as_deref().unwrap_or_default());
        }
        tools
    }

    /// Writes the catalog into the description of the tool that loads a skill, or returns its
    /// instructions.
    fn describe(&self, tools: &mut [ToolDefinition], listing: &str) {
        let Parts { policies, toolbox, .. } = &*self.place.parts;
        let Some(name) = policies.tools.load_tool() else { return };
        let spelled = toolbox.naming().spell(name);
        if let Some(tool) = tools.iter_mut().find(|tool| tool.name == spelled) {
            let format = policies.prompt.catalog_format;
            // A description with a limit has no room for the long text of some tools.
            let name = if policies.prompt.max_characters.is_some() { "" } else { name };
            tool.description = tool_description(name, &tool.description, listing, format);
        }
    }

    /// Returns the type and the time limit of the tool that a model calls by this name. A host ends
    /// a call at its limit with [`Self::call_until`].
    pub fn tool_info(&self, tool: &str) -> Option<ToolInfo> {
        self.place.parts.toolbox.info(tool)
    }
}
