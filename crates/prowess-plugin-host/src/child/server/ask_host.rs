//! Forwards the questions of one call to the host.

use prowess_plugin_abi::{AbiError, codes};

use super::Server;
use crate::child::protocol::Reply;
use crate::child::questions::HostAnswer;
use crate::conversation::Answer;

/// Answers the questions of one call by forwarding them to the host.
pub(super) struct AskHost<'a> {
    pub(super) server: &'a Server,
    pub(super) call: u64,
}

impl Answer for AskHost<'_> {
    fn answer(&self, text: &str) -> HostAnswer {
        let Self { server, call } = self;
        if !server.is_running(*call) {
            return Err(AbiError::new(codes::CANCELLED, "the call has ended"));
        }
        let question = server.questions.open();
        let asked = Reply::Ask { id: *call, question: question.number, text: text.to_owned() };
        server
            .send(&asked, &[])
            .map_err(|error| AbiError::new(codes::UNAVAILABLE, error.to_string()))?;
        question.wait(|| server.is_running(*call))
    }
}
