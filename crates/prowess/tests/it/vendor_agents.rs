//! One task over the format of each vendor: a scripted model that sees request bodies alone loads a
//! skill, reads a reference and runs a script, with the tools of the runtime or with a host's own.

use std::sync::Arc;

use prowess::session::SessionHandle;
use prowess::vendor::{RequestOptions, WireFormat};
use prowess::{
    BodyDelivery, EstimatedTokens, Message, Policies, RequestParts, Runtime, RuntimeBuilder,
    TokenCounter, Tool, ToolCall, ToolResult,
};
use prowess_testkit::{TestTool, TestTools, Tree};
use serde_json::{Value, json};

use crate::dynamic;

const SHELF: &str = include_str!("../data/vendor_agents.txt");

/// The formats that have model calls.
const FORMATS: [WireFormat; 4] = [
    WireFormat::OpenAiChat,
    WireFormat::OpenAiResponses,
    WireFormat::Anthropic,
    WireFormat::Gemini,
];

/// A conversation in one format.
struct Conversation {
    format: WireFormat,
    runtime: Runtime,
    session: SessionHandle,
    messages: Vec<Message>,
    /// The tokens of all requests.
    tokens: usize,
    results: Vec<(ToolCall, ToolResult)>,
}

impl Conversation {
    fn new(builder: RuntimeBuilder, format: WireFormat) -> Self {
        let runtime = builder.build().expect("the layers are those of the policies");
        let session = runtime.open_session().expect("memory takes another session");
        let messages = vec![Message::user("Fill in this form.")];
        Self { format, runtime, session, messages, tokens: 0, results: Vec::new() }
    }

    /// Makes one model call. Returns whether the model called a tool.
    fn step(&mut self, id: &str, next_call: Model) -> bool {
        let turn = self.runtime.turn(&self.session).expect("the session is open");
        let options = RequestOptions::model("a-model");
        let parts = RequestParts::new("You help people.", self.messages.clone());
        let body = turn.request(self.format, &options, parts).expect("it has model calls");
        self.tokens += EstimatedTokens.count(&body.to_string());
        let Some(call) = next_call(&body) else { return false };
        let reply = self.format.call(id, &call);
        let received = self.format.calls(&reply, &turn.tools()).remove(0);
        let call = received.call.expect("the model writes JSON");
        let result = turn.call(&call).result;
        let name = received.name;
        self.messages.push(Message::Verbatim { message: reply });
        self.messages.push(Message::ToolResult { id: id.into(), name, result: result.clone() });
        self.results.push((call, result));
        true
    }
}

/// Makes the next call of a model from a request; `None` if the task is done.
type Model = fn(&Value) -> Option<ToolCall>;

/// Returns what the instructions name behind a verb.
fn named(text: &str, verb: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("{verb} `"))?;
    Some(rest.split_once('`')?.0.to_owned())
}

/// The model: it follows what it reads in a body, whatever its format is.
fn next_call(body: &Value) -> Option<ToolCall> {
    let text = body.to_string();
    let tool = |name: &str| {
        assert!(text.contains(&format!("\"name\":\"{name}\"")), "`{name}` is offered: {text}");
        name.to_owned()
    };
    let Some(reference) = named(&text, "First read") else {
        let (_, rest) = text.split_once("<name>").expect("the catalog is in the request");
        let (skill, _) = rest.split_once("</name>").expect("it is whole");
        return Some(ToolCall::new(tool("skills_load"), json!({ "names": [skill] })));
    };
    if !text.contains("Each field has a color") {
        return Some(ToolCall::new(tool("skills_read"), json!({ "path": reference })));
    }
    if !text.contains("filled in\\\\n") && !text.contains("filled in\\n") {
        let script = named(&text, "Then run").expect("the instructions name it");
        return Some(ToolCall::new(tool("skills_run"), json!({ "path": script })));
    }
    None
}

/// The model of a host with its own tools: it builds paths from the `base_path` of a result.
fn next_host_call(body: &Value) -> Option<ToolCall> {
    let text = body.to_string();
    // The blocks of the prompt name the field, too, without a path behind it.
    let behind = text.split("base_path").skip(1);
    let mut paths = behind.map(|rest| rest.trim_start_matches(['\\', '"', ':', ' ']));
    let Some(base) = paths.find(|rest| rest.starts_with('/')) else {
        let (_, listed) = text.split_once("<available_skills>\\n\\\"").expect("it is described");
        let (skill, _) = listed.split_once("\\\"").expect("it is whole");
        return Some(ToolCall::new("skill", json!({ "skill_name": skill })));
    };
    let base = base.split(['\\', '"']).next().expect("it has an end");
    if !text.contains("Each field has a color") {
        let reference = named(&text, "First read").expect("the instructions name it");
        let path = format!("{base}/{reference}");
        return Some(ToolCall::new("Read", json!({ "file_path": path })));
    }
    if !text.contains("filled in\\\\n") && !text.contains("filled in\\n") {
        let script = named(&text, "Then run").expect("the instructions name it");
        return Some(ToolCall::new(
            "Bash",
            json!({ "command": format!("cd {base} && sh {script}") }),
        ));
    }
    None
}

/// Runs the task in each format. Each request may cost up to a fifth more in one than in another.
fn check(
    shelf: &str,
    builder: impl Fn(&Tree) -> RuntimeBuilder,
    model: Model,
    expected: [&str; 3],
) {
    let tree = Tree::new(shelf);
    let mut spent = Vec::new();
    for format in FORMATS {
        let mut conversation = Conversation::new(builder(&tree), format);
        let steps =
            (1..10).take_while(|at| conversation.step(&format!("call_{at}"), model)).count();
        let tools: Vec<_> =
            conversation.results.iter().map(|(call, _)| call.name.as_str()).collect();
        assert_eq!(tools, expected, "{format:?}");
        assert_eq!(steps, 3);
        for (call, result) in &conversation.results {
            assert!(!result.is_error, "{format:?}: {call:?}: {result:?}");
        }
        let seen = format!("{:?}", conversation.messages);
        assert!(!seen.contains("A comment that only a reader"), "no script is read: {seen}");
        spent.push(conversation.tokens);
    }
    let (least, most) = (spent.iter().min(), spent.iter().max());
    let ratio = *most.expect("there are formats") * 100 / least.expect("there are formats");
    assert!(ratio <= 120, "tokens are within 20 %: {spent:?}");
}

#[test]
fn every_vendor_gets_the_task_done() {
    for bodies in [BodyDelivery::Instructions, BodyDelivery::ToolResult, BodyDelivery::BothOnce] {
        let builder = |tree: &Tree| {
            dynamic::builder()
                .policies(Policies::default().with_body_delivery(bodies))
                .skills_directory("user", tree.join("skills"))
                .script_runner(Arc::new(prowess_testkit::ShellRunner))
        };
        check(SHELF, builder, next_call, ["skills_load", "skills_read", "skills_run"]);
    }
}

/// The tools of a host: one reads a file by its absolute path, one runs a command.
fn host_tools() -> TestTools {
    let read = TestTool::new("Read", "Reads a file.", |_, arguments| {
        let path = arguments["file_path"].as_str().expect("a path");
        ToolResult::text(std::fs::read_to_string(path).expect("the path is that of a file"))
    });
    let bash = TestTool::new("Bash", "Runs a command.", |_, arguments| {
        let command = arguments["command"].as_str().expect("a command");
        let output = std::process::Command::new("sh").args(["-c", command]).output();
        let printed = output.expect("there is a shell").stdout;
        ToolResult::text(String::from_utf8(printed).expect("it is text"))
    });
    TestTools(vec![Arc::new(read) as Arc<dyn Tool>, Arc::new(bash)])
}

/// No path of any model's is wrong, although each builds them itself.
#[test]
fn every_vendor_builds_paths_with_a_host_of_its_own() {
    let shelf = SHELF.replace("skills_run", "Read Bash");
    let builder = |tree: &Tree| {
        let policies = Policies::preset("omniforge").expect("there is one");
        let builder = dynamic::builder().policies(policies).tools(Arc::new(host_tools()));
        builder.skills_directory("personal", tree.join("skills"))
    };
    check(&shelf, builder, next_host_call, ["skill", "Read", "Bash"]);
}
