//! The whole request of a model call, and the instructions of an agent.

use std::sync::Arc;

use prowess_core::{Message, ModelRequest};
use prowess_prompt::{
    AgentParts, ContextBlock, MessagesInput, agent_instructions, compose_messages,
};
#[cfg(feature = "vendor")]
use serde_json::Value;

use crate::{Agent, Turn};

/// The parts of a request that are the host's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestParts<'a> {
    /// The rules in front of everything else; empty if there are none.
    pub rules: &'a str,
    /// Blocks of context, in any order.
    pub context: Vec<ContextBlock>,
    /// The conversation, in the order of time.
    pub messages: Vec<Message>,
}

impl<'a> RequestParts<'a> {
    /// Returns the parts of a host without context.
    pub fn new(rules: &'a str, messages: Vec<Message>) -> Self {
        Self { rules, context: Vec::new(), messages }
    }
}

impl Turn {
    /// Returns the turn as one of this agent: the bodies of the skills that it uses are in
    /// [`Self::agent_instructions`], and no longer in [`Self::prompt`].
    #[must_use]
    pub fn for_agent(self, agent: Arc<Agent>) -> Self {
        Self { agent: Some(agent), ..self }
    }

    /// Returns the instructions of the turn's agent: its prompt template, the bodies of the skills
    /// that it uses, and the instructions of its manifest. Empty without an agent.
    pub fn agent_instructions(&self) -> String {
        let Some(agent) = &self.agent else { return String::new() };
        let skills: Vec<_> = self
            .in_instructions()
            .filter(|skill| self.is_used_by_agent(&skill.id))
            .cloned()
            .collect();
        let inline = agent.manifest.instructions.as_deref().unwrap_or_default();
        let parts = AgentParts { template: &agent.template, skills: &skills, inline };
        agent_instructions(parts, *self.delivery(), &self.place.boundary)
    }

    /// Composes the whole request of the model call, in the format of no vendor: the host's rules,
    /// the catalog, the active skills and context as instructions, the tools, then the messages.
    ///
    /// The instructions of the turn's agent follow the rules.
    pub fn messages(&self, parts: RequestParts<'_>) -> ModelRequest {
        let RequestParts { rules, context, messages } = parts;
        let agent = self.agent_instructions();
        let rules = [rules, &agent].into_iter().filter(|text| !text.is_empty());
        let rules = &rules.collect::<Vec<_>>().join("\n\n");
        let prompt = &self.prompt();
        compose_messages(MessagesInput { rules, prompt, context, tools: self.tools(), messages })
    }

    /// Composes the body of the model call's request in a vendor's format, from the same parts as
    /// [`Self::messages`]. Returns `None` for MCP, which has no model calls.
    #[cfg(feature = "vendor")]
    pub fn request(
        &self,
        format: prowess_vendor::WireFormat,
        options: &prowess_vendor::RequestOptions,
        parts: RequestParts<'_>,
    ) -> Option<Value> {
        format.request(&self.messages(parts), options)
    }
}
