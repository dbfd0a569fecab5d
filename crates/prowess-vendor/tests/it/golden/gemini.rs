//! The messages of Gemini.

use expect_test::expect;
use prowess_vendor::WireFormat;

use super::check_format;

#[test]
fn gemini() {
    check_format(
        WireFormat::Gemini,
        [
            expect![[r#"
        [
          {
            "functionDeclarations": [
              {
                "name": "read",
                "description": "Does read.",
                "parameters": {
                  "type": "OBJECT",
                  "properties": {
                    "path": {
                      "type": "STRING",
                      "description": "The file"
                    },
                    "mode": {
                      "type": "STRING",
                      "enum": [
                        "text",
                        "bytes"
                      ]
                    },
                    "lines": {
                      "type": "OBJECT",
                      "properties": {
                        "from": {
                          "type": "INTEGER",
                          "minimum": 1
                        }
                      }
                    },
                    "tags": {
                      "type": "ARRAY",
                      "items": {
                        "type": "STRING"
                      }
                    }
                  },
                  "required": [
                    "path"
                  ]
                }
              },
              {
                "name": "run",
                "description": "Does run.",
                "parameters": {
                  "type": "OBJECT",
                  "properties": {
                    "env": {
                      "type": "OBJECT"
                    }
                  },
                  "required": [
                    "env"
                  ]
                }
              },
              {
                "name": "now",
                "description": "Does now."
              }
            ]
          }
        ]"#]],
            expect![[r#"
        {
          "functionResponse": {
            "name": "read",
            "response": {
              "output": "Done.\n[4 bytes of image/png at skill://pdf/assets/dot.png; they are with the host]\n[4 bytes of application/zip at skill://pdf/assets/a.zip; they are with the host]"
            },
            "id": "call-1"
          }
        }"#]],
            expect![[r#"
        {
          "functionResponse": {
            "name": "read",
            "response": {
              "error": "load it first"
            },
            "id": "call-1"
          }
        }"#]],
        ],
    );
}
