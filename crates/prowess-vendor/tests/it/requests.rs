//! Whole requests. The step `requests` of `cargo xtask nightly` validates the files with the types
//! of the vendors' own clients.

use expect_test::expect_file;
use prowess_core::{
    Content, IdentifiedCall, InstructionBlock, InstructionKind, Message, ModelRequest, ToolCall,
    ToolResult,
};
use prowess_vendor::{RequestOptions, WireFormat};
use serde_json::{Value, json};

use crate::fixture::{definitions, refusal};

fn block(kind: InstructionKind, text: &str) -> InstructionBlock {
    InstructionBlock { kind, text: text.to_owned() }
}

fn made(id: &str, path: &str) -> IdentifiedCall {
    IdentifiedCall { id: id.into(), call: ToolCall::new("read", json!({ "path": path })) }
}

fn answered(id: &str, result: ToolResult) -> Message {
    Message::ToolResult { id: id.into(), name: "read".into(), result }
}

/// A conversation with every kind of message that is not in a vendor's format.
fn conversation() -> ModelRequest {
    let image = Content::Blob { mime_type: "image/png".into(), data: "iVBORw==".into(), uri: None };
    let text = Content::Text { text: "Fill in this form.".into() };
    let calls = vec![made("call_1", "a.md"), made("call_2", "b.md")];
    ModelRequest {
        instructions: vec![
            block(InstructionKind::Rules, "You fill in forms."),
            block(InstructionKind::Catalog, "<available_skills>pdf</available_skills>"),
            block(InstructionKind::ActiveSkills, "<active_skills>pdf</active_skills>"),
        ],
        tools: definitions(),
        messages: vec![
            Message::User { content: vec![text, image] },
            Message::Model { text: "I read the notes.".into(), calls },
            answered("call_1", ToolResult::text("Notes.")),
            Message::context("The list of skills has changed."),
            answered("call_2", refusal()),
            Message::model("One file is missing."),
            Message::user("Go on."),
        ],
    }
}

fn body(format: WireFormat, request: &ModelRequest) -> Value {
    let options =
        RequestOptions { max_output_tokens: Some(1_000), ..RequestOptions::model("a-model") };
    format.request(request, &options).expect("the format has model calls")
}

const WITH_REQUESTS: [WireFormat; 4] = [
    WireFormat::OpenAiChat,
    WireFormat::OpenAiResponses,
    WireFormat::Anthropic,
    WireFormat::Gemini,
];

#[test]
fn each_format_has_its_body() {
    let files = [
        expect_file!["requests/openai-chat.json"],
        expect_file!["requests/openai-responses.json"],
        expect_file!["requests/anthropic.json"],
        expect_file!["requests/gemini.json"],
    ];
    for (format, file) in WITH_REQUESTS.into_iter().zip(files) {
        let body = body(format, &conversation());
        file.assert_eq(&(serde_json::to_string_pretty(&body).expect("it is data") + "\n"));
    }
    let options = RequestOptions::default();
    assert_eq!(WireFormat::Mcp.request(&conversation(), &options), None, "it has no model calls");
}

#[test]
fn empty_parts_are_left_out() {
    for format in WITH_REQUESTS {
        let request = ModelRequest { messages: vec![Message::user("Hi")], ..Default::default() };
        let body = body(format, &request);
        for field in ["tools", "system", "instructions", "systemInstruction"] {
            assert!(body.get(field).is_none(), "{format:?} has no empty `{field}`");
        }
    }
}

#[test]
fn verbatim_messages_stay_as_they_are() {
    for format in WITH_REQUESTS {
        let call = format.call("call_1", &ToolCall::new("read", json!({ "path": "a.md" })));
        let message = Message::Verbatim { message: call.clone() };
        let several = Message::Verbatim { message: json!([call, call]) };
        let request = ModelRequest {
            messages: vec![Message::user("Hi"), Message::model("One"), message, several],
            ..Default::default()
        };
        let body = body(format, &request);
        let messages = ["messages", "input", "contents"].into_iter().find_map(|key| body.get(key));
        let messages = messages.and_then(Value::as_array).expect("there are messages");
        assert_eq!(messages[messages.len() - 3..], [call.clone(), call.clone(), call]);
    }
}

/// The positions of `cache_control` in a body, as paths.
fn breakpoints(body: &Value, path: &str, found: &mut Vec<String>) {
    if body.get("cache_control").is_some() {
        found.push(path.to_owned());
    }
    match body {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, value)| breakpoints(value, &format!("{path}/{name}"), found)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, item)| breakpoints(item, &format!("{path}/{index}"), found)),
        _ => {}
    }
}

#[test]
fn breakpoints_follow_stable_parts() {
    let check = |request: &ModelRequest, expected: &[&str]| {
        let mut found = Vec::new();
        breakpoints(&body(WireFormat::Anthropic, request), "", &mut found);
        found.sort();
        assert_eq!(found, expected);
    };
    let mut request = conversation();
    let [tools, catalog] = ["/tools/2", "/system/1"];
    check(&request, &["/messages/4/content/0", catalog, "/system/2", tools]);
    request.instructions.pop();
    check(&request, &["/messages/4/content/0", catalog, tools]);
    request.messages.push(Message::Verbatim { message: json!({ "role": "user", "content": "x" }) });
    check(&request, &[catalog, tools]);
    request.instructions.clear();
    check(&request, &[tools]);
}

/// A load changes the request behind the stable part only.
#[test]
fn load_keeps_the_prefix() {
    let prefix = |request: &ModelRequest| {
        let body = body(WireFormat::Anthropic, request);
        (body["tools"].clone(), body["system"][0].clone(), body["system"][1].clone())
    };
    let before = conversation();
    let mut after = conversation();
    after.instructions[2].text.push_str("more");
    assert_eq!(prefix(&before), prefix(&after));
}
