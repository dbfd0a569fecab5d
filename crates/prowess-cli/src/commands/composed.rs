//! The prompt of `prowess prompt`, with what else belongs to its model call.

use std::sync::Arc;

use prowess::prompt::{Prompt, SkillLevels};
use prowess::{EstimatedTokens, Policies, Runtime, TokenCounter as _, Turn};
use serde::Serialize;

use crate::args::{Global, PromptArgs};
use crate::commands::agent::agent;
use crate::commands::conversation::Conversation;
use crate::commands::own_copies::announce;
use crate::failure::Failure;
use crate::output::{Output, grouped};
use crate::runtime;

/// A composed prompt.
#[derive(Serialize)]
pub(crate) struct Composed {
    #[serde(flatten)]
    pub(crate) prompt: Arc<Prompt>,
    /// The instructions of the agent, in front of the prompt; empty without one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) agent_instructions: String,
    /// Their cost, which the ledger of the prompt does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent_tokens: Option<usize>,
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
        in_turn(global, args, policies, output, |turn| {
            let agent_instructions = turn.agent_instructions();
            let tokens = EstimatedTokens.count(&agent_instructions);
            let agent_tokens = (tokens > 0).then_some(tokens);
            let (prompt, levels) = (turn.prompt(), turn.levels());
            Self { prompt, agent_instructions, agent_tokens, levels }
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

/// The skills that a prompt has room for, where that is not all of them.
#[derive(Serialize)]
pub(crate) struct InPrompt {
    shown: usize,
    total: usize,
}

impl InPrompt {
    /// Composes the first prompt of a conversation; `None` if every skill is in it, or if a tool
    /// lists them.
    pub(crate) fn of(runtime: &Runtime) -> Result<Option<Self>, Failure> {
        let prompt = Conversation::open(runtime)?.turn()?.prompt();
        let (shown, total) = (prompt.shown.len(), prompt.total);
        Ok((0 < shown && shown < total).then_some(Self { shown, total }))
    }

    /// Returns the sentence for people.
    pub(crate) fn sentence(&self) -> String {
        let (shown, total) = (grouped(self.shown), grouped(self.total));
        format!("{shown} of {total} skills fit the prompt; a model finds the rest by search")
    }
}

/// Starts the model call of these arguments, and does this with it before its session is closed.
pub(crate) fn in_turn<T>(
    global: &Global,
    args: &PromptArgs,
    policies: Option<Policies>,
    output: &Output,
    work: impl FnOnce(Turn) -> T,
) -> Result<T, Failure> {
    let runtime = match policies {
        None if global.running.is_some() => runtime::runtime(global)?,
        None => runtime::composing(global, crate::policies::policies(global)?, false)?,
        Some(policies) => runtime::composing(global, policies, false)?,
    };
    announce(&runtime.catalog(), output);
    let agent = args.agent.as_ref().map(|file| agent(file, &runtime, output)).transpose()?;
    let conversation = Conversation::open_for(&runtime, agent)?;
    conversation.load(&args.load)?;
    for path in &args.read {
        conversation.read(path)?;
    }
    Ok(work(conversation.turn_with(args.request.message.as_deref())?))
}
