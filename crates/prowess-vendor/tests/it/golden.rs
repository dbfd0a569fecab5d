//! The messages of each format.

use expect_test::{Expect, expect};
use prowess_vendor::WireFormat;
use serde_json::Value;

use crate::fixture::{answer, definitions, received, refusal};

fn check(found: &Value, expected: &Expect) {
    expected.assert_eq(&serde_json::to_string_pretty(found).expect("it is data"));
}

#[track_caller]
fn check_format(format: WireFormat, expected: [Expect; 3]) {
    let [tools, answered, refused] = expected;
    check(&format.definitions(&definitions()), &tools);
    let received = received(format);
    check(&format.result(&received, &answer()), &answered);
    check(&format.result(&received, &refusal()), &refused);
}

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
