//! A server of the protocol that is a child of this process.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use prowess::text::{counted, quoted};
use serde_json::{Value, json};

use crate::failure::Failure;

/// The revision that is negotiated, which servers of every later one accept.
pub(super) const REVISION: &str = "2025-11-25";

/// The maximum number of messages for the log that are kept.
const MOST_LOGGED: usize = 100;

/// The maximum size of a message, in bytes.
pub(super) const MOST_BYTES: u64 = 64 << 20;

/// Returns the parameters of the first request.
pub(super) fn handshake() -> Value {
    json!({
        "protocolVersion": REVISION,
        "capabilities": {},
        "clientInfo": { "name": "prowess", "version": env!("CARGO_PKG_VERSION") },
    })
}

/// Returns whether a message is the answer to a request.
pub(super) fn is_answer(message: &Value, id: u64) -> bool {
    message["id"] == id && (message.get("result").is_some() || message.get("error").is_some())
}

/// A server that is a child of this process. It ends with this value.
pub(super) struct Process {
    child: Child,
    messages: Receiver<Value>,
    patience: Duration,
    /// The first line that is no message.
    stray: Option<String>,
    /// The messages for the client's log that have arrived so far.
    pub(super) logged: Vec<Value>,
}

impl Process {
    /// Starts a server.
    pub(super) fn start(mut command: Command, patience: Duration) -> Result<Self, Failure> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
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
                // A line that is no message shows a person which program this is.
                let message = serde_json::from_slice(&line);
                let message = message.unwrap_or_else(|_| String::from_utf8_lossy(&line).into());
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, messages, patience, stray: None, logged: Vec::new() })
    }

    /// Sends a request and returns its answer. Other messages of the server are dropped, but those
    /// for the log.
    pub(super) fn request(
        &mut self,
        id: u64,
        method: &str,
        params: &Value,
    ) -> Result<Value, Failure> {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        self.receive(id, method)
    }

    pub(super) fn send(&mut self, message: &Value) -> Result<(), Failure> {
        let stdin = self.child.stdin.as_mut().expect("it is piped");
        let written = writeln!(stdin, "{message}").and_then(|()| stdin.flush());
        written.map_err(|_| self.ended())
    }

    fn receive(&mut self, id: u64, method: &str) -> Result<Value, Failure> {
        let deadline = Instant::now() + self.patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.messages.recv_timeout(left) {
                Ok(message) if is_answer(&message, id) => return Ok(message),
                Ok(mut message) if message["method"] == "notifications/message" => {
                    self.logged.extend(
                        (self.logged.len() < MOST_LOGGED).then(|| message["params"]["data"].take()),
                    );
                }
                Ok(Value::String(line)) => drop(self.stray.get_or_insert(line)),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = counted(self.patience.as_secs(), "second");
                    let message = format!(
                        "the server has not answered `{method}` in {seconds}{}",
                        self.wrote()
                    );
                    let help = "raise `--seconds` if it needs longer; a program that never answers \
                                is no server of MCP over standard input and output";
                    return Err(failed(&message, help));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            }
        }
    }
}

impl Process {
    /// Says which line of the server is no message.
    fn wrote(&self) -> String {
        let line = self.stray.as_deref().map(|line| quoted(line.trim_end()));
        line.map_or_else(String::new, |line| format!("; it wrote {line}, which is no message"))
    }

    fn ended(&mut self) -> Failure {
        // Its output is closed a moment before its exit code is known.
        drop(self.child.stdin.take());
        let end = Instant::now() + Duration::from_secs(1);
        let mut status = None;
        while status.is_none() && Instant::now() < end {
            status = self.child.try_wait().ok().flatten();
            std::thread::sleep(Duration::from_millis(5));
        }
        let left = || end.saturating_duration_since(Instant::now());
        while let Ok(message) = self.messages.recv_timeout(left()) {
            if let Value::String(line) = message {
                self.stray.get_or_insert(line);
            }
        }
        let how = status.map_or_else(|| "its output is closed".to_owned(), |it| it.to_string());
        let help = "run its command by hand to see why; its standard error is that of this program";
        failed(&format!("the server has ended: {how}{}", self.wrote()), help)
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

pub(super) fn failed(message: &str, help: &str) -> Failure {
    Failure::new("mcp-failed", message, help)
}

/// Returns the result of an answer.
pub(super) fn result(mut answer: Value) -> Result<Value, Failure> {
    if let Some(error) = answer.get("error") {
        let code = error["code"].as_i64().unwrap_or_default();
        let text = error["message"].as_str().unwrap_or("no message");
        let message = format!("the server refuses the request ({code}): {}", plain(text));
        let help = "see its methods with `initialize` and its tools with `tools/list`";
        return Err(Failure::new("mcp-refused", message, help));
    }
    Ok(answer["result"].take())
}

/// Returns the text of a server so that it can be part of a message.
pub(super) fn plain(text: &str) -> String {
    prowess::text::clipped(&prowess::text::one_line(text), 1000)
}

/// Returns the ids of the skills that the server lists as resources.
pub(super) fn skills(server: &mut Process) -> Vec<String> {
    let mut found = Vec::new();
    let mut params = json!({});
    // A server that repeats its pages ends nowhere.
    for id in 2..1000 {
        let Ok(page) = server.request(id, "resources/list", &params).and_then(result) else {
            break;
        };
        let uris = page["resources"].as_array().into_iter().flatten();
        let uris = uris.filter_map(|resource| resource["uri"].as_str());
        let ids = uris.filter_map(|uri| uri.strip_prefix("skill://")?.strip_suffix("/SKILL.md"));
        // A skill that another one shadows is under its layer, and under its name in that.
        found.extend(ids.map(|id| match id.split_once("%3A") {
            Some((layer, name)) => format!("{layer}:{}", name.split('/').next().unwrap_or(name)),
            None => id.to_owned(),
        }));
        let Some(next) = page["nextCursor"].as_str() else { break };
        params = json!({ "cursor": next });
    }
    found.sort();
    found.dedup();
    found
}
