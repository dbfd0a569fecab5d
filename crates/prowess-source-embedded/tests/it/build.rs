//! The table that a build script writes.

use std::fs;
use std::os::unix::fs::symlink;

use expect_test::{Expect, expect};
use prowess_source_embedded::build::write_table;
use prowess_testkit::Tree;

/// The table of a tree, with `$ROOT` for the place of the tree.
#[track_caller]
fn check(tree: &Tree, expected: &Expect) {
    let out = tempfile::tempdir().unwrap();
    let table = out.path().join("skills.rs");
    write_table(tree.path(), &table).unwrap();
    let root = tree.path().canonicalize().unwrap();
    let text = fs::read_to_string(&table).unwrap();
    expected.assert_eq(&text.replace(root.to_str().unwrap(), "$ROOT"));
}

#[test]
fn nested_and_dotted_names_keep_their_paths() {
    let tree = Tree::new(include_str!("../data/build-tree.txt"));
    check(
        &tree,
        &expect![[r#"
            &[
                EmbeddedFile { path: "a/SKILL.md", bytes: include_bytes!("$ROOT/a/SKILL.md") },
                EmbeddedFile { path: "pdf/.hidden/x", bytes: include_bytes!("$ROOT/pdf/.hidden/x") },
                EmbeddedFile { path: "pdf/SKILL.md", bytes: include_bytes!("$ROOT/pdf/SKILL.md") },
                EmbeddedFile { path: "pdf/references/v1.2/field.names.md", bytes: include_bytes!("$ROOT/pdf/references/v1.2/field.names.md") },
            ]
        "#]],
    );
}

#[test]
fn a_quote_in_a_name_stays_in_its_string() {
    let tree = Tree::new("//- /say \"hi\"/SKILL.md\nhi\n");
    check(
        &tree,
        &expect![[r#"
            &[
                EmbeddedFile { path: "say \"hi\"/SKILL.md", bytes: include_bytes!("$ROOT/say \"hi\"/SKILL.md") },
            ]
        "#]],
    );
}

#[test]
fn an_empty_directory_is_an_empty_table() {
    check(&Tree::new(""), &expect!["&[\n]\n"]);
}

#[test]
fn a_circle_and_a_missing_directory_are_errors() {
    let tree = Tree::new("//- /a/SKILL.md\na\n");
    symlink("..", tree.join("a/up")).unwrap();
    let table = tree.join("skills.rs");
    let error = write_table(tree.path(), &table).unwrap_err();
    assert!(error.to_string().contains("32 directories deep"), "{error}");
    assert!(write_table(&tree.join("missing"), &table).is_err(), "nothing to read");
    fs::remove_file(tree.join("a/up")).unwrap();
    symlink("gone.md", tree.join("a/notes.md")).unwrap();
    let error = write_table(tree.path(), &table).unwrap_err();
    assert!(error.to_string().contains("notes.md"), "a link that leads nowhere: {error}");
}
