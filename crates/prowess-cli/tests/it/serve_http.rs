//! `prowess serve --http`, as a process.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Child;

use prowess_testkit::Tree;
use rustix::process::Signal;
use serde_json::json;
use tempfile::TempDir;

use crate::plain_skill;
use crate::program::{Program, Ran, signal};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A server over HTTP, which ends when it is dropped.
pub(crate) struct HttpServer {
    pub(crate) url: String,
    /// The address with the port.
    pub(crate) host: String,
    /// The lines that it prints before that with its address.
    remarks: Vec<String>,
    child: Child,
    _home: TempDir,
}

impl HttpServer {
    /// Serves the skills of a directory with these further arguments.
    pub(crate) fn start<A: AsRef<OsStr>>(skills: &Path, args: &[A]) -> Self {
        Self::of(Program::new().root("user", skills), "127.0.0.1:0", args)
    }

    /// Runs a program as a server at an address with these further arguments.
    pub(crate) fn of<A: AsRef<OsStr>>(program: Program, address: &str, args: &[A]) -> Self {
        let (mut command, home) = program.into_command();
        command.args(["serve", "--http", address]).args(args);
        let mut child = command.spawn().expect("the server starts");
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut remarks = Vec::new();
        let mut url = None;
        for line in stderr.lines().map_while(Result::ok) {
            let place = line.split_once("serving at ").map(|(_, place)| place);
            url = place.and_then(|place| place.split(' ').next()).map(str::to_owned);
            remarks.push(line);
            if url.is_some() {
                break;
            }
        }
        let url = url.unwrap_or_else(|| panic!("the server ended: {remarks:?}"));
        let host = url.split_once("://").expect("it has a scheme").1.trim_end_matches("/mcp");
        Self { host: host.to_owned(), url, remarks, child, _home: home }
    }
}

impl HttpServer {
    /// Sends a signal that ends it, and waits for its end.
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "hosts that share a store"))]
    pub(crate) fn end(&mut self, by: Signal) {
        signal(self.child.id(), by).expect("it runs");
        self.child.wait().expect("it ends");
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn tree() -> Tree {
    let tree = Tree::new("");
    tree.write("skills/pdf/SKILL.md", plain_skill("pdf"));
    tree.write("token", format!("{TOKEN}\n"));
    tree
}

/// Starts a server of the skills of a tree.
pub(crate) fn start(tree: &Tree, args: &[&str]) -> HttpServer {
    HttpServer::start(&tree.join("skills"), args)
}

/// Runs a command that must be refused with this text.
#[track_caller]
fn check_refused(tree: &Tree, args: &[&str], part: &str) -> Ran {
    let refused = Program::new().root("user", &tree.join("skills")).run(args);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains(part), "{part}: {refused:?}");
    refused
}

/// Sends a call of a tool without a session, and returns the answer.
fn load(address: &str, token: &str) -> String {
    load_in(address, token, "pdf", "")
}

/// As [`load`], of another skill, in a conversation that the client names.
pub(crate) fn load_in(address: &str, token: &str, skill: &str, conversation: &str) -> String {
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    if !conversation.is_empty() {
        meta["prowess/conversation"] = conversation.into();
    }
    let params = json!({ "name": "skills_load", "arguments": { "names": [skill] }, "_meta": meta });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let body = body.to_string();
    let length = body.len();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: skills_load\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    // A server that is killed answers a part.
    let _ = stream.read_to_string(&mut answer);
    answer
}

/// A directory with a certificate and its key, and their paths.
pub(crate) fn certified() -> (Tree, String, String) {
    let tree = tree();
    let certified = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]);
    let certified = certified.expect("a certificate is made");
    tree.write("cert.pem", certified.cert.pem());
    tree.write("key.pem", certified.key_pair.serialize_pem());
    let [certificate, key] =
        ["cert.pem", "key.pem"].map(|name| tree.join(name).display().to_string());
    (tree, certificate, key)
}

#[test]
fn certificate_needs_its_key() {
    let (tree, certificate, key) = certified();
    let (certificate, key) = (certificate.as_str(), key.as_str());
    let server = start(&tree, &["--tls-cert", certificate, "--tls-key", key]);
    assert!(server.url.starts_with("https://"), "{}", server.url);
    for (certificate, key) in [(certificate, certificate), (key, key), ("none.pem", key)] {
        let args = ["serve", "--http", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", key];
        check_refused(&tree, &args, "certificate-invalid");
    }
}

/// Nothing listens on this port, and no program without rights can.
const NO_ISSUER: &str = "http://127.0.0.1:1";

#[test]
fn authorization_server_may_start_later() {
    let tree = tree();
    let server = start(&tree, &["--oauth-issuer", NO_ISSUER]);
    let warning = server.remarks.iter().find(|line| line.contains("authorization server"));
    assert!(warning.is_some_and(|line| line.contains(NO_ISSUER)), "{:?}", server.remarks);
    let answer = load(&server.host, "x.y.z");
    assert!(answer.starts_with("HTTP/1.1 503"), "tokens cannot be checked: {answer}");
}

#[test]
fn unusable_authorization_server_is_refused() {
    let tree = tree();
    let remote = ["serve", "--http", "0.0.0.0:0", "--oauth-issuer", NO_ISSUER];
    check_refused(&tree, &remote, "--oauth-resource");
    let plain = ["serve", "--http", "127.0.0.1:0", "--oauth-issuer", "http://auth.invalid"];
    check_refused(&tree, &plain, "https");
}

#[test]
fn server_answers_and_ends_by_a_signal() {
    let tree = tree();
    let token = tree.join("token").display().to_string();
    let mut server = start(&tree, &["--token-file", &token]);
    let start = server.remarks.last().expect("the line with its address");
    assert!(start.contains("transport=http skills=1 hidden=0"), "{start}");
    assert!(load(&server.host, TOKEN).contains("# How to use pdf"), "the body arrives");
    assert!(load(&server.host, "another-token-of-the-client").starts_with("HTTP/1.1 401"));
    signal(server.child.id(), Signal::TERM).expect("it runs");
    assert_eq!(server.child.wait().expect("it ends").code(), Some(0), "it drains and ends");
}

#[test]
fn other_machines_need_a_token() {
    let tree = tree();
    check_refused(&tree, &["serve", "--http", "0.0.0.0:0"], "--token-file");
    tree.write("weak", "secret\n");
    let weak = tree.join("weak").display().to_string();
    let args = ["serve", "--http", "127.0.0.1:0", "--token-file", &weak];
    let refused = check_refused(&tree, &args, "at least 16");
    assert!(!refused.stderr.contains("secret"), "a token is not printed: {refused:?}");
    check_refused(&tree, &["serve", "--token-file", &weak], "--http");
}

#[test]
fn paths_are_shown_to_nobody_unless_it_is_set() {
    let tree = tree();
    for (set, shows_paths) in
        [(&[][..], false), (&["--set", "delivery.show_location=absolute"], true)]
    {
        let server = start(&tree, set);
        let answer = load(&server.host, "");
        let path = tree.path().to_str().expect("UTF-8");
        assert_eq!(answer.contains(path), shows_paths, "{answer}");
        assert_eq!(answer.contains("Skill directory: skill://pdf"), !shows_paths, "{answer}");
    }
}
