//! Questions about the conversation of a call, which the host answers.

use prowess_plugin_abi::conversation::Question;
use prowess_plugin_abi::{AbiError, Blob, codes};
use serde::de::DeserializeOwned;

use crate::Host;

/// The conversation of a running call.
#[derive(Clone)]
pub(super) struct Conversation {
    pub(super) host: Host,
    /// The token of the call.
    pub(super) call: u64,
    /// The number of the catalog.
    pub(super) catalog: u64,
}

impl Conversation {
    /// Asks a question, and deserializes the answer.
    pub(super) fn ask<T: DeserializeOwned>(&self, question: &Question) -> Result<T, AbiError> {
        let answer = self.ask_bytes(question)?;
        serde_json::from_slice(answer.as_slice()).map_err(|error| {
            AbiError::new(codes::INTERNAL, format!("the host's answer cannot be read: {error}"))
        })
    }

    /// Asks a question, and returns the answer as bytes.
    pub(super) fn ask_bytes(&self, question: &Question) -> Result<Blob, AbiError> {
        let text = serde_json::to_string(question)
            .map_err(|error| AbiError::new(codes::INTERNAL, error.to_string()))?;
        self.host.ask(self.call, &text)
    }
}
