//! The messages of Anthropic.

use expect_test::expect;
use prowess_vendor::WireFormat;

use super::check_format;

#[test]
fn anthropic() {
    check_format(
        WireFormat::Anthropic,
        [
            expect![[r#"
        [
          {
            "name": "read",
            "description": "Does read.",
            "input_schema": {
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
            "input_schema": {
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
            "input_schema": {
              "type": "object"
            }
          }
        ]"#]],
            expect![[r#"
        {
          "type": "tool_result",
          "tool_use_id": "call-1",
          "content": [
            {
              "type": "text",
              "text": "Done."
            },
            {
              "type": "image",
              "source": {
                "type": "base64",
                "media_type": "image/png",
                "data": "iVBORw=="
              }
            },
            {
              "type": "text",
              "text": "[4 bytes of application/zip at skill://pdf/assets/a.zip; they are with the host]"
            }
          ]
        }"#]],
            expect![[r#"
        {
          "type": "tool_result",
          "tool_use_id": "call-1",
          "content": [
            {
              "type": "text",
              "text": "load it first"
            }
          ],
          "is_error": true
        }"#]],
        ],
    );
}
