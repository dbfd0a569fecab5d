//! A client that writes and reads lines, so that nothing of a server's answers is lost or checked.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::process::Failure;

/// A connection to a server, which ends with this.
pub(super) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    hello: Value,
    is_stateless: bool,
    last: u64,
}

impl Session {
    /// Starts a server and makes the handshake of its revision.
    pub(super) fn start(mut command: Command, is_stateless: bool) -> Result<Self, Failure> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut session = Self { child, input, output, hello: Value::Null, is_stateless, last: 0 };
        let client = json!({ "name": "peers", "version": "1" });
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client
        });
        session.hello = match is_stateless {
            true => session.request("server/discover", &json!({}))?,
            false => session.request("initialize", &hello)?,
        };
        if !is_stateless {
            session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        }
        Ok(session)
    }

    /// Returns the answer to a request, which may be an error.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        self.last += 1;
        let mut params = params.clone();
        if self.is_stateless {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "peers", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(Failure(format!("it ended before the answer to `{method}`")));
            }
            let answer: Value = serde_json::from_str(&line).unwrap_or_default();
            if answer["id"] == id {
                return Ok(answer);
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), Failure> {
        let input = self.input.as_mut().expect("it is open until the end");
        Ok(writeln!(input, "{message}")?)
    }

    /// Returns the instructions of the handshake.
    pub(super) fn instructions(&self) -> &str {
        self.hello["result"]["instructions"].as_str().unwrap_or_default()
    }

    /// Returns the resident memory of the server's process in KiB.
    pub(super) fn resident_kib(&self) -> Result<u64, Failure> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next());
        Ok(number.unwrap_or_default().parse()?)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
