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

#[test]
fn tools_are_listed_without_a_name() {
    let tree = super::tree();
    let listed = crate::run(tree.path(), &["call", "--format", "json"]).json();
    let tools = listed["tools"].as_array().expect("a list");
    let names: Vec<_> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.contains(&"skills_load") && names.contains(&"skills_read"), "{names:?}");
    let text = crate::run(tree.path(), &["call"]);
    assert!(text.text().starts_with("skills_load "), "{}", text.stdout);
    let unknown = crate::run(tree.path(), &["call", "nosuch"]);
    assert!(
        unknown.stderr.contains("`prowess call` without a name lists the tools"),
        "{unknown:?}"
    );
    let explain = crate::run(tree.path(), &["call", "--explain"]);
    assert_eq!(explain.code, Some(2), "there is nothing to explain without a tool");
}
