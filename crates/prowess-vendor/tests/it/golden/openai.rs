//! The messages of both interfaces of OpenAI.

use expect_test::expect;
use prowess_vendor::WireFormat;

use super::check_format;

#[test]
fn openai_chat() {
    check_format(
        WireFormat::OpenAiChat,
        [
            expect![[r#"
        [
          {
            "type": "function",
            "function": {
              "name": "read",
              "description": "Does read.",
              "strict": true,
              "parameters": {
                "type": "object",
                "properties": {
                  "path": {
                    "type": "string",
                    "description": "The file"
                  },
                  "mode": {
                    "type": [
                      "string",
                      "null"
                    ],
                    "enum": [
                      "text",
                      "bytes",
                      null
                    ]
                  },
                  "lines": {
                    "type": [
                      "object",
                      "null"
                    ],
                    "properties": {
                      "from": {
                        "type": [
                          "integer",
                          "null"
                        ],
                        "minimum": 1
                      }
                    },
                    "required": [
                      "from"
                    ],
                    "additionalProperties": false
                  },
                  "tags": {
                    "type": [
                      "array",
                      "null"
                    ],
                    "items": {
                      "type": "string"
                    }
                  }
                },
                "required": [
                  "path",
                  "mode",
                  "lines",
                  "tags"
                ],
                "additionalProperties": false
              }
            }
          },
          {
            "type": "function",
            "function": {
              "name": "run",
              "description": "Does run.",
              "strict": false,
              "parameters": {
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
            }
          },
          {
            "type": "function",
            "function": {
              "name": "now",
              "description": "Does now.",
              "strict": true,
              "parameters": {
                "type": "object",
                "properties": {},
                "required": [],
                "additionalProperties": false
              }
            }
          }
        ]"#]],
            expect![[r#"
        {
          "role": "tool",
          "tool_call_id": "call-1",
          "content": "Done.\n[4 bytes of image/png at skill://pdf/assets/dot.png; they are with the host]\n[4 bytes of application/zip at skill://pdf/assets/a.zip; they are with the host]"
        }"#]],
            expect![[r#"
        {
          "role": "tool",
          "tool_call_id": "call-1",
          "content": "load it first"
        }"#]],
        ],
    );
}

#[test]
fn openai_responses() {
    check_format(
        WireFormat::OpenAiResponses,
        [
            expect![[r#"
            [
              {
                "type": "function",
                "name": "read",
                "description": "Does read.",
                "strict": true,
                "parameters": {
                  "type": "object",
                  "properties": {
                    "path": {
                      "type": "string",
                      "description": "The file"
                    },
                    "mode": {
                      "type": [
                        "string",
                        "null"
                      ],
                      "enum": [
                        "text",
                        "bytes",
                        null
                      ]
                    },
                    "lines": {
                      "type": [
                        "object",
                        "null"
                      ],
                      "properties": {
                        "from": {
                          "type": [
                            "integer",
                            "null"
                          ],
                          "minimum": 1
                        }
                      },
                      "required": [
                        "from"
                      ],
                      "additionalProperties": false
                    },
                    "tags": {
                      "type": [
                        "array",
                        "null"
                      ],
                      "items": {
                        "type": "string"
                      }
                    }
                  },
                  "required": [
                    "path",
                    "mode",
                    "lines",
                    "tags"
                  ],
                  "additionalProperties": false
                }
              },
              {
                "type": "function",
                "name": "run",
                "description": "Does run.",
                "strict": false,
                "parameters": {
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
                "type": "function",
                "name": "now",
                "description": "Does now.",
                "strict": true,
                "parameters": {
                  "type": "object",
                  "properties": {},
                  "required": [],
                  "additionalProperties": false
                }
              }
            ]"#]],
            expect![[r#"
            {
              "type": "function_call_output",
              "call_id": "call-1",
              "output": [
                {
                  "type": "input_text",
                  "text": "Done."
                },
                {
                  "type": "input_image",
                  "image_url": "data:image/png;base64,iVBORw=="
                },
                {
                  "type": "input_text",
                  "text": "[4 bytes of application/zip at skill://pdf/assets/a.zip; they are with the host]"
                }
              ]
            }"#]],
            expect![[r#"
            {
              "type": "function_call_output",
              "call_id": "call-1",
              "output": "load it first"
            }"#]],
        ],
    );
}
