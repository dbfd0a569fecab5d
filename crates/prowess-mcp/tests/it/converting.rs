//! Tool results as a client receives them.

use std::sync::Arc;

use prowess::{Code, Content, ToolResult};
use prowess_testkit::TestTool;
use rmcp::model::ErrorCode;
use rmcp::service::ServiceError;
use serde_json::{Value, json};

use crate::{block_on, call, connect, embedded, greet};

/// A tool that returns the same result for each call.
fn fixed(answer: ToolResult) -> Arc<TestTool> {
    Arc::new(TestTool::new("test.fixed", "Answers.", move |_, _| answer.clone()))
}

/// Returns what a client receives, without the duration, which each result has.
fn convert(answer: ToolResult) -> Value {
    let mut result = block_on(async {
        let client = connect(fixed(answer)).await;
        client.call_tool(call("test_fixed", &json!({}))).await.expect("an answer")
    });
    let mut meta = result.meta.take().expect("each result has a duration");
    let duration = meta.0.shift_remove("prowess/duration_ms");
    assert!(duration.is_some_and(|milliseconds| milliseconds.is_u64()));
    result.meta = (!meta.0.is_empty()).then_some(meta);
    serde_json::to_value(result).expect("a result is JSON")
}

#[test]
fn texts_and_data_are_sent_as_text() {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let data = ToolResult::data(json!({ "n": 1 }));
    let mut beside = data.clone();
    beside.content.push(Content::Text { text: "a part of its own".into() });
    let shown = "{\n  \"n\": 1\n}";
    let error = ToolResult::error(Code::new("path-escape"), "it leaves the package");
    for (answer, expected) in [
        (ToolResult::text("done"), json!({ "content": [text("done")], "isError": false })),
        (
            data,
            json!({
                "content": [text(shown)], "structuredContent": { "n": 1 }, "isError": false,
            }),
        ),
        // Many clients show the model `structuredContent` instead of `content`, and some the first
        // part alone, so nothing may hide the second part.
        (
            beside,
            json!({ "content": [text(&format!("{shown}\n\na part of its own"))], "isError": false }),
        ),
        (
            error,
            json!({
                "content": [text("it leaves the package")],
                "isError": true,
                "_meta": {
                    "prowess/code": "path-escape",
                    "prowess/error": "[SKILL_ERROR] it leaves the package (code=path-escape)",
                },
            }),
        ),
    ] {
        assert_eq!(convert(answer), expected);
    }
}

#[test]
fn skill_tools_send_no_structured_content() {
    block_on(async {
        let client = greet(embedded()).await;
        for (tool, arguments) in [
            ("skills_load", json!({ "names": ["skill-writing"] })),
            ("skills_read", json!({ "skill": "skill-writing", "path": "SKILL.md" })),
            ("skills_unload", json!({ "all": true })),
            ("skills_load", json!({ "names": ["nothing"] })),
        ] {
            let result = client.call_tool(call(tool, &arguments)).await.expect("an answer");
            assert!(result.structured_content.is_none(), "{tool} {arguments}: {result:?}");
        }
    });
}

#[test]
fn images_and_sounds_have_types_of_their_own() {
    let blob = |mime_type: &str, uri: Option<&str>| Content::Blob {
        mime_type: mime_type.into(),
        data: "AAE=".into(),
        uri: uri.map(Into::into),
    };
    let content = vec![
        blob("image/png", None),
        blob("audio/wav", None),
        blob("application/pdf", Some("skill://pdf/assets/form.pdf")),
        blob("application/zip", None),
    ];
    let answer = ToolResult { content, ..ToolResult::text("") };
    let resource = |uri: &str, mime_type: &str| {
        let resource = json!({ "uri": uri, "mimeType": mime_type, "blob": "AAE=" });
        json!({ "type": "resource", "resource": resource })
    };
    let expected = json!([
        { "type": "image", "data": "AAE=", "mimeType": "image/png" },
        { "type": "audio", "data": "AAE=", "mimeType": "audio/wav" },
        resource("skill://pdf/assets/form.pdf", "application/pdf"),
        resource("skill-tool:/blob/3", "application/zip"),
    ]);
    assert_eq!(convert(answer)["content"], expected);
}

#[test]
fn unknown_tool_is_an_error_of_the_protocol() {
    block_on(async {
        let client = connect(fixed(ToolResult::text("done"))).await;
        let error = client.call_tool(call("test_fixde", &json!({}))).await.expect_err("no tool");
        let ServiceError::McpError(error) = error else { panic!("{error}") };
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
        assert_eq!(error.message, "no tool named `test_fixde`; did you mean `test_fixed`?");
        assert_eq!(
            error.data,
            Some(json!({ "code": "unknown-tool", "prowess/code": "unknown-tool" }))
        );
    });
}
