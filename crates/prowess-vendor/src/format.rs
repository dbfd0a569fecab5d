//! The wire formats.

use prowess_core::{ModelRequest, ToolCall, ToolDefinition, ToolResult};
use serde_json::Value;

use crate::{ReceivedCall, RequestOptions, anthropic, gemini, mcp, openai, request};

/// The wire format of a vendor's API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WireFormat {
    /// OpenAI's Chat Completions, and the many APIs that follow it.
    OpenAiChat,
    /// OpenAI's Responses.
    OpenAiResponses,
    /// Anthropic's Messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
    /// The Model Context Protocol: `tools/list` and `tools/call`.
    Mcp,
}

impl WireFormat {
    /// Every format.
    pub const ALL: [Self; 5] =
        [Self::OpenAiChat, Self::OpenAiResponses, Self::Anthropic, Self::Gemini, Self::Mcp];

    /// Returns the body of a request, without anything that the host's client adds, such as keys.
    /// Returns `None` for MCP, which has no model calls.
    ///
    /// Stable parts come first. For Anthropic, at most four `cache_control` breakpoints follow
    /// them: after the tools, the catalog, the active skills and the last message. A
    /// [`Message::Verbatim`] gets none.
    ///
    /// [`Message::Verbatim`]: prowess_core::Message::Verbatim
    pub fn request(self, request: &ModelRequest, options: &RequestOptions) -> Option<Value> {
        match self {
            Self::OpenAiChat => Some(request::openai_chat(request, options)),
            Self::OpenAiResponses => Some(request::openai_responses(request, options)),
            Self::Anthropic => Some(request::anthropic(request, options)),
            Self::Gemini => Some(request::gemini(request, options)),
            Self::Mcp => None,
        }
    }

    /// Returns the value of the field `tools` of a request, or of the result of `tools/list`.
    ///
    /// For OpenAI, a definition is strict if [`strict_schema`](crate::strict_schema) can express
    /// its schema. For Gemini, parts of a schema that it does not know are left out: the toolbox
    /// checks the arguments again.
    pub fn definitions(self, definitions: &[ToolDefinition]) -> Value {
        match self {
            Self::OpenAiChat => definitions.iter().map(openai::chat_tool).collect(),
            Self::OpenAiResponses => definitions.iter().map(openai::responses_tool).collect(),
            Self::Anthropic => definitions.iter().map(anthropic::tool).collect(),
            Self::Gemini => gemini::tools(definitions),
            Self::Mcp => definitions.iter().map(mcp::tool).collect(),
        }
    }

    /// Returns the calls in a message of a model, in their order: an assistant's message, the
    /// response or its `output`, a `content` of Gemini, or a request of MCP.
    ///
    /// A strict definition makes a model write `null` for what it leaves out. `definitions` are the
    /// tools that the model was offered, so that such a `null` is dropped again.
    pub fn calls(self, message: &Value, definitions: &[ToolDefinition]) -> Vec<ReceivedCall> {
        match self {
            Self::OpenAiChat => openai::chat_calls(message, definitions),
            Self::OpenAiResponses => openai::responses_calls(message, definitions),
            Self::Anthropic => anthropic::calls(message),
            Self::Gemini => gemini::calls(message),
            Self::Mcp => mcp::calls(message),
        }
    }

    /// Returns the message in which a model makes a call, as [`Self::calls`] reads it. A host uses
    /// it to replay conversations and to write scripted models.
    pub fn call(self, id: &str, call: &ToolCall) -> Value {
        match self {
            Self::OpenAiChat => openai::chat_call(id, call),
            Self::OpenAiResponses => openai::responses_call(id, call),
            Self::Anthropic => anthropic::call(id, call),
            Self::Gemini => gemini::call(id, call),
            Self::Mcp => mcp::call(id, call),
        }
    }

    /// Returns the message, or the part of one, that answers a call.
    ///
    /// Bytes that the format has no place for are described in a text: the host has them in the
    /// result, with their media type.
    pub fn result(self, received: &ReceivedCall, result: &ToolResult) -> Value {
        match self {
            Self::OpenAiChat => openai::chat_result(received, result),
            Self::OpenAiResponses => openai::responses_result(received, result),
            Self::Anthropic => anthropic::result(received, result),
            Self::Gemini => gemini::result(received, result),
            Self::Mcp => mcp::result(received, result),
        }
    }
}
