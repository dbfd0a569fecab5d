//! The tools that the model is offered.

use std::sync::OnceLock;

use prowess_core::{ToolDefinition, ToolInfo};
use prowess_tools::{DiscoveryTools, SkillTools, Surface};

use super::Turn;
use crate::faces::FaceInput;
use crate::parts::Parts;

impl Turn {
    /// Returns the tools for the model; none if there is no skill, unless a description is where
    /// the catalog is. Those that find skills are among them if the prompt does not show the whole
    /// catalog.
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
        let Parts { policies, toolbox, .. } = &*self.place.parts;
        let is_optional = policies.tools.discovery == DiscoveryTools::Overflow;
        let prompt = (is_optional || self.face.has_lists()).then(|| self.compose(&[], &[]));
        let is_cut = is_optional && prompt.as_ref().is_some_and(|prompt| prompt.is_cut);
        let mut further = self.face.described_tools();
        further.extend(is_cut.then_some(SkillTools::FINDERS).into_iter().flatten());
        let mut tools = toolbox.definitions_with(&self.place.catalog, &further);
        self.face.present(&mut tools, toolbox, self.catalog_input(None), prompt.as_deref());
        tools
    }

    /// Returns the turn as one of a model that sees and calls the tools of these surfaces alone, of
    /// those that the policy has, each with the list of skills of its own document. If the policy
    /// has none of them, it sees all. Call it before [`Self::prompt`].
    #[must_use]
    pub fn for_surfaces(self, surfaces: &[Surface]) -> Self {
        let Parts { policies, toolbox, counter, faces, .. } = &*self.place.parts;
        let input = FaceInput { policies, toolbox, counter, start: &self.place.catalog };
        let face = faces.of(input, surfaces);
        Self { face, is_bound: true, baseline: OnceLock::new(), ..self }
    }

    /// Returns the type and the time limit of the tool that a model calls by this name. A host ends
    /// a call at its limit with [`Self::call_until`].
    pub fn tool_info(&self, tool: &str) -> Option<ToolInfo> {
        self.place.parts.toolbox.info(tool)
    }
}
