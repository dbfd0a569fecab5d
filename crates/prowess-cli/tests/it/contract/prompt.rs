//! `prowess prompt`.

use expect_test::expect;

use super::check;

#[test]
fn prompt() {
    check(
        &["prompt", "--load", "pdf"],
        0,
        &expect![[r#"
            {
              "text": "Skills hold instructions for specific tasks. When a task matches a skill's description, call `skills_load` with the skill's name: loading is required before you use a skill's instructions, resources or scripts.\n\n<available_skills>\n<skill>\n<name>pdf</name>\n<description>Fills forms. Use when the user has a PDF.</description>\n<location>$ROOT/pdf/SKILL.md</location>\n</skill>\n<skill>\n<name>sheets</name>\n<description>Makes tables.</description>\n<location>$ROOT/tables/SKILL.md</location>\n</skill>\n</available_skills>\n\nThese skills are loaded: follow their instructions. Where two conflict, the later one takes precedence. Paths in a skill are relative to its `directory`.\n<active_skills>\n<skill_content-BOUNDARY name=\"pdf\" directory=\"$ROOT/pdf\">\n# Forms\n\nRead `references/fields.md` first.\n</skill_content-BOUNDARY>\n</active_skills>\n",
              "ledger": {
                "entries": [
                  {
                    "part": "rule",
                    "tokens": 53,
                    "characters": 212
                  },
                  {
                    "part": "catalog",
                    "tokens": 81,
                    "characters": 323
                  },
                  {
                    "part": "active_frame",
                    "tokens": 48,
                    "characters": 188
                  },
                  {
                    "part": "active_skill",
                    "id": "pdf",
                    "tokens": 39,
                    "characters": 154
                  }
                ],
                "tokens": 221,
                "characters": 877,
                "is_exact": false,
                "changes": []
              },
              "shown": [
                "pdf",
                "sheets"
              ],
              "total": 2,
              "is_cut": false,
              "levels": [
                {
                  "id": "pdf",
                  "catalog": 39,
                  "instructions": 39,
                  "resources": []
                },
                {
                  "id": "sheets",
                  "catalog": 33,
                  "instructions": 0,
                  "resources": []
                }
              ]
            }
        "#]],
    );
}

#[cfg(feature = "vendor")]
#[test]
fn request_body() {
    let arguments = [
        "prompt",
        "--load",
        "pdf",
        "--vendor",
        "anthropic",
        "--rules",
        "Be kind.",
        "--message",
        "Hi",
    ];
    check(
        &arguments,
        0,
        &expect![[r#"
        {
          "max_tokens": 4096,
          "tools": [
            {
              "name": "skills_load",
              "description": "Load one or more skills. A skill is a set of instructions for one kind of task. When the task at hand matches a skill's description, load the skill before you do anything else, and before you read any of its files. The result confirms what is active; the instructions themselves are there from your next turn on.",
              "input_schema": {
                "type": "object",
                "properties": {
                  "names": {
                    "type": "array",
                    "items": {
                      "anyOf": [
                        {
                          "type": "string",
                          "enum": [
                            "pdf",
                            "sheets"
                          ]
                        },
                        {
                          "type": "string"
                        }
                      ]
                    },
                    "minItems": 1,
                    "description": "The names of the skills to load, from the list of skills"
                  },
                  "mode": {
                    "type": "string",
                    "enum": [
                      "replace",
                      "add"
                    ],
                    "default": "replace",
                    "description": "`replace`: the skills that are active now give way. `add`: they stay active"
                  }
                },
                "required": [
                  "names"
                ],
                "additionalProperties": false
              }
            },
            {
              "name": "skills_unload",
              "description": "Unload skills whose instructions you no longer need. Do this when a task is finished, so that old instructions do not stand in the way of the next one. Name the skills, or unload all of them. A skill that is not active is no error.",
              "input_schema": {
                "type": "object",
                "properties": {
                  "names": {
                    "type": "array",
                    "items": {
                      "type": "string"
                    },
                    "description": "The names of the skills to unload"
                  },
                  "all": {
                    "type": "boolean",
                    "description": "True to unload every active skill"
                  }
                },
                "additionalProperties": false
              }
            },
            {
              "name": "skills_read",
              "description": "Read a file that belongs to a skill, such as a reference, a template or an image. Paths are relative to the skill's directory, as the skill's instructions write them: `references/guide.md`. Read a file when the instructions point to it, not before. Text comes as text, anything else as base64.",
              "input_schema": {
                "type": "object",
                "properties": {
                  "skill": {
                    "type": "string",
                    "description": "The skill that the file belongs to; by default the one loaded last"
                  },
                  "path": {
                    "type": "string",
                    "description": "The file's path, relative to the skill's directory"
                  },
                  "lines": {
                    "type": "object",
                    "properties": {
                      "from": {
                        "type": "integer",
                        "description": "The first line, from 1"
                      },
                      "to": {
                        "type": "integer",
                        "description": "The last line"
                      }
                    },
                    "additionalProperties": false,
                    "description": "The lines of a text to read; by default all, or as many as fit"
                  }
                },
                "required": [
                  "path"
                ],
                "additionalProperties": false
              },
              "cache_control": {
                "type": "ephemeral"
              }
            }
          ],
          "system": [
            {
              "type": "text",
              "text": "Be kind."
            },
            {
              "type": "text",
              "text": "Skills hold instructions for specific tasks. When a task matches a skill's description, call `skills_load` with the skill's name: loading is required before you use a skill's instructions, resources or scripts.\n\n<available_skills>\n<skill>\n<name>pdf</name>\n<description>Fills forms. Use when the user has a PDF.</description>\n<location>$ROOT/pdf/SKILL.md</location>\n</skill>\n<skill>\n<name>sheets</name>\n<description>Makes tables.</description>\n<location>$ROOT/tables/SKILL.md</location>\n</skill>\n</available_skills>",
              "cache_control": {
                "type": "ephemeral"
              }
            },
            {
              "type": "text",
              "text": "These skills are loaded: follow their instructions. Where two conflict, the later one takes precedence. Paths in a skill are relative to its `directory`.\n<active_skills>\n<skill_content-BOUNDARY name=\"pdf\" directory=\"$ROOT/pdf\">\n# Forms\n\nRead `references/fields.md` first.\n</skill_content-BOUNDARY>\n</active_skills>",
              "cache_control": {
                "type": "ephemeral"
              }
            }
          ],
          "messages": [
            {
              "role": "user",
              "content": [
                {
                  "type": "text",
                  "text": "Hi",
                  "cache_control": {
                    "type": "ephemeral"
                  }
                }
              ]
            }
          ]
        }
    "#]],
    );
}
