//! `prowess serve --http`, as a process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use prowess_testkit::Tree;
use rustix::process::Signal;
use serde_json::json;

use crate::plain_skill;
use crate::program::{Program, signal};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

fn tree() -> Tree {
    let tree = Tree::new("");
    tree.write("skills/pdf/SKILL.md", plain_skill("pdf"));
    tree.write("token", format!("{TOKEN}\n"));
    tree
}

/// Sends a call of a tool without a session, and returns the answer.
fn load(address: &str, token: &str) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": "skills_load", "arguments": { "names": ["pdf"] }, "_meta": meta });
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
    stream.read_to_string(&mut answer).expect("it answers");
    answer
}

/// Starts a server with these further arguments, and returns what it reports before it serves, and
/// its URL.
pub(crate) fn start(tree: &Tree, args: &[&str]) -> (Running, Vec<String>, String) {
    let (mut command, home) = Program::new().root("user", &tree.join("skills")).into_command();
    command.args(["serve", "--http", "127.0.0.1:0"]).args(args);
    let mut child = command.spawn().expect("the server starts");
    let mut remarks = BufReader::new(child.stderr.take().expect("a pipe"));
    let running = Running { child, _home: home };
    let mut earlier = Vec::new();
    loop {
        let mut line = String::new();
        let count = remarks.read_line(&mut line).expect("it reports its address");
        assert!(count > 0, "the server ended: {earlier:?}");
        match line.trim().split_once("serving at ") {
            Some((_, url)) => return (running, earlier, url.to_owned()),
            None => earlier.push(line),
        }
    }
}

/// A server that ends with this.
pub(crate) struct Running {
    child: std::process::Child,
    _home: tempfile::TempDir,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A directory with a certificate and its key, and their paths.
pub(crate) fn certified() -> (Tree, String, String) {
    let tree = tree();
    let certified = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]);
    let certified = certified.expect("a certificate is made");
    tree.write("cert.pem", certified.cert.pem());
    tree.write("key.pem", certified.signing_key.serialize_pem());
    let [certificate, key] =
        ["cert.pem", "key.pem"].map(|name| tree.join(name).display().to_string());
    (tree, certificate, key)
}

#[test]
fn certificate_needs_its_key() {
    let (tree, certificate, key) = certified();
    let (certificate, key) = (certificate.as_str(), key.as_str());
    let (_running, _, url) = start(&tree, &["--tls-cert", certificate, "--tls-key", key]);
    assert!(url.starts_with("https://"), "{url}");
    for (certificate, key) in [(certificate, certificate), (key, key), ("none.pem", key)] {
        let args = ["serve", "--http", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", key];
        let refused = Program::new().root("user", &tree.join("skills")).run(&args);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains("certificate-invalid"), "{refused:?}");
    }
}

/// Nothing listens on this port, and no program without rights can.
const NO_ISSUER: &str = "http://127.0.0.1:1";

#[test]
fn authorization_server_may_start_later() {
    let tree = tree();
    let (_running, earlier, url) = start(&tree, &["--oauth-issuer", NO_ISSUER]);
    let warning = earlier.iter().find(|line| line.contains("authorization server"));
    assert!(warning.is_some_and(|line| line.contains(NO_ISSUER)), "it is reported: {earlier:?}");
    let address = url.trim_start_matches("http://").trim_end_matches("/mcp");
    let answer = load(address, "x.y.z");
    assert!(answer.starts_with("HTTP/1.1 503"), "tokens cannot be checked: {answer}");
}

#[test]
fn unusable_authorization_server_is_refused() {
    let tree = tree();
    let run = |args: &[&str]| Program::new().root("user", &tree.join("skills")).run(args);
    let remote = run(&["serve", "--http", "0.0.0.0:0", "--oauth-issuer", NO_ISSUER]);
    assert_eq!(remote.code, Some(2), "{remote:?}");
    assert!(remote.stderr.contains("--oauth-resource"), "{remote:?}");
    let plain = ["serve", "--http", "127.0.0.1:0", "--oauth-issuer", "http://auth.invalid"];
    let plain = run(&plain);
    assert_eq!(plain.code, Some(2), "{plain:?}");
    assert!(plain.stderr.contains("https"), "{plain:?}");
}

#[test]
fn server_answers_and_ends_by_a_signal() {
    let tree = tree();
    let (mut command, _home) = Program::new().root("user", &tree.join("skills")).into_command();
    command.args(["serve", "--http", "127.0.0.1:0", "--token-file"]).arg(tree.join("token"));
    let mut child = command.spawn().expect("the server starts");
    let mut remarks = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    remarks.read_line(&mut line).expect("it reports its address");
    let address = line.trim().strip_prefix("prowess: 1 skill, serving at http://");
    let address = address.and_then(|rest| rest.strip_suffix("/mcp"));
    let address = address.unwrap_or_else(|| panic!("no address: {line}")).to_owned();
    assert!(load(&address, TOKEN).contains("# How to use pdf"), "the body arrives");
    assert!(load(&address, "another-token-of-the-client").starts_with("HTTP/1.1 401"));
    signal(child.id(), Signal::TERM).expect("it runs");
    assert_eq!(child.wait().expect("it ends").code(), Some(0), "it drains and ends");
}

#[test]
fn other_machines_need_a_token() {
    let tree = tree();
    let run = |args: &[&str]| Program::new().root("user", &tree.join("skills")).run(args);
    let refused = run(&["serve", "--http", "0.0.0.0:0"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("--token-file"), "{refused:?}");
    tree.write("weak", "secret\n");
    let weak = tree.join("weak");
    let weak = weak.to_str().expect("a path of text");
    let refused = run(&["serve", "--http", "127.0.0.1:0", "--token-file", weak]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("at least 16"), "{refused:?}");
    assert!(!refused.stderr.contains("secret"), "a token is not printed: {refused:?}");
    assert_eq!(run(&["serve", "--token-file", weak]).code, Some(2), "it is for HTTP");
}
