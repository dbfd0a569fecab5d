//! What is tried with each package.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::places::PLUGIN;
use crate::process::{Failure, Server, line_with, output, write_files};

const MARKER: &str = "body-marker-41c9";

/// Fails with a rule that does not hold, and with what was printed.
pub(super) fn expect(holds: bool, rule: &str, printed: &str) -> Result<(), Failure> {
    if holds { Ok(()) } else { Err(Failure(format!("does not hold: {rule}\n{printed}"))) }
}

/// A directory of skills that each package is tried on.
pub(super) struct Trial {
    shared: PathBuf,
}

impl Trial {
    pub(super) fn new(place: &Path) -> Result<Self, Failure> {
        let shared = place.join("shared");
        let skill = format!("---\nname: pdf\ndescription: Fills forms.\n---\n{MARKER}\n");
        let files = [
            ("skills/pdf/SKILL.md", skill.as_str()),
            ("skills/pdf/scripts/greet.sh", "#!/bin/sh\necho hello from $1\n"),
        ];
        write_files(&shared, &files)?;
        Ok(Self { shared })
    }

    fn arguments(&self, more: &[&str]) -> Vec<String> {
        let skills = self.shared.join("skills").display().to_string();
        let words = ["--root", &skills].into_iter().chain(more.iter().copied());
        words.map(str::to_owned).collect()
    }

    /// Prints the version and the skills, and loads one over the protocol.
    pub(super) fn stdio(
        &self,
        name: &str,
        program: impl Fn(&Path) -> Result<Command, Failure>,
    ) -> Result<(), Failure> {
        let program = || program(&self.shared);
        let version = text_of(program()?.arg("--version"))?;
        let is_it = version.contains(&format!("prowess {}", env!("CARGO_PKG_VERSION")));
        expect(is_it, &format!("{name}: the version is printed"), &version)?;
        let listed = text_of(program()?.args(self.arguments(&["list"])))?;
        expect(listed.contains("Fills forms."), &format!("{name}: the skill is listed"), &listed)?;
        let mut serve = program()?;
        serve.args(self.arguments(&["serve"])).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = serve.stderr(Stdio::piped()).spawn()?;
        let mut input = server.stdin.take().expect("it is piped");
        for request in conversation() {
            writeln!(input, "{request}")?;
        }
        // The end of the input ends the server.
        drop(input);
        let served = server.wait_with_output()?;
        let answers =
            String::from_utf8_lossy(&[served.stdout, served.stderr].concat()).into_owned();
        let is_loaded = served.status.success() && answers.contains(MARKER);
        expect(is_loaded, &format!("{name}: a client loads the skill"), &answers)?;
        println!("{name:12} starts, lists, and serves a client");
        Ok(())
    }

    /// Calls a tool of a plugin, which is opened by the program itself and by a process of its own.
    pub(super) fn plugin(&self, program: impl Fn(&Path) -> Command) -> Result<(), Failure> {
        let query = json!({ "json": "{\"a\": [1, 42]}", "query": "/a/1" }).to_string();
        text_of(program(&self.shared).args(["plugin", "trust", PLUGIN]))?;
        for isolation in ["in-process", "process"] {
            let set = format!("plugins.isolation={isolation}");
            let call = ["--set", &set, "--plugin", PLUGIN, "call", "json_query", &query];
            let printed = text_of(program(&self.shared).args(self.arguments(&call)))?;
            let is_loaded = printed.contains("42");
            expect(is_loaded, &format!("a plugin works {isolation}"), &printed)?;
        }
        let greeted = self.arguments(&["run", "pdf", "scripts/greet.sh", "--", "within"]);
        let printed = text_of(program(&self.shared).args(greeted))?;
        expect(printed.contains("hello from within"), "a script runs in the sandbox", &printed)?;
        println!("{:12} loads a plugin, and runs a script in the sandbox", "old system");
        Ok(())
    }

    /// Serves over HTTP, and stops when it is asked to.
    pub(super) fn http(&self, program: impl Fn(&Path) -> Command) -> Result<(), Failure> {
        let mut command = program(&self.shared);
        command.args(self.arguments(&["serve", "--http", "127.0.0.1:0"])).stdin(Stdio::null());
        let mut server = Server(command.stderr(Stdio::piped()).spawn()?);
        let line = line_with(server.0.stderr.take(), "http://")?;
        let host = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let host = host.unwrap_or_default();
        let health = request(host, "GET /healthz", "")?;
        expect(health.starts_with("HTTP/1.1 200"), "the server is healthy", &health)?;
        let first = conversation().swap_remove(0).to_string();
        let answer = request(host, "POST /mcp", &first)?;
        expect(answer.contains("\"serverInfo\""), "it answers a client", &answer)?;
        println!("{:12} serves over HTTP", "container");
        Ok(())
    }
}

/// Requests of a client that loads a skill.
fn conversation() -> Vec<Value> {
    let client = json!({ "name": "trial", "version": "1" });
    let initialize =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let load = json!({ "name": "skills_load", "arguments": { "names": ["pdf"] } });
    vec![
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": load }),
    ]
}

/// Sends one request and returns the answer.
fn request(host: &str, line: &str, body: &str) -> Result<String, Failure> {
    let mut stream = TcpStream::connect(host)?;
    write!(
        stream,
        "{line} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

fn text_of(command: &mut Command) -> Result<String, Failure> {
    let ran = output(command)?;
    Ok(String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned())
}
