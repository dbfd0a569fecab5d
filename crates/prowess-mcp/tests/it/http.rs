//! Streamable HTTP, by a client that writes requests of its own.

mod attacks;
mod faces;
mod issuer;
mod limits;
mod oauth;
mod store;
#[cfg(feature = "tls")]
mod tls;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use prowess::registry::{Show, SkillRule};
use prowess::{CallOrigin, Catalog, Runtime, Tool, ToolContext, ToolDefinition, ToolResult};
use prowess_mcp::{HttpOptions, HttpServer, HttpToken, ServeError};
use prowess_testkit::{TestTool, Tree};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use crate::{block_on, runtime_with};

const REVISION: &str = "2025-11-25";
const SESSIONLESS: &str = "2026-07-28";
const TOKEN: &str = "a-token-of-many-letters";

/// A server on a free port of the loopback address.
struct Server {
    address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<Result<(), ServeError>>>,
}

impl Server {
    fn start(runtime: Runtime, options: HttpOptions) -> Self {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = HttpServer::bind(address, options).expect("the port opens");
        let address = server.address();
        let (end, ended) = oneshot::channel::<()>();
        let serving =
            std::thread::spawn(move || server.serve_until(runtime, async { drop(ended.await) }));
        Self { address, end: Some(end), serving: Some(serving) }
    }

    fn embedded(options: HttpOptions) -> Self {
        Self::start(crate::runtime(|builder| builder), options)
    }

    /// Asks the server to end.
    fn ask_to_end(&mut self) {
        self.end.take();
    }

    /// Waits for the end.
    fn join(mut self) {
        self.ask_to_end();
        let serving = self.serving.take().expect("it is joined once");
        serving.join().expect("no panic").expect("the server ends well");
    }

    /// Sends bytes and returns everything that comes back until the connection is closed.
    async fn exchange(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).await.expect("the server listens");
        // A server may refuse before it has read everything.
        let _ = stream.write_all(bytes).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    async fn send(&self, request: Request<'_>) -> Answer {
        Answer(self.exchange(request.text(self.address).as_bytes()).await)
    }

    /// Makes the handshake, and returns the answer with its session.
    async fn initialize(&self) -> Answer {
        self.initialize_with("").await
    }

    /// Makes the handshake with these headers.
    async fn initialize_with(&self, headers: &str) -> Answer {
        self.initialize_as(REVISION, headers).await
    }

    /// Makes the handshake of a revision with these headers.
    async fn initialize_as(&self, revision: &str, headers: &str) -> Answer {
        let client = json!({ "name": "test", "version": "1" });
        let params =
            json!({ "protocolVersion": revision, "capabilities": {}, "clientInfo": client });
        let body = message("initialize", &params);
        self.send(Request { headers, body: &body, ..Request::POST }).await
    }

    /// Calls a tool in a request without a session, with one more entry of its `_meta`.
    async fn call(&self, tool: &str, arguments: Value, (key, value): (&str, &Value)) -> Answer {
        let params = json!({ "name": tool, "arguments": arguments });
        let mut params = crate::raw::meta(SESSIONLESS, params);
        params["_meta"][key] = value.clone();
        let body = message("tools/call", &params);
        let headers = sessionless(tool);
        self.send(Request { headers: &headers, body: &body, ..Request::POST }).await
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ask_to_end();
        if let Some(serving) = self.serving.take() {
            let _ = serving.join();
        }
    }
}

/// A request with the headers that every client sends, unless a test replaces them.
#[derive(Clone, Copy)]
struct Request<'r> {
    line: &'r str,
    host: Option<&'r str>,
    content_type: &'r str,
    headers: &'r str,
    body: &'r str,
}

impl Request<'_> {
    const POST: Self = Request {
        line: "POST /mcp",
        host: None,
        content_type: "application/json",
        headers: "",
        body: "",
    };

    fn text(self, address: SocketAddr) -> String {
        let Self { line, host, content_type, headers, body } = self;
        let host = host.map_or_else(|| address.to_string(), str::to_owned);
        let length = body.len();
        format!(
            "{line} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {content_type}\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n\
             Connection: close\r\n{headers}\r\n{body}"
        )
    }
}

/// Everything that a server sent for one request.
#[derive(Debug)]
struct Answer(String);

impl Answer {
    fn status(&self) -> u16 {
        let status = self.0.split(' ').nth(1).unwrap_or_default();
        status.parse().unwrap_or_else(|_| panic!("no status: {self:?}"))
    }

    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.0.lines().take_while(|line| !line.is_empty());
        let mut fields = lines.filter_map(|line| line.split_once(": "));
        fields.find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns the message in the body, which may be an event of a stream.
    fn message(&self) -> Value {
        let mut lines = self.0.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
        let line = lines.find(|line| line.starts_with("{\"jsonrpc\""));
        serde_json::from_str(line.unwrap_or_else(|| panic!("no message: {self:?}"))).unwrap()
    }

    fn has_empty_event(&self) -> bool {
        self.0.lines().any(|line| line.trim_end() == "data:")
    }

    fn session(&self) -> String {
        format!(
            "Mcp-Session-Id: {}\r\n",
            self.header("mcp-session-id").expect("there is a session")
        )
    }
}

fn message(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }).to_string()
}

/// Returns the headers of a call of a tool without a session.
fn sessionless(tool: &str) -> String {
    format!("MCP-Protocol-Version: {SESSIONLESS}\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n")
}

fn load() -> String {
    message(
        "tools/call",
        &json!({ "name": "skills_load", "arguments": { "names": ["skill-writing"] } }),
    )
}

#[test]
fn session_loads_a_skill_and_ends() {
    let server = Server::embedded(HttpOptions::default());
    block_on(async {
        let greeting = server.initialize().await;
        assert_eq!(greeting.status(), 200, "{greeting:?}");
        assert_eq!(greeting.message()["result"]["protocolVersion"], REVISION);
        let session = greeting.session();
        let body = load();
        let post = Request { headers: &session, body: &body, ..Request::POST };
        let loaded = server.send(post).await;
        assert!(loaded.message().to_string().contains("# Writing a skill"), "{loaded:?}");
        let delete = Request { line: "DELETE /mcp", headers: &session, ..Request::POST };
        assert_eq!(server.send(delete).await.status(), 204);
        assert_eq!(server.send(post).await.status(), 404, "the session has ended");
        assert_eq!(server.send(delete).await.status(), 404, "it cannot end again");
        let made_up = Request { headers: "mcp-session-id: made-up\r\n", ..delete };
        assert_eq!(server.send(made_up).await.status(), 404);
    });
    server.join();
}

/// Clients of earlier revisions parse the data of every event as a message.
#[test]
fn events_without_a_message_depend_on_the_revision() {
    let server = Server::embedded(HttpOptions::default());
    block_on(async {
        for (revision, is_primed) in
            [("2024-11-05", false), ("2025-03-26", false), ("2025-06-18", false), (REVISION, true)]
        {
            let greeting = server.initialize_as(revision, "").await;
            let named = format!("MCP-Protocol-Version: {revision}\r\n");
            let body = load();
            for version in [&*named, ""] {
                let headers = format!("{}{version}", greeting.session());
                let post = Request { headers: &headers, body: &body, ..Request::POST };
                let answer = server.send(post).await;
                assert!(answer.message()["result"].is_object(), "{answer:?}");
                let is_named = !version.is_empty();
                assert_eq!(answer.has_empty_event(), is_primed && is_named, "{answer:?}");
            }
            assert_eq!(greeting.has_empty_event(), is_primed, "{greeting:?}");
        }
    });
}

#[test]
fn stateless_requests_need_no_session() {
    let server = Server::embedded(HttpOptions::default());
    block_on(async {
        let names = json!({ "names": ["skill-writing"] });
        let loaded = server.call("skills_load", names, ("test", &Value::Null)).await;
        assert_eq!(loaded.status(), 200, "{loaded:?}");
        assert!(loaded.message().to_string().contains("# Writing a skill"), "{loaded:?}");
        assert_eq!(loaded.header("mcp-session-id"), None);
        assert!(loaded.header("content-length").is_some(), "it is sent as a whole: {loaded:?}");
        let metrics = server.send(Request { line: "GET /metrics", ..Request::POST }).await.0;
        let has_none = metrics.lines().any(|line| line == "prowess_http_sessions 0");
        assert!(has_none, "a stateless request opens no session: {metrics}");
    });
}

/// A tool whose argument a client repeats in the header `Mcp-Param-Region`.
struct Regional;

impl Tool for Regional {
    fn definition(&self, _catalog: &Catalog) -> ToolDefinition {
        let region = json!({ "type": "string", "x-mcp-header": "Region" });
        let input_schema = json!({ "type": "object", "properties": { "region": region } });
        ToolDefinition { name: "regional".into(), description: "Answers.".into(), input_schema }
    }

    fn call(&self, _context: &ToolContext<'_>, _arguments: &Value) -> ToolResult {
        ToolResult::text("answered")
    }
}

#[test]
fn repeated_arguments_are_those_of_the_body() {
    let server = Server::start(runtime_with(Arc::new(Regional)), HttpOptions::default());
    block_on(async {
        let call = json!({ "name": "regional", "arguments": { "region": "north" } });
        let body = message("tools/call", &crate::raw::meta(SESSIONLESS, call));
        let common = sessionless("regional");
        for (header, status) in [
            ("Mcp-Param-Region: north\r\n", 200),
            ("Mcp-Param-Region: =?base64?bm9ydGg=?=\r\n", 200),
            ("Mcp-Param-Region: south\r\n", 400),
            ("Mcp-Param-Region: =?base64?bm9ydGg?=\r\n", 400),
            ("", 400),
        ] {
            let headers = format!("{common}{header}");
            let post = Request { headers: &headers, body: &body, ..Request::POST };
            let answer = server.send(post).await;
            assert_eq!(answer.status(), status, "{header:?}: {answer:?}");
        }
    });
}

#[test]
fn health_and_metrics_are_reported() {
    let server = Server::embedded(HttpOptions::default());
    block_on(async {
        let get = |line| Request { line, ..Request::POST };
        let health = server.send(get("GET /healthz")).await;
        assert_eq!(health.status(), 200);
        server.initialize().await;
        assert_eq!(server.send(get("GET /nothing")).await.status(), 404);
        let metrics = server.send(get("GET /metrics")).await.0;
        for line in [
            "prowess_http_sessions 1",
            // A probe is not counted: a load balancer sends one each second.
            "prowess_http_answers_total{status=\"200\"} 1",
            "prowess_http_answers_total{status=\"404\"} 1",
        ] {
            assert!(metrics.lines().any(|found| found == line), "{line}: {metrics}");
        }
    });
}

#[test]
fn probes_need_neither_a_catalog_nor_a_token() {
    let token = Some(HttpToken::new(TOKEN).expect("it is long enough"));
    let options = HttpOptions { token, ..HttpOptions::default() };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = HttpServer::bind(address, options).expect("the port opens");
    let address = server.address();
    let get = |path: &str, headers: &str| {
        let line = format!("GET {path}");
        let request = Request { line: &line, headers, ..Request::POST }.text(address);
        block_on(async {
            let mut stream = TcpStream::connect(address).await.expect("it listens");
            stream.write_all(request.as_bytes()).await.expect("it reads");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.expect("it answers");
            Answer(answer)
        })
    };
    assert_eq!(get("/healthz", "").status(), 200);
    assert_eq!(get("/readyz", "").status(), 503, "there is no catalog yet");
    let mut policies = prowess_mcp::policies();
    let pattern = "prowess:skill-review".to_owned();
    policies.visibility.skills.push(SkillRule { pattern, show: Show::Disabled });
    let runtime = crate::runtime(|builder| {
        builder.policies(policies).audit(server.counters()).cost_tracker(server.costs())
    });
    let model = Some("some-model".to_owned());
    let origin = CallOrigin { model, ..CallOrigin::default() };
    let session = runtime.open_session().expect("memory").with_origin(origin);
    let turn = runtime.turn(&session).expect("it is open");
    for tool in ["skills_load", "made up \"} 1\n"] {
        turn.call(&prowess::ToolCall::new(tool, json!({ "names": ["skill-writing"] })));
    }
    let read = json!({ "path": "references/checklist.md" });
    turn.call(&prowess::ToolCall::new("skills_read", read));
    let (end, ended) = oneshot::channel::<()>();
    let serving =
        std::thread::spawn(move || server.serve_until(runtime, async { drop(ended.await) }));
    while get("/readyz", "").status() != 200 {}
    for path in ["/status", "/metrics"] {
        assert_eq!(get(path, "").status(), 401, "{path}");
    }
    let token = format!("Authorization: Bearer {TOKEN}\r\n");
    let status = get("/status", &token).0;
    let (_, body) = status.split_once("\r\n\r\n").expect("a body");
    let status: Value = serde_json::from_str(body).expect("JSON");
    assert_eq!(status["catalog"]["skills"]["offered"], 2, "{status}");
    assert_eq!(status["sources"][0]["state"], "ok", "{status}");
    assert_eq!(status["last_reload"]["cause"], "start", "{status}");
    let metrics = get("/metrics", &token).0;
    let (_, metrics) = metrics.split_once("\r\n\r\n").expect("a body");
    check_exposition(metrics);
    // The skills about this program are off in most servers.
    for line in include_str!("../data/metrics.txt").lines() {
        assert!(metrics.lines().any(|found| found == line), "{line}: {metrics}");
    }
    for name in ["prowess_catalog_age_seconds", "prowess_uptime_seconds", "prowess_build_info{"] {
        assert!(metrics.lines().any(|found| found.starts_with(name)), "{name}: {metrics}");
    }
    drop(end);
    serving.join().expect("no panic").expect("the server ends well");
}

/// An alarm can be raised for skills that are left out, although the server goes on.
#[test]
fn broken_skills_and_lost_directories_are_counted() {
    let good = "---\nname: a\ndescription: Use when asked.\n---\n";
    let tree = Tree::new(&format!(
        "//- /gone/a/SKILL.md\n{good}//- /skills/b/SKILL.md\n---\nname: b\n---\n"
    ));
    let runtime = crate::runtime(|builder| {
        let gone = builder.skills_directory("user", tree.join("gone"));
        gone.skills_directory("user", tree.join("skills"))
    });
    std::fs::remove_dir_all(tree.join("gone")).expect("it is there");
    runtime.reload();
    let server = Server::start(runtime, HttpOptions::default());
    let get = |line: &str| block_on(server.send(Request { line, body: "", ..Request::POST })).0;
    let metrics = get("GET /metrics");
    let findings = ["findings{severity=\"error\"} 1", "findings{severity=\"warning\"} 1"];
    for line in
        findings.into_iter().chain(["sources{state=\"missing\"} 1", "sources{state=\"ok\"} 2"])
    {
        let line = format!("prowess_catalog_{line}");
        assert!(metrics.lines().any(|found| found == line), "{line}: {metrics}");
    }
    assert!(get("GET /status").contains(r#""state":"missing""#));
}

/// Checks the text format: each family once with its meaning and type before its values, names by
/// convention, numbers, no value twice, and buckets that only grow.
fn check_exposition(text: &str) {
    let mut families = std::collections::HashMap::new();
    let mut values = std::collections::HashSet::new();
    let (mut family, mut last) = (("", ""), ("", 0.0));
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, meaning) = help.split_once(' ').expect("a meaning");
            assert!(meaning.ends_with('.'), "{line}");
            assert!(families.insert(name, "").is_none(), "a family comes once: {line}");
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            family = kind.split_once(' ').expect("a type");
            assert_eq!(families.insert(family.0, family.1), Some(""), "after its meaning: {line}");
            assert!(["counter", "gauge", "histogram"].contains(&family.1), "{line}");
            // The counters by model have the names of the document that they come from.
            if family.0.starts_with("prowess_") {
                assert_eq!(family.0.ends_with("_total"), family.1 == "counter", "{line}");
            }
        } else {
            let (series, number) = line.rsplit_once(' ').expect("a value");
            let number: f64 = number.parse().expect("a number");
            assert!(values.insert(series), "a value comes once: {line}");
            let name = series.split('{').next().expect("a name");
            let part = name.strip_prefix(family.0).unwrap_or_else(|| panic!("{line}: {family:?}"));
            let parts = ["_bucket", "_sum", "_count"];
            assert!(part.is_empty() || family.1 == "histogram" && parts.contains(&part), "{line}");
            if let Some((of, _)) = series.split_once(",le=") {
                assert!(of != last.0 || number >= last.1, "buckets are cumulative: {line}");
                last = (of, number);
            }
        }
    }
}

/// Returns a server with a tool that returns when it is released, the reports of its starts, and
/// what releases it.
fn server_with_held_tool() -> (Server, tokio::sync::mpsc::UnboundedReceiver<()>, Sender<()>) {
    let (starts, started) = tokio::sync::mpsc::unbounded_channel();
    let (let_go, release) = channel();
    let release = Mutex::new(release);
    let tool = TestTool::new("held", "Waits.", move |_, _| {
        starts.send(()).expect("the test listens");
        release.lock().expect("nothing panics").recv().expect("the test releases it");
        ToolResult::text("finished after all")
    });
    let server = Server::start(runtime_with(Arc::new(tool)), HttpOptions::default());
    (server, started, let_go)
}

/// Reads from a stream until a text occurs in it, and returns everything.
async fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let mut read = String::new();
    while !read.contains(text) {
        let mut bytes = [0; 1024];
        let count = stream.read(&mut bytes).await.expect("the stream is readable");
        assert!(count > 0, "the stream ended before `{text}`: {read}");
        read.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    read
}

#[test]
fn running_call_is_answered_before_the_end() {
    let (mut server, mut started, let_go) = server_with_held_tool();
    block_on(async {
        let session = server.initialize().await.session();
        let stream = Request { line: "GET /mcp", headers: &session, ..Request::POST };
        let stream = stream.text(server.address);
        let mut notifications = TcpStream::connect(server.address).await.expect("it listens");
        notifications.write_all(stream.as_bytes()).await.expect("it reads");
        let body = message("tools/call", &json!({ "name": "held" }));
        let post = Request { headers: &session, body: &body, ..Request::POST };
        let post = post.text(server.address);
        let mut call = TcpStream::connect(server.address).await.expect("it listens");
        call.write_all(post.as_bytes()).await.expect("it reads");
        started.recv().await.expect("the call runs");
        server.ask_to_end();
        // Probes report the end first. If they never did, this would hang.
        let ready = Request { line: "GET /readyz", ..Request::POST };
        while server.send(ready).await.status() != 503 {
            tokio::task::yield_now().await;
        }
        let_go.send(()).expect("the tool waits");
        let mut answer = String::new();
        call.read_to_string(&mut answer).await.expect("it is answered");
        assert!(answer.contains("finished after all"), "{answer}");
        let mut rest = Vec::new();
        notifications.read_to_end(&mut rest).await.expect("the stream ends");
    });
    server.join();
}

#[test]
fn other_address_needs_a_token() {
    let everywhere = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
    let refused = HttpServer::bind(everywhere, HttpOptions::default()).err();
    assert!(matches!(refused, Some(ServeError::TokenRequired(_))), "{refused:?}");
    let token = Some(HttpToken::new(TOKEN).expect("it is long enough"));
    let options = HttpOptions { token, ..HttpOptions::default() };
    assert!(HttpServer::bind(everywhere, options).is_ok());
    for weak in ["", "short", "a token of many words", "\u{e4}bcdefghijklmnopqrstuvw"] {
        assert!(matches!(HttpToken::new(weak), Err(ServeError::WeakToken)), "{weak}");
    }
    let shown = format!("{:?}", HttpToken::new(TOKEN));
    assert!(!shown.contains("letters"), "a token is not printed: {shown}");
}
