//! A server behind a URL, over Streamable HTTP.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prowess_source_remote::{HttpAnswer, HttpEndpoint, HttpPost};
use serde_json::Value;

use crate::call::Call;
use crate::error::CallError;
use crate::message::{Incoming, MAX_MESSAGE_BYTES, Request};
use crate::sse::{EventStream, is_stream};
use crate::transport::Transport;

/// The header with the id of a session.
const SESSION: &str = "mcp-session-id";

/// The first revision in which headers repeat the method and the name of a request.
const FIRST_WITH_METHOD: &str = "2026-07-28";

/// The maximum length of the id of a session.
const MAX_SESSION_LENGTH: usize = 1024;

/// The time that a server has to end a session.
const GOODBYE: Duration = Duration::from_millis(500);

/// A server behind a URL. Its session ends when this is dropped.
pub(crate) struct HttpTransport {
    endpoint: Arc<HttpEndpoint>,
    revision: String,
    /// The session, if the server has begun one.
    session: Option<String>,
    /// Whether the server has accepted the last message.
    is_accepting: bool,
}

impl HttpTransport {
    pub(crate) fn new(endpoint: Arc<HttpEndpoint>) -> Self {
        Self { endpoint, revision: String::new(), session: None, is_accepting: false }
    }

    fn headers(&self, request: Option<&Request>) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("accept", "application/json, text/event-stream".to_owned()),
        ];
        if !self.revision.is_empty() {
            headers.push(("mcp-protocol-version", self.revision.clone()));
        }
        if let Some(session) = &self.session {
            headers.push((SESSION, session.clone()));
        }
        if let Some(request) = request.filter(|_| self.revision.as_str() >= FIRST_WITH_METHOD) {
            headers.push(("mcp-method", request.method.to_owned()));
            if let ("resources/read", Some(uri)) = (request.method, request.params["uri"].as_str())
            {
                headers.push(("mcp-name", header_value(uri)));
            }
        }
        headers
    }

    /// Sends a message, and returns the answer as far as `receive` wants it.
    fn post(
        &mut self,
        request: Option<&Request>,
        body: &str,
        receive: &mut dyn FnMut(&HttpAnswer) -> ControlFlow<()>,
        call: &Call<'_>,
    ) -> Result<HttpAnswer, CallError> {
        call.wait()?;
        let headers = self.headers(request);
        let post = HttpPost { headers: &headers, body: body.as_bytes(), limit: MAX_MESSAGE_BYTES };
        self.is_accepting = false;
        let answer = self.endpoint.post(&post, receive, call.cancel)?;
        self.is_accepting = (200..300).contains(&answer.status);
        Ok(answer)
    }

    /// Returns the error of an answer that is not one of the protocol.
    fn failure(&self, answer: &HttpAnswer) -> CallError {
        let status = answer.status;
        let host = self.endpoint.host();
        let message = format!("`{host}` answers with status {status}");
        match status {
            401 | 403 => CallError::Denied(format!("{message}; check the token of the server")),
            // The session is gone: the next connection begins another one.
            404 if self.session.is_some() => CallError::Unavailable(message),
            400 | 404 | 405 | 406 | 415 => {
                CallError::Refused { code: 0, message, data: Value::Null }
            }
            _ => CallError::Unavailable(message),
        }
    }
}

impl Transport for HttpTransport {
    fn request(&mut self, request: &Request, call: &Call<'_>) -> Result<Value, CallError> {
        let body = request.to_value().to_string();
        let mut events = EventStream::new(request.id);
        let mut receive = |answer: &HttpAnswer| {
            if is_stream(answer) && !events.read(&answer.body) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let answer = self.post(Some(request), &body, &mut receive, call)?;
        if request.method == "initialize" {
            let session = answer.header(SESSION).filter(|it| it.len() <= MAX_SESSION_LENGTH);
            self.session = session.map(str::to_owned);
        }
        let response = if is_stream(&answer) {
            events.into_response()
        } else {
            match Incoming::read(&answer.body) {
                Some(Incoming::Response(id, response)) if id == request.id => Some(response),
                _ => None,
            }
        };
        match response {
            Some(response) => response,
            None if (200..300).contains(&answer.status) => {
                let host = self.endpoint.host();
                Err(CallError::Invalid(format!("`{host}` does not answer with a message")))
            }
            None => Err(self.failure(&answer)),
        }
    }

    fn send(&mut self, message: &Value, call: &Call<'_>) -> Result<(), CallError> {
        let mut receive = |_: &HttpAnswer| ControlFlow::Break(());
        let answer = self.post(None, &message.to_string(), &mut receive, call)?;
        if (200..300).contains(&answer.status) { Ok(()) } else { Err(self.failure(&answer)) }
    }

    fn set_revision(&mut self, revision: &str) {
        revision.clone_into(&mut self.revision);
    }
}

impl Drop for HttpTransport {
    /// Ends the session, so that the server need not keep it. A server that has failed is not
    /// waited for.
    fn drop(&mut self) {
        if self.session.is_some() && self.is_accepting {
            let _ = self.endpoint.separate(GOODBYE).delete(&self.headers(None));
        }
    }
}

/// Returns a text as the value of a header: as base64 if it has other than printable characters of
/// ASCII.
fn header_value(text: &str) -> String {
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        text.to_owned()
    } else {
        format!("=?base64?{}?=", STANDARD.encode(text))
    }
}
