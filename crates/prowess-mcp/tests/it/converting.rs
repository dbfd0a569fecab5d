//! What a tool answers, as a client reads it.

use std::sync::Arc;

use expect_test::{Expect, expect};
use prowess::{Catalog, Code, Content, Tool, ToolContext, ToolDefinition, ToolResult};
use serde_json::{Value, json};

use crate::{block_on, call, connect};

/// Always gives the same answer.
struct Fixed(ToolResult);

impl Tool for Fixed {
    fn definition(&self, _catalog: &Catalog) -> ToolDefinition {
        let input_schema = json!({ "type": "object" });
        ToolDefinition { name: "test.fixed".into(), description: "Answers.".into(), input_schema }
    }

    fn call(&self, _context: &ToolContext<'_>, _arguments: &Value) -> ToolResult {
        self.0.clone()
    }
}

#[track_caller]
fn check(answer: ToolResult, expected: &Expect) {
    let read = block_on(async {
        let client = connect(Arc::new(Fixed(answer))).await;
        client.call_tool(call("test_fixed", &json!({}))).await.expect("an answer")
    });
    expected.assert_eq(&format!("{:#}\n", serde_json::to_value(&read).unwrap()));
}

#[test]
fn text_is_text() {
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
fn data_is_structured_and_text_too() {
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

#[test]
fn a_refusal_is_a_result_with_its_code() {
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
          "structuredContent": {
            "code": "path-escape"
          },
          "isError": true
        }
    "#]],
    );
}

#[test]
fn an_image_is_an_image_and_other_bytes_are_a_resource() {
    let blob = |mime_type: &str| Content::Blob { mime_type: mime_type.into(), data: "AAE=".into() };
    let content = vec![blob("image/png"), blob("application/pdf")];
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
              "type": "resource",
              "resource": {
                "uri": "skill://resource",
                "mimeType": "application/pdf",
                "blob": "AAE="
              }
            }
          ],
          "isError": false
        }
    "#]],
    );
}
