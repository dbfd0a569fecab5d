//! The connection to a server: a process that is started, or a URL.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use ureq::Agent;

use super::super::process::{MOST_BYTES, Process, REVISION, failed, is_answer, plain};
use crate::commands::serve::TOKEN_VARIABLE;
use crate::failure::Failure;

/// The header with the id of a session.
const SESSION_ID: &str = "mcp-session-id";

/// A server.
pub(super) enum Peer {
    Process(Process),
    Url(Url),
}

impl Peer {
    /// Starts a server.
    pub(super) fn command(words: &[String], patience: Duration) -> Result<Self, Failure> {
        let Some((program, arguments)) = words.split_first() else {
            let help = "name its URL with `--url`, or its command after `--`";
            return Err(Failure::usage("usage", "no server to call", help));
        };
        let mut command = Command::new(program);
        command.args(arguments);
        Ok(Self::Process(Process::start(command, patience)?))
    }

    /// Refers to a server that is running.
    pub(super) fn url(url: &str, patience: Duration) -> Self {
        let config = Agent::config_builder()
            .timeout_global(Some(patience))
            .http_status_as_error(false)
            .max_redirects(0)
            .build();
        Self::Url(Url { agent: config.into(), url: url.to_owned(), session: None })
    }

    /// Sends a request and returns its answer. Other messages of the server are dropped.
    pub(super) fn request(
        &mut self,
        id: u64,
        method: &str,
        params: &Value,
    ) -> Result<Value, Failure> {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        match self {
            Self::Process(process) => process.request(id, method, params),
            Self::Url(url) => {
                let body = url.post(&message)?;
                let messages = messages(&body);
                messages.into_iter().find(|answer| is_answer(answer, id)).ok_or_else(|| {
                    failed(
                        "the server sent no answer",
                        "check that the URL is that of its protocol",
                    )
                })
            }
        }
    }

    /// Sends a notification.
    pub(super) fn notify(&mut self, method: &str) -> Result<(), Failure> {
        let message = json!({ "jsonrpc": "2.0", "method": method });
        match self {
            Self::Process(process) => process.send(&message),
            Self::Url(url) => url.post(&message).map(drop),
        }
    }
}

/// A server over HTTP.
pub(super) struct Url {
    agent: Agent,
    url: String,
    session: Option<String>,
}

impl Url {
    fn post(&mut self, message: &Value) -> Result<String, Failure> {
        let mut request = self
            .agent
            .post(&self.url)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
        if let Ok(token) = std::env::var(TOKEN_VARIABLE) {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        if let Some(session) = &self.session {
            request = request.header(SESSION_ID, session).header("MCP-Protocol-Version", REVISION);
        }
        let unreachable = |error: ureq::Error| {
            failed(&format!("the server cannot be reached: {error}"), "check the URL")
        };
        let mut response = request.send(message.to_string()).map_err(unreachable)?;
        let session = response.headers().get(SESSION_ID).and_then(|id| id.to_str().ok());
        self.session = session.map(str::to_owned).or(self.session.take());
        let status = response.status();
        let body = response.body_mut().with_config().limit(MOST_BYTES).read_to_string();
        let body = body.map_err(unreachable)?;
        // An error of the protocol is an answer whatever its status is.
        if status.is_success() || messages(&body).iter().any(|message| message["error"].is_object())
        {
            return Ok(body);
        }
        let message = format!("the server answers {status}: {}", plain(&body));
        let help = format!("a token is read from the environment variable `{TOKEN_VARIABLE}`");
        Err(failed(&message, &help))
    }
}

/// Returns the messages of a body, which is one message or a stream of events.
fn messages(body: &str) -> Vec<Value> {
    if let Ok(message) = serde_json::from_str(body) {
        return vec![message];
    }
    let data = body.lines().filter_map(|line| line.strip_prefix("data:"));
    data.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
}
