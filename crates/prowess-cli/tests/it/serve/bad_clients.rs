//! Clients that send nothing, garbage or without end, and signals.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, Stdio};

use prowess_testkit::Tree;
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::tree;
use crate::program::{Program, signal};

/// A server whose streams a test holds itself.
struct Server {
    child: std::process::Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<std::process::ChildStdout>,
    _place: TempDir,
    _tree: Tree,
}

impl Server {
    fn start(args: &[&str]) -> Self {
        let tree = tree();
        let (mut command, place) = Program::new().root("user", tree.path()).into_command();
        let mut child =
            command.arg("serve").args(args).stdin(Stdio::piped()).spawn().expect("a server");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, stdin, stdout, _place: place, _tree: tree }
    }

    fn send(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("standard input is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the server reads");
    }

    fn request(&mut self, id: u32, method: &str, params: &Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(format!("{request}\n").as_bytes());
        self.answer(id)
    }

    /// The answer to a request; what is said without being asked is passed over.
    fn answer(&mut self, id: u32) -> Value {
        loop {
            let mut line = String::new();
            let length = self.stdout.read_line(&mut line).expect("standard output can be read");
            assert_ne!(length, 0, "the server lives");
            let message: Value = serde_json::from_str(&line).expect("each line is a message");
            assert_eq!(message["jsonrpc"], "2.0", "nothing but the protocol is said");
            if message["id"] == id {
                return message;
            }
        }
    }

    fn greet(&mut self) -> Value {
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let answer = self.request(0, "initialize", &params);
        self.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
        answer
    }

    /// Closes standard input and gives the exit code, what was left to read, and standard error.
    fn end(mut self) -> (Option<i32>, String, String) {
        drop(self.stdin.take());
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).expect("standard output can be read");
        let output = self.child.wait_with_output().expect("the server ends");
        (output.status.code(), rest, String::from_utf8(output.stderr).expect("text"))
    }
}

#[test]
fn server_ends_with_its_input() {
    let mut server = Server::start(&[]);
    let answer = server.greet();
    assert_eq!(answer["result"]["serverInfo"]["name"], "prowess");
    let (code, rest, remarks) = server.end();
    assert_eq!(code, Some(0), "a client that closes its end is done: {remarks}");
    assert_eq!(rest, "", "nothing is said after the last answer");
    assert!(remarks.contains("2 skills"), "the remark says what is served: {remarks}");
}

#[test]
fn silent_client_is_no_failure() {
    let (code, rest, remarks) = Server::start(&["--quiet"]).end();
    assert_eq!((code, rest.as_str(), remarks.as_str()), (Some(0), "", ""));
}

#[test]
fn client_that_sends_no_request_gets_a_clean_end() {
    let mut server = Server::start(&["--quiet"]);
    server.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    let (code, rest, remarks) = server.end();
    assert_eq!((code, rest.as_str(), remarks.as_str()), (Some(0), "", ""));
}

/// The program waits for its configuration, a pipe, while the signal arrives.
#[test]
fn hangup_while_the_server_starts_is_survived() {
    let place = Tree::new("");
    let config = place.join("prowess.yaml");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &config, rustix::fs::FileType::Fifo, mode, 0)
        .expect("a pipe can be made");
    let skills = tree();
    let (mut command, _home) =
        Program::new().root("user", skills.path()).config(&config).into_command();
    let child = command.args(["serve", "--quiet"]).stdin(Stdio::piped()).spawn();
    let mut child = child.expect("the server starts");
    // Opening returns when the server has opened the other end.
    let mut pipe = std::fs::File::options().write(true).open(&config).expect("the server reads");
    signal(child.id(), Signal::HUP).expect("it runs");
    pipe.write_all(b"{}\n").expect("the server still reads");
    drop(pipe);
    drop(child.stdin.take());
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(0), "a hangup asks for a reload and does not kill: {status}");
}

#[test]
fn garbage_between_the_messages_is_survived() {
    let mut server = Server::start(&["--quiet"]);
    server.greet();
    for garbage in ["not json", "[]", "{}", "{\"jsonrpc\":\"1.0\"}", "\u{0}\u{1}", "{\"id\":"] {
        server.send(format!("{garbage}\n").as_bytes());
    }
    server.send(b"\xff\xfe\xc0\n\n\n");
    let tools = server.request(1, "tools/list", &json!({}));
    assert_eq!(tools["result"]["tools"].as_array().map(Vec::len), Some(6), "{tools}");
    let unknown = server.request(2, "no/such/method", &json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "an unknown method is an error");
    let params = json!({ "name": "skills_loda", "arguments": {} });
    let unknown = server.request(3, "tools/call", &params);
    assert_eq!(unknown["error"]["code"], -32602, "so is an unknown tool");
    let (code, _, remarks) = server.end();
    assert_eq!((code, remarks.as_str()), (Some(0), ""));
}

#[test]
fn a_line_without_end_is_dropped_and_costs_no_memory() {
    let mut server = Server::start(&["--quiet"]);
    server.greet();
    let piece = vec![b'a'; 1 << 20];
    for _ in 0..128 {
        server.send(&piece);
    }
    server.send(b"\n");
    let tools = server.request(1, "tools/list", &json!({}));
    assert!(tools["result"]["tools"].is_array(), "the conversation goes on: {tools}");
    let peak = peak_kilobytes(server.child.id());
    assert!(peak < 96 << 10, "128 MiB on one line were not kept: {peak} KiB at most");
    assert_eq!(server.end().0, Some(0));
}

/// The most memory that a process has had.
fn peak_kilobytes(pid: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").trim().parse().expect("a number")
}
