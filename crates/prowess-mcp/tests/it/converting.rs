//! Tool results as a client receives them.

use std::sync::Arc;

use expect_test::{Expect, expect};
use prowess::{Code, Content, Runtime, ToolResult};
use prowess_testkit::TestTool;
use rmcp::model::{CallToolResult, ErrorCode};
use rmcp::service::ServiceError;
use serde_json::json;

use crate::{block_on, call, connect, greet};

/// A tool that returns the same result for each call.
fn fixed(answer: ToolResult) -> Arc<TestTool> {
    Arc::new(TestTool::new("test.fixed", "Answers.", move |_, _| answer.clone()))
}

/// Returns what a client receives, without the duration, which each result has.
fn convert(answer: ToolResult) -> CallToolResult {
    let mut result = block_on(async {
        let client = connect(fixed(answer)).await;
        client.call_tool(call("test_fixed", &json!({}))).await.expect("an answer")
    });
    let mut meta = result.meta.take().expect("each result has a duration");
    let duration = meta.0.shift_remove("prowess/duration_ms");
    assert!(duration.is_some_and(|milliseconds| milliseconds.is_u64()));
    result.meta = (!meta.0.is_empty()).then_some(meta);
    result
}

#[track_caller]
fn check(answer: ToolResult, expected: &Expect) {
    expected.assert_eq(&format!("{:#}\n", serde_json::to_value(convert(answer)).unwrap()));
}

#[test]
fn text_is_sent_as_text() {
    check(
        ToolResult::text("done"),
        &expect![[r#"
        {
          "content": [
            {
              "type": "text",
              "text": "done"
            }
          ],
          "isError": false
        }
    "#]],
    );
}

#[test]
fn data_is_sent_as_text_and_structured() {
    check(
        ToolResult::data(json!({ "n": 1 })),
        &expect![[r#"
        {
          "content": [
            {
              "type": "text",
              "text": "{\n  \"n\": 1\n}"
            }
          ],
          "structuredContent": {
            "n": 1
          },
          "isError": false
        }
    "#]],
    );
}

/// Many clients show the model `structuredContent` instead of `content`.
#[test]
fn data_beside_other_parts_is_not_structured() {
    let mut result = ToolResult::data(json!({ "n": 1 }));
    result.content.push(Content::Text { text: "a part of its own".into() });
    let sent = convert(result);
    assert!(sent.structured_content.is_none(), "nothing may hide the second part: {sent:?}");
    assert_eq!(sent.content.len(), 2);
}

#[test]
fn skill_tools_send_no_structured_content() {
    block_on(async {
        let builder = Runtime::builder().policies(prowess_mcp::policies()).default_skills();
        let client = greet(Arc::new(builder.build().expect("the runtime is complete"))).await;
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
fn error_code_is_sent_in_meta() {
    let code = Code::new("path-escape");
    check(
        ToolResult::error(code, "it leaves the package"),
        &expect![[r#"
        {
          "content": [
            {
              "type": "text",
              "text": "it leaves the package"
            }
          ],
          "isError": true,
          "_meta": {
            "prowess/code": "path-escape"
          }
        }
    "#]],
    );
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
    check(
        answer,
        &expect![[r#"
        {
          "content": [
            {
              "type": "image",
              "data": "AAE=",
              "mimeType": "image/png"
            },
            {
              "type": "audio",
              "data": "AAE=",
              "mimeType": "audio/wav"
            },
            {
              "type": "resource",
              "resource": {
                "uri": "skill://pdf/assets/form.pdf",
                "mimeType": "application/pdf",
                "blob": "AAE="
              }
            },
            {
              "type": "resource",
              "resource": {
                "uri": "skill-tool:/blob/3",
                "mimeType": "application/zip",
                "blob": "AAE="
              }
            }
          ],
          "isError": false
        }
    "#]],
    );
}

#[test]
fn unknown_tool_is_an_error_of_the_protocol() {
    block_on(async {
        let client = connect(fixed(ToolResult::text("done"))).await;
        let error = client.call_tool(call("test_fixde", &json!({}))).await.expect_err("no tool");
        let ServiceError::McpError(error) = error else { panic!("{error}") };
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
        assert_eq!(error.message, "no tool named `test_fixde`; did you mean `test_fixed`?");
        assert_eq!(error.data, Some(json!({ "code": "unknown-tool" })));
    });
}
