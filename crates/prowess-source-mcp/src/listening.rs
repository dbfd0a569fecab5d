//! A request for reports of changes over HTTP, whose answer stays open.

use std::ops::ControlFlow;

use prowess_core::Cancel;
use prowess_source_remote::{HttpAnswer, HttpEndpoint};

use crate::sse::{ChangeStream, is_stream};

/// The header with the id of a session.
pub(crate) const SESSION: &str = "mcp-session-id";

/// The parts of the request.
pub(crate) struct Listening {
    pub(crate) headers: Vec<(&'static str, String)>,
    /// The message of the subscription; `None` for the stream of a session.
    pub(crate) body: Option<String>,
}

/// How a stream has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamEnd {
    /// It has reported changes.
    Useful,
    /// It has reported nothing, or the server cannot be reached now.
    Idle,
    /// The server has no such session any more.
    SessionEnded,
    /// The server has no such stream.
    Unsupported,
}

impl Listening {
    /// Receives reports until the stream ends. `report` is called when it begins, since a change
    /// before it was not reported, and for each change.
    pub(crate) fn follow(
        &self,
        endpoint: &HttpEndpoint,
        report: impl Fn(),
        cancel: &Cancel,
    ) -> StreamEnd {
        let mut changes = ChangeStream::default();
        let mut has_begun = false;
        let mut receive = |answer: &HttpAnswer, part: &[u8]| {
            if answer.status != 200 || !is_stream(answer) {
                return ControlFlow::Break(());
            }
            if !std::mem::replace(&mut has_begun, true) {
                report();
            }
            changes.read(part, &report)
        };
        let body = self.body.as_ref().map(String::as_bytes);
        match endpoint.listen(&self.headers, body, &mut receive, cancel) {
            Ok(answer) if answer.status == 200 && !is_stream(&answer) => StreamEnd::Unsupported,
            Ok(answer) if answer.status == 404 && self.has_session() => StreamEnd::SessionEnded,
            Ok(answer) if matches!(answer.status, 400 | 404..=406 | 415 | 501) => {
                StreamEnd::Unsupported
            }
            _ if changes.has_reported() => StreamEnd::Useful,
            _ => StreamEnd::Idle,
        }
    }

    fn has_session(&self) -> bool {
        self.headers.iter().any(|(name, _)| *name == SESSION)
    }
}
