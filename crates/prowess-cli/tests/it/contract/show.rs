//! `prowess show`.

use expect_test::expect;

use super::check;

#[test]
fn show() {
    check(
        &["show", "pdf"],
        0,
        &expect![[r##"
        {
          "record": {
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
          "digest": "sha256:3e50621a42d1ec88dd3ff747cafac574a5b487dd84fa0757a9a1a4e38f317435",
          "properties": {
            "name": "pdf",
            "description": "Fills forms. Use when the user has a PDF.",
            "metadata": {
              "tags": "forms, pdf"
            }
          },
          "resources": [
            {
              "path": "references/fields.md",
              "bytes": 23
            }
          ],
          "is_complete": true,
          "body": "# Forms\n\nRead `references/fields.md` first.\n"
        }
    "##]],
    );
}
