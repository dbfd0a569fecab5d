//! The bodies of requests.

mod anthropic;
mod gemini;
mod openai_chat;
mod openai_responses;

use prowess_core::ToolCall;
use serde_json::{Map, Value};

use crate::ReceivedCall;

pub(crate) use anthropic::request as anthropic;
pub(crate) use gemini::request as gemini;
pub(crate) use openai_chat::request as openai_chat;
pub(crate) use openai_responses::request as openai_responses;

/// The fields of a request that the conversation does not determine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestOptions {
    /// The name of the model, as the vendor spells it. Gemini has it in the URL, not in the body.
    pub model: Option<String>,
    /// The maximum number of tokens of the reply. By default the vendor's; for Anthropic, which
    /// requires one, 4,096.
    pub max_output_tokens: Option<u32>,
}

impl RequestOptions {
    /// Returns the options with this model.
    pub fn model(name: impl Into<String>) -> Self {
        Self { model: Some(name.into()), ..Self::default() }
    }

    /// Returns a body with the fields for model and limit.
    fn body(&self, limit: &str) -> Map<String, Value> {
        let model = self.model.as_ref().map(|model| ("model".to_owned(), model.as_str().into()));
        let limit = self.max_output_tokens.map(|most| (limit.to_owned(), most.into()));
        model.into_iter().chain(limit).collect()
    }
}

/// Returns the call that a result belongs to, as far as its format repeats it.
fn answered(id: &str, name: &str) -> ReceivedCall {
    let call = Ok(ToolCall::new(name, Value::Null));
    let id = if id.is_empty() { Value::Null } else { id.into() };
    ReceivedCall { id, name: name.to_owned(), call }
}

/// Appends a message in the vendor's own format, or several of them.
fn push_verbatim(messages: &mut Vec<Value>, message: &Value) {
    match message {
        Value::Array(several) => messages.extend(several.iter().cloned()),
        one => messages.push(one.clone()),
    }
}

/// Collects parts into messages with alternating roles: the parts of consecutive messages of one
/// role become one message.
struct Turns {
    /// The name of the field with the parts.
    field: &'static str,
    messages: Vec<Value>,
    /// Whether the next part begins another message.
    is_closed: bool,
}

impl Turns {
    fn new(field: &'static str) -> Self {
        Self { field, messages: Vec::new(), is_closed: true }
    }

    fn push(&mut self, role: &str, part: Value) {
        let last = self.messages.last_mut().filter(|last| !self.is_closed && last["role"] == role);
        if let Some(parts) = last.and_then(|last| last[self.field].as_array_mut()) {
            parts.push(part);
            return;
        }
        let fields = [("role", role.into()), (self.field, Value::Array(vec![part]))];
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value));
        self.messages.push(Value::Object(fields.collect()));
        self.is_closed = false;
    }

    /// Appends a message that stays as it is.
    fn push_verbatim(&mut self, message: &Value) {
        push_verbatim(&mut self.messages, message);
        self.is_closed = true;
    }
}
