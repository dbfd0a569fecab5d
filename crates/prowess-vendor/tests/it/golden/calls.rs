//! The calls of each format.

use expect_test::expect;
use prowess_vendor::WireFormat;

use super::check;

#[test]
fn calls() {
    let call = prowess_core::ToolCall::new("read", serde_json::json!({ "path": "a.md" }));
    let sent: Vec<_> = WireFormat::ALL.iter().map(|format| format.call("call-1", &call)).collect();
    check(
        &sent.into(),
        &expect![[r#"
            [
              {
                "role": "assistant",
                "content": null,
                "tool_calls": [
                  {
                    "id": "call-1",
                    "type": "function",
                    "function": {
                      "name": "read",
                      "arguments": "{\"path\":\"a.md\"}"
                    }
                  }
                ]
              },
              {
                "type": "function_call",
                "call_id": "call-1",
                "name": "read",
                "arguments": "{\"path\":\"a.md\"}"
              },
              {
                "role": "assistant",
                "content": [
                  {
                    "type": "tool_use",
                    "id": "call-1",
                    "name": "read",
                    "input": {
                      "path": "a.md"
                    }
                  }
                ]
              },
              {
                "role": "model",
                "parts": [
                  {
                    "functionCall": {
                      "name": "read",
                      "args": {
                        "path": "a.md"
                      },
                      "id": "call-1"
                    }
                  }
                ]
              },
              {
                "jsonrpc": "2.0",
                "id": "call-1",
                "method": "tools/call",
                "params": {
                  "name": "read",
                  "arguments": {
                    "path": "a.md"
                  }
                }
              }
            ]"#]],
    );
}
