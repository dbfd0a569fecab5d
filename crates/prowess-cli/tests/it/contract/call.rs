//! `prowess call`.

use expect_test::expect;

use super::check;

#[test]
fn a_call() {
    let args = ["call", "skills_read", "{\"path\":\"references/fields.md\"}", "--load", "pdf"];
    check(
        &args,
        0,
        &expect![[r#"
        {
          "tool": "skills.read",
          "is_error": false,
          "code": null,
          "content": [
            {
              "type": "text",
              "text": "Each field has a name.\n"
            }
          ],
          "duration_ms": 0
        }
    "#]],
    );
}

#[test]
fn a_refused_call() {
    check(
        &["call", "skills_read", "{\"path\":\"../x\"}", "--load", "pdf"],
        1,
        &expect![[r#"
        {
          "tool": "skills.read",
          "is_error": true,
          "code": "path-escape",
          "content": [
            {
              "type": "text",
              "text": "`../x` leaves the package; name a file relative to the skill's directory"
            }
          ],
          "duration_ms": 0
        }
    "#]],
    );
}
