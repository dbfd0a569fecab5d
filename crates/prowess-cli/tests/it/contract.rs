//! What a program may rely on: shapes, streams and exit codes. A module for each command.

mod call;
mod doctor;
mod documents;
mod explain;
mod failures;
mod list;
mod overview;
mod package;
mod prompt;
mod show;
mod streams;
mod validate;

use expect_test::Expect;
use prowess_testkit::Tree;

use crate::program::{Program, Ran};
use crate::run;

/// Two skills of which one has a fault, one that is shadowed, and one that cannot be used.
fn tree() -> Tree {
    Tree::new(
        "
//- /pdf/SKILL.md
---
name: pdf
description: Fills forms. Use when the user has a PDF.
metadata:
  tags: forms, pdf
---
# Forms

Read `references/fields.md` first.
//- /pdf/references/fields.md
Each field has a name.
//- /tables/SKILL.md
---
name: sheets
description: Makes tables.
---
Rows and columns.
//- /zpdf/SKILL.md
---
name: pdf
description: Another.
---
Body
//- /broken/SKILL.md
---
name: broken
---
Body
",
    )
}

/// The JSON document of a run, with the tree's place and durations replaced.
#[track_caller]
fn check(args: &[&str], code: i32, expected: &Expect) {
    let tree = tree();
    let args: Vec<_> = args.iter().map(|arg| arg.replace("$ROOT", &place(&tree))).collect();
    let mut args: Vec<_> = args.iter().map(String::as_str).collect();
    args.extend(["--format", "json"]);
    let ran = run(tree.path(), &args);
    assert_eq!(ran.code, Some(code), "{}", ran.stderr);
    let mut document = ran.json();
    if let Some(duration) = document.get_mut("duration_ms") {
        assert!(duration.is_u64(), "a duration is a whole number");
        *duration = 0.into();
    }
    let document = format!("{document:#}\n").replace(&place(&tree), "$ROOT");
    let document = without_keepers(document);
    expected.assert_eq(&without_boundary(document));
}

/// The document with a fixed word for the boundary around bodies, which is random for each session.
fn without_boundary(document: String) -> String {
    let Some((_, rest)) = document.split_once("<skill_content-") else { return document };
    let (boundary, _) = rest.split_at(16);
    let is_hex = boundary.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(is_hex, "64 random bits in hexadecimal: {boundary}");
    document.replace(boundary, "BOUNDARY")
}

/// Replaces the names of what keeps the limits of a sandbox, which depends on the machine.
fn without_keepers(mut text: String) -> String {
    for keeper in ["control group v1", "control group v2", "resource limits"] {
        text = text.replace(keeper, "$KEEPER").replace(&keeper.replace(' ', "-"), "$KEEPER");
    }
    text
}

fn place(tree: &Tree) -> String {
    tree.path().display().to_string()
}

/// The failure of a run, with the tree's place replaced.
#[track_caller]
fn check_failure(args: &[&str], code: i32, expected: &Expect) {
    let tree = tree();
    let mut args = args.to_vec();
    args.extend(["--format", "json"]);
    let ran = run(tree.path(), &args);
    assert_eq!(ran.code, Some(code), "{}", ran.stderr);
    expected.assert_eq(&format!("{:#}\n", ran.error()).replace(&place(&tree), "$ROOT"));
}

fn run_here(tree: &Tree, args: &[&str], more: &[&str]) -> Ran {
    let args: Vec<_> = args.iter().chain(more).copied().collect();
    Program::new().root("user", tree.path()).working_in(tree.path()).run(&args)
}
