//! The connection to a server: a process that is started, or a URL.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ureq::Agent;

use super::REVISION;
use crate::commands::serve::TOKEN_VARIABLE;
use crate::failure::Failure;

/// The maximum size of a message, in bytes.
const MOST_BYTES: u64 = 64 << 20;

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
        Ok(Self::Process(Process::start(program, arguments, patience)?))
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
        let is_answer = |answer: &Value| {
            answer["id"] == id && (answer.get("result").is_some() || answer.get("error").is_some())
        };
        match self {
            Self::Process(process) => {
                process.send(&message)?;
                process.receive(is_answer)
            }
            Self::Url(url) => {
                let body = url.post(&message)?;
                let messages = messages(&body);
                messages.into_iter().find(is_answer).ok_or_else(|| {
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

/// A server that is a child of this process. It ends with this value.
pub(super) struct Process {
    child: Child,
    messages: Receiver<Value>,
    patience: Duration,
}

impl Process {
    fn start(program: &str, arguments: &[String], patience: Duration) -> Result<Self, Failure> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| {
            failed(
                &format!("the server cannot be started: {error}"),
                "check its command after `--`",
            )
        })?;
        let stdout = child.stdout.take().expect("it is piped");
        // A server that prints faster than it is read waits.
        let (sender, messages) = sync_channel(1);
        std::thread::spawn(move || {
            let mut lines = BufReader::new(stdout);
            loop {
                let mut line = Vec::new();
                let read = lines.by_ref().take(MOST_BYTES).read_until(b'\n', &mut line);
                if !matches!(read, Ok(1..)) {
                    return;
                }
                let Ok(message) = serde_json::from_slice(&line) else { continue };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, messages, patience })
    }

    fn send(&mut self, message: &Value) -> Result<(), Failure> {
        let stdin = self.child.stdin.as_mut().expect("it is piped");
        let written = writeln!(stdin, "{message}").and_then(|()| stdin.flush());
        written.map_err(|error| ended(&error.to_string()))
    }

    fn receive(&self, is_wanted: impl Fn(&Value) -> bool) -> Result<Value, Failure> {
        let deadline = Instant::now() + self.patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.messages.recv_timeout(left) {
                Ok(message) if is_wanted(&message) => return Ok(message),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => {
                    return Err(failed("the server did not answer in time", "raise `--seconds`"));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(ended("its output is closed")),
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Without input a server ends by itself; one that does not is killed.
        drop(self.child.stdin.take());
        while self.messages.recv_timeout(Duration::from_secs(2)).is_ok() {}
        let _ = self.child.kill();
        let _ = self.child.wait();
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
        let message = format!("the server answers {status}: {}", super::plain(&body));
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

fn ended(reason: &str) -> Failure {
    let help = "run its command by hand to see why; its standard error is that of this program";
    failed(&format!("the server has ended: {reason}"), help)
}

fn failed(message: &str, help: &str) -> Failure {
    Failure::new("mcp-failed", message, help)
}
