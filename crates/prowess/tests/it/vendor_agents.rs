//! One task over the format of each vendor: a scripted model that sees request bodies alone loads a
//! skill, reads a reference and runs a script.

use std::sync::Arc;

use prowess::session::SessionHandle;
use prowess::vendor::{RequestOptions, WireFormat};
use prowess::{
    BodyDelivery, EstimatedTokens, Message, Policies, RequestParts, Runtime, TokenCounter,
    ToolCall, ToolResult,
};
use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::dynamic;

const SHELF: &str = "
//- /skills/pdf/SKILL.md
---
name: pdf
description: Fills forms. Use when a form is to be filled in.
allowed-tools: skills_run
---
First read `references/fields.md`. Then run `scripts/fill.sh`, and do not read it.
//- /skills/pdf/references/fields.md
Each field has a color.
//- /skills/pdf/scripts/fill.sh
echo filled in
# A comment that only a reader of the script sees.
";

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
    fn new(tree: &Tree, format: WireFormat, bodies: BodyDelivery) -> Self {
        let runtime = dynamic::builder()
            .policies(Policies::default().with_body_delivery(bodies))
            .skills_directory("user", tree.join("skills"))
            .script_runner(Arc::new(prowess_testkit::ShellRunner))
            .build()
            .expect("the layers are the standard ones");
        let session = runtime.open_session().expect("memory takes another session");
        let messages = vec![Message::user("Fill in this form.")];
        Self { format, runtime, session, messages, tokens: 0, results: Vec::new() }
    }

    /// Makes one model call. Returns whether the model called a tool.
    fn step(&mut self, id: &str) -> bool {
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

/// The model: it follows what it reads in a body, whatever its format is.
fn next_call(body: &Value) -> Option<ToolCall> {
    let text = body.to_string();
    let tool = |name: &str| {
        assert!(text.contains(&format!("\"name\":\"{name}\"")), "`{name}` is offered: {text}");
        name.to_owned()
    };
    let named = |verb: &str| {
        let (_, rest) = text.split_once(&format!("{verb} `"))?;
        Some(rest.split_once('`')?.0.to_owned())
    };
    let Some(reference) = named("First read") else {
        let (_, rest) = text.split_once("<name>").expect("the catalog is in the request");
        let (skill, _) = rest.split_once("</name>").expect("it is whole");
        return Some(ToolCall::new(tool("skills_load"), json!({ "names": [skill] })));
    };
    if !text.contains("Each field has a color") {
        return Some(ToolCall::new(tool("skills_read"), json!({ "path": reference })));
    }
    if !text.contains("filled in\\\\n") && !text.contains("filled in\\n") {
        let script = named("Then run").expect("the instructions name it");
        return Some(ToolCall::new(tool("skills_run"), json!({ "path": script })));
    }
    None
}

/// Runs the task in each format and returns the tokens of each.
fn check(bodies: BodyDelivery) {
    let tree = Tree::new(SHELF);
    let mut spent = Vec::new();
    for format in FORMATS {
        let mut conversation = Conversation::new(&tree, format, bodies);
        let steps = (1..10).take_while(|at| conversation.step(&format!("call_{at}"))).count();
        let tools: Vec<_> =
            conversation.results.iter().map(|(call, _)| call.name.as_str()).collect();
        assert_eq!(tools, ["skills_load", "skills_read", "skills_run"], "{format:?}");
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
    check(BodyDelivery::Instructions);
    check(BodyDelivery::ToolResult);
    check(BodyDelivery::BothOnce);
}
