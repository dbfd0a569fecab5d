//! `prowess serve`, by the protocol's own client over a child process, and by clients that send
//! nothing.

use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Output, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use prowess_testkit::Tree;
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::bad_input::make_fifo;
use crate::plain_skill;
use crate::program::{Program, signal};

/// No text in any encoding.
const BINARY: [u8; 6] = [0x25, 0x50, 0x00, 0xff, 0xfe, 0x0a];

pub(crate) fn tree() -> Tree {
    let tree = Tree::new("");
    tree.write("pdf/SKILL.md", plain_skill("pdf"));
    tree.write("pdf/references/fields.md", "Every field has a name.\n");
    tree.write("pdf/assets/form.bin", BINARY);
    tree.write("tables/SKILL.md", plain_skill("tables"));
    tree
}

/// One client with a server of its own.
pub(crate) struct Client {
    pub(crate) service: RunningService<RoleClient, ()>,
    pid: u32,
    _place: TempDir,
}

impl Client {
    pub(crate) async fn of(program: Program) -> Self {
        let (command, place) = program.into_command();
        let mut command = tokio::process::Command::from(command);
        command.args(["serve", "--quiet"]);
        let child = TokioChildProcess::new(command).expect("the server starts");
        let pid = child.id().expect("it runs");
        let service = ().serve(child).await.expect("the server greets");
        Self { service, pid, _place: place }
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
fn client_loads_and_reads() {
    block_on(async {
        let tree = tree();
        let client = Client::of(Program::new().root("user", tree.path())).await;
        let tools = client.service.list_all_tools().await.expect("the tools are listed");
        let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
        let finders = ["skills_list", "skills_search", "skills_describe"];
        assert_eq!(
            names,
            [&["skills_load", "skills_unload", "skills_read"][..], &finders].concat()
        );
        let loaded = client.call("skills_load", json!({"names": ["pdf"]})).await;
        assert!(words(&loaded).contains("# How to use pdf"), "the body comes in the result");
        let text = client.call("skills_read", json!({"path": "references/fields.md"})).await;
        assert!(words(&text).contains("Every field has a name."), "text comes as text");
        let bytes = client.call("skills_read", json!({"path": "assets/form.bin"})).await;
        let bytes = serde_json::to_value(&bytes).unwrap();
        let blob = bytes["content"][0]["resource"]["blob"].as_str().expect("bytes come as a blob");
        assert_eq!(BASE64_STANDARD.decode(blob).expect("base64"), BINARY, "byte for byte");
        let outside = client.call("skills_read", json!({"path": "../tables/SKILL.md"})).await;
        assert_eq!(code(&outside), Some("path-escape"), "a refusal has its code");
    });
}

/// Ends when the server offers a skill, or with the test's patience.
async fn until_loaded(client: &Client, name: &str) {
    while client.call("skills_load", json!({ "names": [name] })).await.is_error == Some(true) {
        tokio::task::yield_now().await;
    }
}

fn in_project(tree: &Tree) -> Program {
    Program::new().at_home_in(&tree.join("home")).working_in(&tree.join("project"))
}

/// A server may run for days; the next call follows what its user trusts.
#[test]
fn changes_of_trust_reach_a_running_server() {
    block_on(async {
        let tree = Tree::new("//- /project/.git/HEAD\nref: refs/heads/main\n//- /home/x\n");
        for name in ["early", "later", "last"] {
            tree.write(&format!("project/.agents/skills/{name}/SKILL.md"), plain_skill(name));
        }
        let program = || in_project(&tree);
        let client = Client::of(program()).await;
        let load = |name: &str| client.call("skills_load", json!({ "names": [name] }));
        assert_eq!(code(&load("early").await), Some("skill-hidden"), "it is not trusted");
        program().run(&["trust"]).text();
        assert_eq!(load("later").await.is_error, Some(false), "it is trusted");
        program().run(&["trust", "--revoke", "."]).text();
        assert_eq!(code(&load("last").await), Some("skill-hidden"), "and no longer");
    });
}

/// A client is connected before the first skill is there.
#[test]
fn first_skills_of_a_project_and_of_the_user_reach_a_running_server() {
    block_on(async {
        let tree = Tree::new("//- /project/.git/HEAD\nref: refs/heads/main\n//- /home/.claude/x\n");
        for name in ["own", "shared"] {
            tree.write(&format!("src/{name}/SKILL.md"), plain_skill(name));
        }
        let program = || in_project(&tree);
        program().run(&["trust"]).text();
        program().run(&["trust", "--source", "../src"]).text();
        let client = Client::of(program()).await;
        tree.write("project/.claude/skills/first/SKILL.md", plain_skill("first"));
        program().run(&["add", "../src", "shared"]).text();
        program().run(&["add", "../src", "own", "--user"]).text();
        for name in ["first", "shared", "own"] {
            until_loaded(&client, name).await;
        }
    });
}

#[test]
fn sighup_reloads_a_manual_server() {
    block_on(async {
        let tree = tree();
        tree.write("prowess.yaml", "refresh: { mode: manual }\n");
        let program = Program::new().root("user", tree.path()).config(&tree.join("prowess.yaml"));
        let client = Client::of(program).await;
        let load = json!({ "names": ["late"] });
        tree.write("late/SKILL.md", plain_skill("late"));
        for _ in 0..3 {
            let refused = client.call("skills_load", load.clone()).await;
            assert_eq!(code(&refused), Some("skill-not-found"), "nothing was scanned since");
        }
        signal(client.pid, Signal::HUP).expect("it runs");
        until_loaded(&client, "late").await;
    });
}

/// Returns what a server leaves whose client sends this and closes its end.
fn served(input: &str, options: &[&str]) -> Output {
    let tree = tree();
    let (mut command, _home) = Program::new().root("user", tree.path()).into_command();
    command.arg("serve").args(options).stdin(Stdio::piped());
    let mut child = command.spawn().expect("the server starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("the server reads");
    drop(stdin);
    child.wait_with_output().expect("the server ends")
}

/// Returns the two messages by which a client begins.
pub(crate) fn greeting() -> [Value; 2] {
    let about = json!({
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let first = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about});
    [first, json!({"jsonrpc": "2.0", "method": "notifications/initialized"})]
}

#[test]
fn server_ends_with_its_input() {
    let silent = served("", &["--quiet"]);
    let printed = (silent.status.code(), &*silent.stdout, &*silent.stderr);
    assert_eq!(printed, (Some(0), &b""[..], &b""[..]), "a client that sends nothing is done");
    let greeted = served(&format!("{}\n", greeting()[0]), &[]);
    assert_eq!(greeted.status.code(), Some(0), "{greeted:?}");
    let answer: Value = serde_json::from_slice(&greeted.stdout).expect("one message is sent");
    assert_eq!(answer["result"]["serverInfo"]["name"], "prowess");
    let remarks = String::from_utf8_lossy(&greeted.stderr);
    assert!(remarks.contains("skills=2"), "the log has the number of skills: {remarks}");
}

#[test]
fn calls_behind_a_load_see_its_effect() {
    let mut lines = greeting().to_vec();
    let calls = [
        ("skills_load", json!({"names": ["pdf"]})),
        ("skills_read", json!({"path": "references/fields.md"})),
        ("skills_unload", json!({"all": true})),
        ("skills_read", json!({"path": "references/fields.md"})),
    ];
    for (id, (name, arguments)) in calls.iter().cycle().take(24).enumerate() {
        let params = json!({"name": name, "arguments": arguments});
        let call =
            json!({"jsonrpc": "2.0", "id": id + 1, "method": "tools/call", "params": params});
        lines.push(call);
    }
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let answered = served(&input, &["--quiet"]).stdout;
    let answers = answered.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut is_error = [None; 25];
    for answer in answers.map(|line| serde_json::from_slice::<Value>(line).unwrap()) {
        let id = answer["id"].as_u64().map(|id| usize::try_from(id).unwrap());
        is_error[id.unwrap_or(0)] = answer["result"]["isError"].as_bool();
    }
    for (id, is_error) in is_error.iter().enumerate().skip(1) {
        assert_eq!(*is_error, Some(id % 4 == 0), "call {id}: {is_error:?}");
    }
}

/// Before the program itself runs, the kernel ends it, and nothing is there yet to be left behind.
#[test]
fn signals_at_the_first_instruction_end_the_program_or_are_heard() {
    let skills = tree();
    for (command, by) in ["serve", "list"].into_iter().flat_map(|command| {
        [Signal::HUP, Signal::INT, Signal::TERM].map(|signal| (command, signal))
    }) {
        let home = tempfile::tempdir().expect("a home");
        let program = Program::new().root("user", skills.path()).at_home_in(home.path());
        let (mut program, _place) = program.into_command();
        let child = program.arg(command).stdin(Stdio::piped()).spawn();
        let mut child = child.expect("the program starts");
        signal(child.id(), by).expect("it runs");
        drop(child.stdin.take());
        let status = child.wait().expect("it ends");
        // Later, a server ends with success, and a list is done.
        let is_ended = status.signal() == Some(by.as_raw()) || status.code() == Some(0);
        assert!(is_ended, "{command} after {by:?}: {status}");
        let left = std::fs::read_dir(home.path()).expect("the home").count();
        assert!(left == 0 || status.success(), "{command} after {by:?} leaves {left} files");
    }
}

/// The program waits for its configuration, a pipe, while the signal arrives.
#[test]
fn hangup_while_the_server_starts_is_survived() {
    let skills = tree();
    let config = skills.join("prowess.yaml");
    make_fifo(&config);
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
