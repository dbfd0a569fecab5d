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
fn skill_is_offered_while_its_files_are_open() {
    let tree = Tree::new(SHELF);
    let runtime = runtime(&tree);
    let session = runtime.open_session().expect("memory takes another session");
    let offered = |open: &[&str]| {
        let turn = turn(&runtime, &session, open);
        let is_in_tools = turn.newest_tools()[0].input_schema.to_string().contains("\"sql\"");
        let call = ToolCall::new("skills_load", json!({ "names": ["sql"], "mode": "add" }));
        let is_loaded = !turn.call(&call).result.is_error;
        assert_eq!(is_in_tools, is_loaded, "what is listed can be loaded: {open:?}");
        is_loaded
    };
    assert!(!offered(&[]), "no file is open");
    assert!(!offered(&["src/main.rs", "migrations/README.md"]));
    assert!(offered(&["src/main.rs", "migrations/2026/users.sql"]));
    let unknown = runtime.turn(&session).expect("the session is open");
    assert!(unknown.prompt().text.contains("<name>sql</name>"), "a host that knows of no files");
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
}
