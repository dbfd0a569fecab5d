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

/// The rules of the body are those of the vendors' crate; the command fills its places.
#[cfg(feature = "vendor")]
#[test]
fn request_body() {
    let arguments = ["prompt", "--load", "pdf", "--vendor", "anthropic", "--rules", "Be kind."];
    let tree = super::tree();
    let ran = crate::run(tree.path(), &[&arguments[..], &["--message", "Hi"]].concat());
    let body: serde_json::Value = serde_json::from_str(&ran.stdout).expect("it is JSON");
    let tools = body["tools"].as_array().expect("tools are a list").iter();
    let tools: Vec<_> = tools.map(|tool| tool["name"].as_str().unwrap_or_default()).collect();
    assert_eq!(tools, ["skills_load", "skills_unload", "skills_read"]);
    let system = |at: usize| body["system"][at]["text"].as_str().unwrap_or_default();
    assert_eq!(system(0), "Be kind.");
    assert!(system(1).contains("<name>pdf</name>") && system(2).contains("# Forms"), "{body:#}");
    assert_eq!(body["messages"][0]["content"][0]["text"], "Hi", "{body:#}");
    assert!(ran.stderr.contains("add `--model`"), "what is missing is named: {}", ran.stderr);
}
