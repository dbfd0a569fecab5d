//! `prowess explain`.

use expect_test::expect;

use super::check;

#[test]
fn explain_a_skill_that_shadows_another() {
    check(
        &["explain", "pdf"],
        0,
        &expect![[r#"
            {
              "query": "pdf",
              "records": [
                {
                  "id": "pdf",
                  "name": "pdf",
                  "description": "Fills forms. Use when the user has a PDF.",
                  "location": "$ROOT/pdf/SKILL.md",
                  "layer": "user",
                  "source": "filesystem",
                  "trust": "trusted",
                  "tags": [
                    "forms",
                    "pdf"
                  ],
                  "tokens": 12,
                  "state": "visible"
                },
                {
                  "id": "pdf",
                  "name": "pdf",
                  "description": "Another.",
                  "location": "$ROOT/zpdf/SKILL.md",
                  "layer": "user",
                  "source": "filesystem",
                  "trust": "trusted",
                  "tags": [],
                  "tokens": 3,
                  "state": "shadowed",
                  "reason": "`$ROOT/pdf/SKILL.md` of layer `user` is used instead"
                }
              ],
              "decisions": [
                {
                  "step": "find",
                  "outcome": "found",
                  "reason": "$ROOT/pdf/SKILL.md in source `filesystem` of layer `user` (trusted)"
                },
                {
                  "step": "ready",
                  "outcome": "ready",
                  "reason": "its requirements are met"
                },
                {
                  "step": "place",
                  "outcome": "visible",
                  "reason": "no other `pdf` takes precedence"
                },
                {
                  "step": "prompt",
                  "outcome": "shown",
                  "reason": "with its name and description"
                },
                {
                  "step": "find",
                  "outcome": "found",
                  "reason": "$ROOT/zpdf/SKILL.md in source `filesystem` of layer `user` (trusted)"
                },
                {
                  "step": "ready",
                  "outcome": "ready",
                  "reason": "its requirements are met"
                },
                {
                  "step": "place",
                  "outcome": "shadowed",
                  "reason": "`$ROOT/pdf/SKILL.md` of layer `user` is used instead"
                },
                {
                  "step": "load",
                  "outcome": "by-id",
                  "reason": "it can be loaded as `user:pdf#2`"
                },
                {
                  "step": "check",
                  "outcome": "noted",
                  "reason": "[skill-shadowed] skill `pdf` is shadowed: `$ROOT/pdf/SKILL.md` of layer `user` is used instead; rename or remove one of the two, or move the one that you want to a higher layer"
                },
                {
                  "step": "check",
                  "outcome": "noted",
                  "reason": "[name-directory-mismatch] the name `pdf` differs from the directory's name `zpdf` (line 2, column 7); rename one of the two"
                }
              ],
              "tokens": 12
            }
        "#]],
    );
}
