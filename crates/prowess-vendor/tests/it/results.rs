//! The tools, calls and results of each format. The tools of the formats with model calls are in
//! the files of whole requests.

use prowess_core::ToolCall;
use prowess_vendor::WireFormat;
use serde_json::{Value, json};

use crate::fixture::{answer, definitions, received, refusal};

#[test]
fn tools_of_mcp_have_their_schemas() {
    let expected: Value = definitions()
        .into_iter()
        .map(|tool| {
            let (name, description, schema) = (tool.name, tool.description, tool.input_schema);
            json!({ "name": name, "description": description, "inputSchema": schema })
        })
        .collect();
    assert_eq!(WireFormat::Mcp.definitions(&definitions()), expected);
}

#[test]
fn calls_are_messages_of_a_model() {
    let call = ToolCall::new("read", json!({ "path": "a.md" }));
    let arguments = r#"{"path":"a.md"}"#;
    let function = json!({ "name": "read", "arguments": arguments });
    let chat = json!({ "id": "call-1", "type": "function", "function": function });
    let input = json!({ "path": "a.md" });
    let tool_use = json!({ "type": "tool_use", "id": "call-1", "name": "read", "input": input });
    let function_call = json!({ "name": "read", "args": input, "id": "call-1" });
    let params = json!({ "name": "read", "arguments": input });
    for (format, expected) in [
        (
            WireFormat::OpenAiChat,
            json!({ "role": "assistant", "content": null, "tool_calls": [chat] }),
        ),
        (
            WireFormat::OpenAiResponses,
            json!({
                "type": "function_call", "call_id": "call-1", "name": "read",
                "arguments": arguments,
            }),
        ),
        (WireFormat::Anthropic, json!({ "role": "assistant", "content": [tool_use] })),
        (
            WireFormat::Gemini,
            json!({ "role": "model", "parts": [{ "functionCall": function_call }] }),
        ),
        (
            WireFormat::Mcp,
            json!({ "jsonrpc": "2.0", "id": "call-1", "method": "tools/call", "params": params }),
        ),
    ] {
        assert_eq!(format.call("call-1", &call), expected, "{format:?}");
    }
}

/// Checks an answer with an image and an archive, and a refusal.
#[track_caller]
fn check(format: WireFormat, answered: &Value, refused: &Value) {
    let received = received(format);
    assert_eq!(format.result(&received, &answer()), *answered, "{format:?}");
    assert_eq!(format.result(&received, &refusal()), *refused, "{format:?}");
}

const ARCHIVE: &str =
    "[4 bytes of application/zip at skill://pdf/assets/a.zip; they are with the host]";
const IMAGE: &str = "[4 bytes of image/png at skill://pdf/assets/dot.png; they are with the host]";

#[test]
fn openai_chat_has_text_alone() {
    let result = |text: &str| json!({ "role": "tool", "tool_call_id": "call-1", "content": text });
    let answered = result(&format!("Done.\n{IMAGE}\n{ARCHIVE}"));
    check(WireFormat::OpenAiChat, &answered, &result("load it first"));
}

#[test]
fn openai_responses_has_parts_for_images() {
    let result = |output: Value| json!({ "type": "function_call_output", "call_id": "call-1", "output": output });
    let answered = result(json!([
        { "type": "input_text", "text": "Done." },
        { "type": "input_image", "image_url": "data:image/png;base64,iVBORw==" },
        { "type": "input_text", "text": ARCHIVE },
    ]));
    check(WireFormat::OpenAiResponses, &answered, &result("load it first".into()));
}

#[test]
fn anthropic_marks_errors() {
    let source = json!({ "type": "base64", "media_type": "image/png", "data": "iVBORw==" });
    let answered = json!({
        "type": "tool_result", "tool_use_id": "call-1",
        "content": [
            { "type": "text", "text": "Done." },
            { "type": "image", "source": source },
            { "type": "text", "text": ARCHIVE },
        ],
    });
    let refused = json!({
        "type": "tool_result", "tool_use_id": "call-1", "is_error": true,
        "content": [{ "type": "text", "text": "load it first" }],
    });
    check(WireFormat::Anthropic, &answered, &refused);
}

#[test]
fn gemini_has_output_or_error() {
    let result = |response: Value| json!({ "functionResponse": { "name": "read", "id": "call-1", "response": response } });
    let answered = result(json!({ "output": format!("Done.\n{IMAGE}\n{ARCHIVE}") }));
    check(WireFormat::Gemini, &answered, &result(json!({ "error": "load it first" })));
}

#[test]
fn mcp_has_resources_and_codes() {
    let resource = json!({
        "uri": "skill://pdf/assets/a.zip", "mimeType": "application/zip", "blob": "iVBORw==",
    });
    let answered = json!({ "jsonrpc": "2.0", "id": "call-1", "result": {
        "content": [
            { "type": "text", "text": "Done." },
            { "type": "image", "data": "iVBORw==", "mimeType": "image/png" },
            { "type": "resource", "resource": resource },
        ],
        "isError": false,
    } });
    let refused = json!({ "jsonrpc": "2.0", "id": "call-1", "result": {
        "content": [{ "type": "text", "text": "load it first" }],
        "isError": true,
        "_meta": { "prowess/code": "skill-not-active" },
    } });
    check(WireFormat::Mcp, &answered, &refused);
}
