//! `prowess search`.

use expect_test::{Expect, expect};
use prowess_testkit::Tree;

use crate::program::Ran;
use crate::run;

fn tree() -> Tree {
    Tree::new(
        "
//- /pdf-forms/SKILL.md
---
name: pdf-forms
description: Fills in forms. Use when a PDF must be completed.
metadata:
  tags: acrobat
---
Body
//- /sql/SKILL.md
---
name: sql
description: Asks tables.
---
Body
//- /zz/SKILL.md
---
name: pdf-forms
description: Another, which is shadowed.
---
Body
",
    )
}

fn search(args: &[&str]) -> Ran {
    run(tree().path(), &[&["search"], args].concat())
}

#[track_caller]
fn check(args: &[&str], expected: &Expect) {
    let ran = search(&[args, &["--format", "json"]].concat());
    let mut document = ran.json();
    let is_empty = document["hits"].as_array().is_some_and(Vec::is_empty);
    assert_eq!(ran.code, Some(i32::from(is_empty)), "no match is 1, as for `grep`: {document}");
    for hit in document["hits"].as_array_mut().into_iter().flatten() {
        assert!(hit["score"].is_number(), "a score is a number");
        hit["score"] = 0.into();
    }
    expected.assert_eq(&format!("{document}\n"));
}

#[test]
fn hits_have_the_shape_of_the_contract() {
    check(
        &["filling a form"],
        &expect![[r#"
            {"query":"filling a form","hits":[{"id":"pdf-forms","score":0,"name":"pdf-forms","description":"Fills in forms. Use when a PDF must be completed."}]}
        "#]],
    );
    check(
        &["zebra"],
        &expect![[r#"
            {"query":"zebra","hits":[]}
        "#]],
    );
}

#[test]
fn a_limit_is_kept() {
    check(
        &["", "--limit", "1"],
        &expect![[r#"
            {"query":"","hits":[{"id":"pdf-forms","score":0,"name":"pdf-forms","description":"Fills in forms. Use when a PDF must be completed."}]}
        "#]],
    );
    check(
        &["pdf", "--limit", "0"],
        &expect![[r#"
            {"query":"pdf","hits":[]}
        "#]],
    );
}

#[test]
fn substring_matches_names_and_tags() {
    let by_part = search(&["crob", "--match", "substring"]);
    assert!(by_part.text().starts_with("pdf-forms"), "a part of a tag is enough");
    let of_word = search(&["crob"]);
    assert_eq!((of_word.code, &*of_word.stdout), (Some(1), ""), "but not of a word");
    let all = search(&["--match", "substring"]);
    assert_eq!(all.text().lines().count(), 2, "a blank query gives all");
}

#[test]
fn text_output_has_a_line_per_hit() {
    let ran = search(&["pfd"]);
    expect![[r#"
        pdf-forms   0.27  Fills in forms. Use when a PDF must be completed.
    "#]]
    .assert_eq(ran.text());
    let nothing = search(&["zebra"]);
    assert_eq!((nothing.code, &*nothing.stdout), (Some(1), ""), "nothing matches, as for `grep`");
    assert!(nothing.stderr.contains("no skill matches"), "{}", nothing.stderr);
}
