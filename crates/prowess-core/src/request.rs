//! The request of one model call, independent of vendors.

use serde::Serialize;
use serde_json::Value;

use crate::{Content, ToolCall, ToolDefinition, ToolResult};

/// The request of one model call: what stays the same from call to call comes first, so that the
/// prompt caches of vendors can keep it.
///
/// The prompt crate composes the blocks, and the vendor crate writes a request in a vendor's
/// format.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ModelRequest {
    /// The instructions, in their order: rules, catalog, active skills, context.
    pub instructions: Vec<InstructionBlock>,
    /// The tools for the model.
    pub tools: Vec<ToolDefinition>,
    /// The conversation, in the order of time.
    pub messages: Vec<Message>,
}

impl ModelRequest {
    /// Returns the instructions as one text, for formats that have one: the blocks with a blank
    /// line between them.
    pub fn instruction_text(&self) -> String {
        let texts: Vec<_> = self.instructions.iter().map(|block| block.text.as_str()).collect();
        texts.join("\n\n")
    }
}

/// One block of the instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InstructionBlock {
    /// The kind, which decides the order.
    pub kind: InstructionKind,
    /// The text, without blank lines around it.
    pub text: String,
}

/// The kinds of instruction blocks, in the order of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InstructionKind {
    /// The rules of the host or of the agent.
    Rules,
    /// The available skills, with the rule that they are loaded before they are used.
    Catalog,
    /// The bodies of the loaded skills, which change when the model loads one.
    ActiveSkills,
    /// Context that changes from call to call, such as memories.
    Context,
}

impl InstructionKind {
    /// Returns whether the block stays the same while skills are loaded and unloaded.
    pub fn is_stable(self) -> bool {
        self < Self::ActiveSkills
    }
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Message {
    /// A message of the user.
    User {
        /// Text, and files that the model can see.
        content: Vec<Content>,
    },
    /// A message of the host to the model, such as a notice about a changed catalog.
    Context {
        /// The text.
        text: String,
    },
    /// A message of the model.
    Model {
        /// The text; empty if there are only calls.
        text: String,
        /// The calls, in their order.
        calls: Vec<IdentifiedCall>,
    },
    /// The result of a call.
    ToolResult {
        /// The id of the call; empty if the vendor sent none.
        id: String,
        /// The name of the tool, as the model wrote it.
        name: String,
        /// The result.
        result: ToolResult,
    },
    /// A message in the format of the vendor that the request is for, which is sent unchanged: a
    /// host that returns the messages of a model as they came keeps signed reasoning intact. An
    /// array stands for several messages.
    Verbatim {
        /// The message.
        message: Value,
    },
}

impl Message {
    /// Creates a message of the user with this text.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { content: vec![Content::Text { text: text.into() }] }
    }

    /// Creates a message of the host with this text.
    pub fn context(text: impl Into<String>) -> Self {
        Self::Context { text: text.into() }
    }

    /// Creates a message of the model with this text and without calls.
    pub fn model(text: impl Into<String>) -> Self {
        Self::Model { text: text.into(), calls: Vec::new() }
    }
}

/// A call of a tool with the id that its result repeats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IdentifiedCall {
    /// The vendor's id of the call.
    pub id: String,
    /// The call.
    #[serde(flatten)]
    pub call: ToolCall,
}
