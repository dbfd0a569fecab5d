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
              "total": 2
            }
        "#]],
    );
}
