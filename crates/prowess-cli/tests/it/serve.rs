//! `prowess serve`, by the protocol's own client over a child process, and by clients that behave
//! badly.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, Stdio};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use prowess_testkit::Tree;
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::plain_skill;
use crate::program::{Program, signal};

/// No text in any encoding.
const BINARY: [u8; 6] = [0x25, 0x50, 0x00, 0xff, 0xfe, 0x0a];

/// What no answer may hold.
const SECRET: &str = "secret-7f3a";

fn tree() -> Tree {
    let tree = Tree::new("");
    tree.write("pdf/SKILL.md", plain_skill("pdf"));
    tree.write("pdf/references/fields.md", "Every field has a name.\n");
    tree.write("pdf/assets/form.bin", BINARY);
    tree.write("tables/SKILL.md", plain_skill("tables"));
    tree
}

/// One client with a server of its own.
pub(crate) struct Client {
    service: RunningService<RoleClient, ()>,
    pid: u32,
    _place: TempDir,
}

impl Client {
    async fn connect(root: &std::path::Path) -> Self {
        Self::of(Program::new().root("user", root)).await
    }

    pub(crate) async fn of(program: Program) -> Self {
        Self::with(program, &[]).await
    }

    pub(crate) async fn with(program: Program, args: &[&str]) -> Self {
        let (command, place) = program.into_command();
        let mut command = tokio::process::Command::from(command);
        command.args(args).args(["serve", "--quiet"]);
        let child = TokioChildProcess::new(command).expect("the server starts");
        let pid = child.id().expect("it runs");
        let service = ().serve(child).await.expect("the server greets");
        Self { service, pid, _place: place }
    }

    /// The instructions of the server and the definitions of its tools: what a model sees first.
    pub(crate) async fn shown(&self) -> String {
        let server = self.service.peer_info().expect("the server has greeted");
        let instructions = server.instructions.clone().unwrap_or_default();
        let tools = self.service.list_all_tools().await.expect("the tools are listed");
        format!("{instructions}{}", serde_json::to_string(&tools).expect("tools are JSON"))
    }

    /// Ends the connection, and with it the server.
    pub(crate) async fn end(self) {
        self.service.cancel().await.expect("the client ends");
    }

    pub(crate) async fn call(&self, name: &'static str, arguments: Value) -> CallToolResult {
        let arguments = arguments.as_object().expect("arguments are an object").clone();
        let call = CallToolRequestParams::new(name).with_arguments(arguments);
        self.service.call_tool(call).await.expect("every call of a tool is answered")
    }
}

/// What a model reads of a result.
pub(crate) fn words(result: &CallToolResult) -> String {
    let text = |block: &rmcp::model::ContentBlock| Some(block.as_text()?.text.clone());
    result.content.iter().filter_map(text).collect::<Vec<_>>().join("\n")
}

pub(crate) fn code(result: &CallToolResult) -> Option<&str> {
    assert_eq!(result.is_error, Some(true), "a refusal is marked as an error");
    result.meta.as_ref()?.0["prowess/code"].as_str()
}

pub(crate) fn block_on(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let patience = Duration::from_secs(60);
    runtime.block_on(async { tokio::time::timeout(patience, test).await.expect("nothing hangs") });
}

#[test]
fn first_sight_holds_the_catalog_and_no_body() {
    block_on(async {
        let tree = tree();
        let client = Client::connect(tree.path()).await;
        let server = client.service.peer_info().expect("the server says who it is");
        assert_eq!(server.server_info.as_ref().map(|info| info.name.as_str()), Some("prowess"));
        let shown = client.shown().await;
        for part in ["<available_skills>", "<name>pdf</name>", "Helps with tables.", "skills_load"]
        {
            assert_eq!(shown.matches(part).count().min(1), 1, "the model sees {part}: {shown}");
        }
        assert_eq!(
            shown.matches("Helps with tables.").count(),
            1,
            "nothing is sent twice: {shown}"
        );
        assert!(!shown.contains("# How to use"), "no skill is loaded yet");
    });
}

#[test]
fn the_tools_have_names_and_schemas_that_every_vendor_takes() {
    block_on(async {
        let tree = tree();
        let client = Client::connect(tree.path()).await;
        let tools = client.service.list_all_tools().await.expect("the tools are listed");
        let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        let expected = [
            "skills_load",
            "skills_unload",
            "skills_read",
            "skills_list",
            "skills_search",
            "skills_describe",
        ];
        assert_eq!(names, expected);
        let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        for tool in &tools {
            assert!((1..=64).contains(&tool.name.len()) && tool.name.bytes().all(is_legal));
            assert_eq!(tool.input_schema.get("type"), Some(&json!("object")), "{}", tool.name);
            assert!(tool.description.is_some(), "`{}` says what it is for", tool.name);
        }
    });
}

#[test]
fn loading_brings_the_body_and_reading_brings_text_and_bytes() {
    block_on(async {
        let tree = tree();
        let client = Client::connect(tree.path()).await;
        let early = client.call("skills_read", json!({"path": "references/fields.md"})).await;
        assert_eq!(code(&early), Some("skill-not-active"), "loading comes first");
        let loaded = client.call("skills_load", json!({"names": ["pdf"]})).await;
        assert!(words(&loaded).contains("# How to use pdf"), "the body comes in the result");
        let text = client.call("skills_read", json!({"path": "references/fields.md"})).await;
        assert!(words(&text).contains("Every field has a name."), "text comes as text");
        let bytes = client.call("skills_read", json!({"path": "assets/form.bin"})).await;
        let bytes = serde_json::to_value(&bytes).unwrap();
        let blob = bytes["content"][0]["resource"]["blob"].as_str().expect("bytes come as a blob");
        assert_eq!(BASE64_STANDARD.decode(blob).expect("base64"), BINARY, "byte for byte");
        let unloaded = client.call("skills_unload", json!({"all": true})).await;
        assert_eq!(unloaded.is_error, Some(false));
        let late = client.call("skills_read", json!({"path": "references/fields.md"})).await;
        assert_eq!(code(&late), Some("skill-not-active"), "what is unloaded is not read");
    });
}

/// A server may run for days; what its user takes back counts from the next call on.
#[test]
fn changes_of_trust_reach_a_running_server() {
    block_on(async {
        let tree = Tree::new("//- /project/.git/HEAD\nref: refs/heads/main\n//- /home/x\n");
        for name in ["early", "later", "last"] {
            tree.write(&format!("project/.agents/skills/{name}/SKILL.md"), plain_skill(name));
        }
        let program = || {
            let program = Program::new().at_home_in(&tree.join("home"));
            program.working_in(&tree.join("project"))
        };
        let client = Client::of(program()).await;
        let load = |name: &str| client.call("skills_load", json!({ "names": [name] }));
        assert_eq!(code(&load("early").await), Some("skill-hidden"), "nobody trusts the folder");
        program().run(&["trust"]).text();
        assert_eq!(load("later").await.is_error, Some(false), "it is trusted");
        program().run(&["trust", "--revoke", "."]).text();
        assert_eq!(code(&load("last").await), Some("skill-hidden"), "and no longer");
    });
}

#[test]
fn changed_skill_is_loaded_with_new_content() {
    block_on(async {
        let tree = tree();
        let client = Client::connect(tree.path()).await;
        let load = json!({ "names": ["late"] });
        let refused = client.call("skills_load", load.clone()).await;
        assert_eq!(code(&refused), Some("skill-not-found"));
        for version in ["The first version.", "The second version."] {
            tree.write("late/SKILL.md", plain_skill("late") + version + "\n");
            // It ends when the server has heard of the change, or with the test's patience.
            loop {
                let result = client.call("skills_load", load.clone()).await;
                if words(&result).contains(version) {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    });
}

/// `spec` refuses a field that it does not know, which `lenient` ignores.
#[test]
fn kept_skill_is_refused_with_the_errors_of_its_file() {
    block_on(async {
        let tree = tree();
        let config = Tree::new("//- /prowess.yaml\nregistry: { profile: spec }\n");
        let program = Program::new().root("user", tree.path()).config(&config.join("prowess.yaml"));
        let client = Client::of(program).await;
        let load = json!({ "names": ["pdf"] });
        assert!(words(&client.call("skills_load", load.clone()).await).contains("pdf"));
        let text = "---\nname: pdf\ndescription: x\ncolour: red\n---\nSecond body.\n";
        tree.write("pdf/SKILL.md", text);
        loop {
            let result = client.call("skills_load", load.clone()).await;
            assert!(!words(&result).contains("Second body."), "it is loaded by the server's rules");
            if result.is_error == Some(true) && code(&result) == Some("skill-invalid") {
                assert!(words(&result).contains("4:1: error[unknown-field]"), "{}", words(&result));
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
}

#[test]
fn sighup_reloads_a_manual_server() {
    block_on(async {
        let tree = tree();
        let config = Tree::new("//- /prowess.yaml\nrefresh: { mode: manual }\n");
        let program = Program::new().root("user", tree.path()).config(&config.join("prowess.yaml"));
        let client = Client::of(program).await;
        let load = json!({ "names": ["late"] });
        tree.write("late/SKILL.md", plain_skill("late"));
        for _ in 0..3 {
            let refused = client.call("skills_load", load.clone()).await;
            assert_eq!(code(&refused), Some("skill-not-found"), "nobody has looked");
        }
        signal(client.pid, Signal::HUP).expect("it runs");
        // It ends when the server has looked, or with the test's patience.
        while client.call("skills_load", load.clone()).await.is_error == Some(true) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
}

/// A client has its instructions already, so a result has to tell.
#[test]
fn change_of_a_loaded_skill_is_reported() {
    block_on(async {
        let tree = tree();
        let config = Tree::new("//- /prowess.yaml\nsession: { on_change: notify }\n");
        let program = Program::new().root("user", tree.path()).config(&config.join("prowess.yaml"));
        let client = Client::of(program).await;
        let note = "have changed since they were loaded: `pdf`";
        client.call("skills_load", json!({"names": ["pdf"]})).await;
        let read = json!({"path": "references/fields.md"});
        let before = client.call("skills_read", read.clone()).await;
        assert!(!words(&before).contains(note), "nothing has: {}", words(&before));
        tree.write("pdf/SKILL.md", plain_skill("pdf") + "A second version.\n");
        let after = client.call("skills_read", read.clone()).await;
        assert!(words(&after).contains(note), "it is said: {}", words(&after));
        assert!(words(&after).contains("Every field has a name."), "beside what was asked for");
        let again = client.call("skills_load", json!({"names": ["pdf"]})).await;
        assert!(words(&again).contains("A second version."), "{}", words(&again));
        assert!(!words(&again).contains(note), "and no more: {}", words(&again));
    });
}

#[test]
fn refused_call_is_a_result() {
    block_on(async {
        let tree = Tree::new("");
        tree.write("CANARY", SECRET);
        tree.write("skills/pdf/SKILL.md", plain_skill("pdf"));
        let client = Client::connect(&tree.join("skills")).await;
        let load = client.call("skills_load", json!({"names": ["pdf"]})).await;
        assert_eq!(load.is_error, Some(false));
        for (tool, arguments, expected) in [
            ("skills_read", json!({"path": "../../CANARY"}), "path-escape"),
            ("skills_read", json!({"path": "nothing.md"}), "resource-not-found"),
            ("skills_load", json!({"names": ["pfd"]}), "skill-not-found"),
            ("skills_load", json!({"names": 7}), "invalid-arguments"),
        ] {
            let refused = client.call(tool, arguments).await;
            assert_eq!(code(&refused), Some(expected), "{}", words(&refused));
            assert!(!words(&refused).contains(SECRET), "nothing outside is read");
        }
    });
}

/// Some clients start one server per call.
#[test]
fn file_is_read_without_a_load() {
    block_on(async {
        let tree = tree();
        let read = json!({"skill": "pdf", "path": "references/fields.md"});
        let client = Client::connect(tree.path()).await;
        let text = client.call("skills_read", read.clone()).await;
        assert!(words(&text).contains("Every field has a name."), "{}", words(&text));
        for gate in ["active", "loaded"] {
            let config = Tree::new("");
            config.write("prowess.yaml", format!("tools: {{ read_gate: {gate} }}\n"));
            let program =
                Program::new().root("user", tree.path()).config(&config.join("prowess.yaml"));
            let refused = Client::of(program).await.call("skills_read", read.clone()).await;
            assert_eq!(code(&refused), Some("skill-not-active"), "the policy asks for a load");
        }
    });
}

#[test]
fn two_clients_are_two_conversations() {
    block_on(async {
        let tree = tree();
        let (one, other) = (Client::connect(tree.path()).await, Client::connect(tree.path()).await);
        one.call("skills_load", json!({"names": ["pdf"]})).await;
        other.call("skills_load", json!({"names": ["tables"]})).await;
        let read = json!({"path": "references/fields.md"});
        assert_eq!(one.call("skills_read", read.clone()).await.is_error, Some(false));
        let refused = other.call("skills_read", read).await;
        assert_eq!(code(&refused), Some("resource-not-found"), "it has loaded another skill");
    });
}

#[test]
fn without_skills_there_are_no_tools() {
    block_on(async {
        let client = Client::connect(Tree::new("").path()).await;
        let server = client.service.peer_info().expect("the server says who it is");
        assert_eq!(server.instructions, None, "an empty catalog is not worth a token");
        let tools = client.service.list_all_tools().await.expect("the tools are listed");
        assert_eq!(tools.len(), 0, "there is nothing to load");
        let load = client.call("skills_load", json!({"names": ["pdf"]})).await;
        assert_eq!(code(&load), Some("skill-not-found"), "a call is answered all the same");
    });
}

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

/// A user without inotify instances: the limit counts per user namespace.
#[test]
fn fallback_to_polling_is_reported() {
    let namespace = ["--user", "--map-root-user", "sh", "-c"];
    let limit = "echo 0 > /proc/sys/user/max_inotify_instances";
    let is_possible = std::process::Command::new("unshare").args(namespace).arg(limit).output();
    if !is_possible.is_ok_and(|ran| ran.status.success()) {
        eprintln!("skipped: this system does not allow user namespaces");
        return;
    }
    let skills = tree();
    let (program, _home) = Program::new().root("user", skills.path()).into_command();
    let mut command = std::process::Command::new("unshare");
    command.args(namespace).arg(format!("{limit}; exec \"$@\"")).arg("sh");
    command.arg(program.get_program()).args(program.get_args()).arg("serve");
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", skills.join("home"));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the server starts");
    let remarks = BufReader::new(child.stderr.take().expect("a pipe"));
    // The report comes from the thread that watches. If it never came, this would hang.
    let reported = remarks.lines().map_while(Result::ok).find(|line| line.contains("warning["));
    drop(child.stdin.take());
    child.wait().expect("it ends");
    let reported = reported.expect("the fallback is reported");
    assert!(reported.contains("[source-not-watched]"), "{reported}");
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
