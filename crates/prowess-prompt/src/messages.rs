//! The request of one model call, from its parts.

use prowess_core::{InstructionBlock, InstructionKind, Message, ModelRequest, ToolDefinition};

use crate::{ContextBlock, Part, Prompt, compose_context};

/// The input of [`compose_messages`].
#[derive(Clone, Debug)]
pub struct MessagesInput<'a> {
    /// The rules of the host or of the agent; empty if it has none.
    pub rules: &'a str,
    /// The composed skills.
    pub prompt: &'a Prompt,
    /// The host's blocks of context, in any order.
    pub context: Vec<ContextBlock>,
    /// The tools for the model.
    pub tools: Vec<ToolDefinition>,
    /// The conversation, in the order of time.
    pub messages: Vec<Message>,
}

/// Composes the request of one model call: rules, catalog, active skills and context as
/// instructions, then the messages in the order of time.
///
/// The parts that stay the same while skills are loaded and unloaded come first. The blocks of
/// context are sorted by priority, the catalog among them if that is its place. Blank blocks are
/// left out.
pub fn compose_messages(input: MessagesInput<'_>) -> ModelRequest {
    let (catalog, active) = parts_of(input.prompt);
    let context = compose_context(input.context.into_iter().chain(input.prompt.context.clone()));
    let blocks = [
        (InstructionKind::Rules, input.rules),
        (InstructionKind::Catalog, catalog),
        (InstructionKind::ActiveSkills, active),
        (InstructionKind::Context, &context),
    ];
    let blocks = blocks.into_iter().filter(|(_, text)| !text.trim().is_empty());
    let block = |(kind, text): (_, &str)| {
        // Only the line ends around it: a text may begin with indentation.
        InstructionBlock { kind, text: text.trim_matches(['\r', '\n']).to_owned() }
    };
    ModelRequest {
        instructions: blocks.map(block).collect(),
        tools: input.tools,
        messages: input.messages,
    }
}

/// Splits a prompt in front of the first part that depends on the loaded skills or on changes of
/// the catalog: those parts are its end.
fn parts_of(prompt: &Prompt) -> (&str, &str) {
    let is_active = |part: &Part| match part {
        Part::ActiveFrame | Part::ActiveSkill { .. } | Part::CatalogNotice | Part::Changed => true,
        Part::Rule | Part::Block { .. } | Part::Catalog => false,
    };
    let segments = prompt.text_segments();
    let stable = segments.take_while(|segment| !is_active(segment.part));
    prompt.text.split_at(stable.map(|segment| segment.text.len()).sum())
}
