//! The definitions of tools for a model.

use std::sync::Arc;

use expect_test::expect;
use prowess_core::{BodyDelivery, Catalog, DeliveryPolicy, MemorySource};
use prowess_tools::ToolPolicy;
use serde_json::{Value, json};

use crate::fixture::{Host, Setup, catalog_of, skill_md};

fn shown(policy: ToolPolicy, catalog: &Catalog) -> Vec<Value> {
    let host = Host::new(Setup { policy, ..Setup::default() });
    let definitions = host.toolbox.definitions(catalog);
    let value = serde_json::to_value(definitions).expect("definitions are plain data");
    value.as_array().expect("there is one after another").clone()
}

fn catalog_with(count: usize) -> Arc<Catalog> {
    let mut builder = MemorySource::builder("many");
    for at in 0..count {
        let name = format!("skill-{at:04}");
        builder = builder.file(&format!("{name}/SKILL.md"), skill_md(&name, "Body"));
    }
    catalog_of(Arc::new(builder.build().expect("the fixture's paths are paths")), 1)
}

#[test]
fn the_three_tools_as_a_model_sees_them() {
    let host = Host::new(Setup::default());
    let definitions = host.toolbox.definitions(&host.catalog);
    let shown = serde_json::to_string_pretty(&definitions).expect("definitions are plain data");
    let expected = expect![[r#"
        [
          {
            "name": "skills_load",
            "description": "Load one or more skills. A skill is a set of instructions for one kind of task. When the task at hand matches a skill's description, load the skill before you do anything else, and before you read any of its files. The result confirms what is active; the instructions themselves are there from your next turn on.",
            "input_schema": {
              "type": "object",
              "properties": {
                "names": {
                  "type": "array",
                  "items": {
                    "type": "string",
                    "enum": [
                      "alpha",
                      "beta",
                      "pdf-processing"
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
            }
          }
        ]"#]];
    expected.assert_eq(&shown);
}

#[test]
fn no_signature_has_a_session_in_it() {
    let host = Host::new(Setup::default());
    for definition in host.toolbox.definitions(&host.catalog) {
        let schema = definition.input_schema.to_string();
        assert!(!schema.contains("session"), "the host binds the session: {schema}");
    }
}

#[test]
fn without_a_visible_skill_no_tool_is_shown() {
    assert!(shown(ToolPolicy::default(), &Catalog::empty()).is_empty());
}

#[test]
fn ids_are_listed_while_they_are_few() {
    let policy = || ToolPolicy { ids_in_schema: 3, ..ToolPolicy::default() };
    let items = |count| {
        let load = shown(policy(), &catalog_with(count)).remove(0);
        load["input_schema"]["properties"]["names"]["items"].clone()
    };
    let listed = json!({ "type": "string", "enum": ["skill-0000", "skill-0001", "skill-0002"] });
    assert_eq!(items(3), listed);
    assert_eq!(items(4), json!({ "type": "string" }), "with more, any text is taken");
}

#[test]
fn the_description_says_where_the_instructions_will_be() {
    let description = |bodies| {
        let delivery = DeliveryPolicy { bodies, ..DeliveryPolicy::default() };
        let host = Host::new(Setup { delivery, ..Setup::default() });
        host.toolbox.definitions(&catalog_with(1)).remove(0).description
    };
    assert!(description(BodyDelivery::Instructions).ends_with("from your next turn on."));
    assert!(description(BodyDelivery::ToolResult).ends_with("The result holds the instructions."));
}

#[test]
fn every_description_says_when_to_use_the_tool() {
    for definition in shown(ToolPolicy::default(), &catalog_with(1)) {
        let description = definition["description"].as_str().expect("a description is text");
        let is_advice = [" when ", "When "].iter().any(|word| description.contains(word));
        assert!(is_advice, "it says when: {description}");
    }
}
