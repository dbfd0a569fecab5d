//! The messages of MCP.

use expect_test::expect;
use prowess_vendor::WireFormat;

use super::check_format;

#[test]
fn mcp() {
    check_format(
        WireFormat::Mcp,
        [
            expect![[r#"
        [
          {
            "name": "read",
            "description": "Does read.",
            "inputSchema": {
              "type": "object",
              "properties": {
                "path": {
                  "type": "string",
                  "description": "The file"
                },
                "mode": {
                  "type": "string",
                  "enum": [
                    "text",
                    "bytes"
                  ],
                  "default": "text"
                },
                "lines": {
                  "type": "object",
                  "properties": {
                    "from": {
                      "type": "integer",
                      "minimum": 1
                    }
                  },
                  "additionalProperties": false
                },
                "tags": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  }
                }
              },
              "required": [
                "path"
              ],
              "additionalProperties": false
            }
          },
          {
            "name": "run",
            "description": "Does run.",
            "inputSchema": {
              "type": "object",
              "properties": {
                "env": {
                  "type": "object"
                }
              },
              "required": [
                "env"
              ]
            }
          },
          {
            "name": "now",
            "description": "Does now.",
            "inputSchema": {
              "type": "object"
            }
          }
        ]"#]],
            expect![[r#"
        {
          "jsonrpc": "2.0",
          "id": "call-1",
          "result": {
            "content": [
              {
                "type": "text",
                "text": "Done."
              },
              {
                "type": "image",
                "data": "iVBORw==",
                "mimeType": "image/png"
              },
              {
                "type": "resource",
                "resource": {
                  "uri": "skill://pdf/assets/a.zip",
                  "mimeType": "application/zip",
                  "blob": "iVBORw=="
                }
              }
            ],
            "isError": false
          }
        }"#]],
            expect![[r#"
        {
          "jsonrpc": "2.0",
          "id": "call-1",
          "result": {
            "content": [
              {
                "type": "text",
                "text": "load it first"
              }
            ],
            "isError": true,
            "_meta": {
              "prowess/code": "skill-not-active"
            }
          }
        }"#]],
        ],
    );
}
