//! The questions of one call, which the host answers.

use std::sync::Arc;

use prowess_plugin_abi::{AbiError, codes};

use super::Server;
use crate::child::asking::HostAnswer;
use crate::child::protocol::Reply;
use crate::conversation::Answer;

/// Answers the questions of one call by asking the host.
pub(super) struct AskHost {
    pub(super) server: Arc<Server>,
    pub(super) call: u64,
}

impl Answer for AskHost {
    fn answer(&self, text: &str) -> HostAnswer {
        let Self { server, call } = self;
        let (question, answered) = server.questions.open(*call);
        let ended = || AbiError::new(codes::CANCELLED, "the call has ended");
        // After the question was opened, so that a call that ends now ends it as well.
        if !server.is_running(*call) {
            server.questions.end(*call);
            return Err(ended());
        }
        server
            .send(&Reply::Ask { id: *call, question, text: text.to_owned() }, &[])
            .map_err(|error| AbiError::new(codes::UNAVAILABLE, error.to_string()))?;
        // The channel closes when the call ends.
        answered.recv().unwrap_or_else(|_| Err(ended()))
    }
}
