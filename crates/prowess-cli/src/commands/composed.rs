//! The prompt of `prowess prompt`, with what else belongs to its model call.

use std::sync::Arc;

use prowess::prompt::{Prompt, SkillLevels};
use prowess::{Policies, Turn};
use serde::Serialize;

use crate::args::{Global, PromptArgs};
use crate::commands::agent::agent;
use crate::commands::conversation::Conversation;
use crate::failure::Failure;
use crate::output::Output;
use crate::runtime;

/// A composed prompt.
#[derive(Serialize)]
pub(crate) struct Composed {
    #[serde(flatten)]
    pub(crate) prompt: Arc<Prompt>,
    /// The instructions of the agent, in front of the prompt; empty without one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) agent_instructions: String,
    /// The cost of each skill by level.
    pub(crate) levels: Vec<SkillLevels>,
}

impl Composed {
    /// Composes the prompt of these arguments, under other policies than the configured ones if
    /// there are any.
    pub(crate) fn new(
        global: &Global,
        args: &PromptArgs,
        policies: Option<Policies>,
        output: &Output,
    ) -> Result<Self, Failure> {
        let turn = turn(global, args, policies, output)?;
        Ok(Self {
            prompt: turn.prompt(),
            agent_instructions: turn.agent_instructions(),
            levels: turn.levels(),
        })
    }

    /// Returns the whole text: the instructions of the agent, then the skills.
    pub(crate) fn text(&self) -> String {
        let prompt = self.prompt.whole_text();
        if self.agent_instructions.is_empty() {
            return prompt.into_owned();
        }
        format!("{}\n\n{prompt}", self.agent_instructions)
    }
}

/// Starts the model call of these arguments.
pub(crate) fn turn(
    global: &Global,
    args: &PromptArgs,
    policies: Option<Policies>,
    output: &Output,
) -> Result<Turn, Failure> {
    let runtime = match policies {
        None => runtime::runtime(global)?,
        Some(policies) => {
            let plugins = crate::plugins::load(global, &policies)?;
            runtime::builder_with(global, policies, &plugins)?.build()?
        }
    };
    let agent = args.agent.as_ref().map(|file| agent(file, &runtime, output)).transpose()?;
    let conversation = Conversation::open_for(&runtime, agent)?;
    conversation.load(&args.load)?;
    for path in &args.read {
        conversation.read(path)?;
    }
    conversation.turn()
}
