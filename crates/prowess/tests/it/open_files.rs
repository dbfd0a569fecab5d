//! Skills that are offered only while matching files are worked on.

use std::collections::BTreeSet;

use prowess::session::SessionHandle;
use prowess::{Audience, Policies, Runtime, ToolCall, Turn};
use prowess_testkit::Tree;
use serde_json::json;

use crate::dynamic;

const SHELF: &str = "
//- /skills/sql/SKILL.md
---
name: sql
description: Writes migrations.
paths: migrations/**/*.sql
---
Select.
//- /skills/pdf/SKILL.md
---
name: pdf
description: Fills forms.
---
Fill.
";

fn runtime(tree: &Tree) -> Runtime {
    let builder = dynamic::builder().policies(Policies::default());
    let runtime = builder.skills_directory("user", tree.join("skills")).build();
    runtime.expect("the layers are the standard ones")
}

/// Starts a turn of a host whose user has these files open.
fn turn(runtime: &Runtime, session: &SessionHandle, open: &[&str]) -> Turn {
    let open_paths: BTreeSet<_> = open.iter().map(|&path| path.to_owned()).collect();
    let audience = Audience { open_paths: Some(open_paths), ..Audience::default() };
    runtime.turn_for(session, &audience).expect("the session is open")
}

#[test]
fn opening_a_file_announces_its_skills() {
    let tree = Tree::new(SHELF);
    let runtime = runtime(&tree);
    let session = runtime.open_session().expect("memory takes another session");
    let before = turn(&runtime, &session, &["src/main.rs"]).prompt();
    assert!(!before.text.contains("sql"), "{}", before.text);
    let opened = turn(&runtime, &session, &["migrations/users.sql"]).prompt();
    assert!(opened.text.starts_with(&before.text), "the text in front stays: {}", opened.text);
    let notice = opened.notice.as_ref().expect("a skill is new");
    assert_eq!(notice.added, ["sql"]);
    let closed = turn(&runtime, &session, &[]).prompt();
    assert!(!closed.text.contains("sql"), "{}", closed.text);
    let load = ToolCall::new("skills_load", json!({ "names": ["sql"] }));
    let fails = |open: &[&str]| turn(&runtime, &session, open).call(&load).result.is_error;
    assert!(fails(&["migrations/README.md"]) && !fails(&["migrations/users.sql"]));
}
