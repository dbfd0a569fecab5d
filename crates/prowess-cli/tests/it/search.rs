//! `prowess search`.

use expect_test::expect;
use prowess_testkit::Tree;

use crate::program::Ran;
use crate::{run, skill_md};

fn search(args: &[&str]) -> Ran {
    let tree = Tree::new("");
    let forms = "name: pdf-forms\ndescription: Fills in forms. Use when a PDF must be completed.";
    let tagged = format!("{forms}\nmetadata:\n  tags: acrobat");
    tree.write("pdf-forms/SKILL.md", skill_md(&tagged));
    tree.write("sql/SKILL.md", skill_md("name: sql\ndescription: Asks tables."));
    run(tree.path(), &[&["search"], args].concat())
}

/// No match is 1, as for `grep`.
#[test]
fn hits_are_a_document_with_scores() {
    let found = search(&["filling a form", "--format", "json"]);
    assert_eq!(found.code, Some(0));
    let mut document = found.json();
    assert!(document["hits"][0]["score"].is_number(), "a score is a number");
    document["hits"][0]["score"] = 0.into();
    expect![[r#"{"query":"filling a form","hits":[{"id":"pdf-forms","score":0,"name":"pdf-forms","description":"Fills in forms. Use when a PDF must be completed."}]}"#]]
    .assert_eq(&document.to_string());
    let nothing = search(&["zebra", "--format", "json"]);
    assert_eq!(nothing.code, Some(1));
    assert_eq!(nothing.json(), serde_json::json!({ "query": "zebra", "hits": [] }));
}

#[test]
fn text_output_has_a_line_per_hit() {
    let line = "pdf-forms   0.27  Fills in forms. Use when a PDF must be completed.\n";
    assert_eq!(search(&["pfd"]).text(), line);
    let nothing = search(&["zebra"]);
    assert_eq!((nothing.code, &*nothing.stdout), (Some(1), ""), "nothing matches");
    assert!(nothing.stderr.contains("no skill matches"), "{}", nothing.stderr);
}

#[test]
fn options_limit_and_match_parts() {
    let count = |args: &[&str]| search(args).stdout.lines().count();
    assert_eq!(count(&[]), 2, "a blank query lists all");
    assert_eq!(count(&["--limit", "1"]), 1);
    assert_eq!(count(&["crob", "--match", "substring"]), 1, "a part of a tag is enough");
    assert_eq!(count(&["crob"]), 0, "but not of a word");
}
